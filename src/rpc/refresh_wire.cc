#include "rpc/refresh_wire.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "opic/v1/control.pb.h"
#include "refresh/category.h"

namespace opic::rpc {
namespace {

using refresh::Category;
using refresh::CategoryNamed;
using refresh::kCategories;

std::string NameOf(size_t category) {
  return std::string(refresh::NameOf(static_cast<Category>(category)));
}

}  // namespace

void ToWire(const node::RefreshStats& stats, v1::RefreshStatus* wire) {
  wire->set_counting(stats.counting);
  wire->set_planned(stats.planned);
  wire->set_due(stats.due);
  wire->set_pages_per_s(stats.bandwidth);
  wire->set_planned_per_s(stats.planned_rate);
  for (size_t c = 0; c < kCategories; ++c) {
    v1::RefreshCategory& category = *wire->add_categories();
    category.set_name(NameOf(c));
    category.set_factor(stats.categories[c].factor);
    category.set_planned(stats.categories[c].planned);
    category.set_readings(stats.categories[c].readings);
  }
}

node::RefreshStats FromWire(const v1::RefreshStatus& wire) {
  node::RefreshStats stats = {.on = true,
                              .counting = wire.counting(),
                              .planned = wire.planned(),
                              .due = wire.due(),
                              .bandwidth = wire.pages_per_s(),
                              .planned_rate = wire.planned_per_s()};
  for (const v1::RefreshCategory& told : wire.categories()) {
    if (const std::optional<Category> category = CategoryNamed(told.name()))
      stats.categories[static_cast<size_t>(*category)] = {told.factor(), told.planned(),
                                                          told.readings()};
  }
  return stats;
}

void ToWire(const node::RefreshTuning& tuning, v1::TuneRefreshRequest* wire) {
  if (tuning.pages_per_s) wire->set_pages_per_s(*tuning.pages_per_s);
  if (tuning.share) wire->set_share(*tuning.share);
  for (size_t c = 0; c < kCategories; ++c) {
    if (tuning.factors[c]) (*wire->mutable_factors())[NameOf(c)] = *tuning.factors[c];
  }
}

absl::StatusOr<node::RefreshTuning> FromWire(const v1::TuneRefreshRequest& wire) {
  node::RefreshTuning tuning;
  if (wire.has_pages_per_s()) tuning.pages_per_s = wire.pages_per_s();
  if (wire.has_share()) tuning.share = wire.share();
  for (const auto& [name, factor] : wire.factors()) {
    const std::optional<Category> category = CategoryNamed(name);
    if (!category)
      return absl::InvalidArgumentError(absl::StrCat("there is no category \"", name, "\""));
    tuning.factors[static_cast<size_t>(*category)] = factor;
  }
  return tuning;
}

void ToWire(const node::DueTimes& times, v1::WhenDueReply* wire) {
  for (size_t c = 0; c < kCategories; ++c) {
    v1::DueTimes& category = (*wire->mutable_categories())[NameOf(c)];
    for (const node::DueTimes::ByCategory& range : times.due) category.add_due(range[c]);
    category.set_missed(times.missed[c]);
    category.set_stopped(times.stopped[c]);
    category.set_never(times.never[c]);
  }
}

node::DueTimes FromWire(const v1::WhenDueReply& wire) {
  node::DueTimes times;
  for (const auto& [name, told] : wire.categories()) {
    const std::optional<Category> category = CategoryNamed(name);
    if (!category) continue;
    const auto c = static_cast<size_t>(*category);
    const size_t ranges = std::min(static_cast<size_t>(told.due_size()), node::DueTimes::kRanges);
    for (size_t range = 0; range < ranges; ++range)
      times.due[range][c] = told.due(static_cast<int>(range));
    times.missed[c] = told.missed();
    times.stopped[c] = told.stopped();
    times.never[c] = told.never();
  }
  return times;
}

}  // namespace opic::rpc
