#include "rpc/refresh_wire.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "opic/v1/control.pb.h"
#include "refresh/category.h"
#include "rpc/enum_words.h"
#include "rpc/time_wire.h"

namespace opic::rpc {
namespace {

using refresh::Category;
using refresh::CategoryNamed;
using refresh::kCategories;

std::string CategoryName(size_t category) {
  return std::string(refresh::NameOf(static_cast<Category>(category)));
}

}  // namespace

void ToWire(const node::RefreshStats& stats, v1::RefreshStatus* wire) {
  wire->set_counting(stats.counting);
  wire->set_planned(stats.planned);
  wire->set_due(stats.due);
  wire->set_pages_per_s(stats.bandwidth);
  wire->set_borrowed_per_s(stats.borrowed);
  wire->set_planned_per_s(stats.planned_rate);
  wire->set_fixed(stats.fixed);
  wire->set_fixed_per_s(stats.fixed_rate);
  wire->set_publications(stats.publications);
  for (size_t c = 0; c < kCategories; ++c) {
    v1::RefreshCategory& category = *wire->add_categories();
    category.set_name(CategoryName(c));
    category.set_factor(stats.categories[c].factor);
    category.set_planned(stats.categories[c].planned);
    category.set_readings(stats.categories[c].readings);
  }
}

node::RefreshStats FromWire(const v1::RefreshStatus& wire) {
  node::RefreshStats stats = {.on = true,
                              .counting = wire.counting(),
                              .planned = wire.planned(),
                              .fixed = wire.fixed(),
                              .due = wire.due(),
                              .bandwidth = wire.pages_per_s(),
                              .borrowed = wire.borrowed_per_s(),
                              .planned_rate = wire.planned_per_s(),
                              .fixed_rate = wire.fixed_per_s(),
                              .publications = wire.publications()};
  for (const v1::RefreshCategory& entry : wire.categories()) {
    if (const std::optional<Category> category = CategoryNamed(entry.name()))
      stats.categories[static_cast<size_t>(*category)] = {entry.factor(), entry.planned(),
                                                          entry.readings()};
  }
  return stats;
}

void ToWire(const node::RefreshTuning& tuning, v1::TuneRefreshRequest* wire) {
  if (tuning.pages_per_s) wire->set_pages_per_s(*tuning.pages_per_s);
  if (tuning.share) wire->set_share(*tuning.share);
  for (size_t c = 0; c < kCategories; ++c) {
    if (tuning.factors[c]) (*wire->mutable_factors())[CategoryName(c)] = *tuning.factors[c];
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

void ToWire(const refresh::Publication& publication, v1::Publication* wire) {
  wire->set_id(publication.id);
  wire->set_treatment(ValueOf<v1::Treatment>(refresh::NameOf(publication.treatment)));
  wire->set_amount(publication.amount);
  wire->set_target(ValueOf<v1::PublicationTarget>(refresh::NameOf(publication.target)));
  wire->set_of(publication.of);
  wire->set_by(publication.by);
  if (publication.given != 0) *wire->mutable_given() = WireTime(TimeAt(publication.given));
  if (publication.until != 0) *wire->mutable_until() = WireTime(TimeAt(publication.until));
  wire->set_note(publication.note);
}

absl::StatusOr<refresh::Publication> FromWire(const v1::Publication& wire) {
  ASSIGN_OR_RETURN(const std::string treatment_word, WordTold("treatment", wire.treatment()));
  const auto treatment = refresh::TreatmentNamed(treatment_word);
  if (!treatment)
    return absl::InvalidArgumentError(
        absl::StrCat("there is no treatment ", base::Quoted(treatment_word)));
  ASSIGN_OR_RETURN(const std::string target_word, WordTold("target", wire.target()));
  const auto target = refresh::TargetNamed(target_word);
  if (!target)
    return absl::InvalidArgumentError(
        absl::StrCat("there is no target ", base::Quoted(target_word)));
  return refresh::Publication{.id = wire.id(),
                              .treatment = *treatment,
                              .amount = wire.amount(),
                              .target = *target,
                              .of = wire.of(),
                              .by = wire.by(),
                              .given = SecondsOf(TimeOf(wire.given())),
                              .until = SecondsOf(TimeOf(wire.until())),
                              .note = wire.note()};
}

void ToWire(const node::DueTimes& times, v1::WhenDueResponse* wire) {
  for (size_t c = 0; c < kCategories; ++c) {
    v1::DueTimes& category = (*wire->mutable_categories())[CategoryName(c)];
    for (const node::DueTimes::ByCategory& range : times.due) category.add_due(range[c]);
    category.set_missed(times.missed[c]);
    category.set_stopped(times.stopped[c]);
    category.set_never(times.never[c]);
  }
}

node::DueTimes FromWire(const v1::WhenDueResponse& wire) {
  node::DueTimes times;
  for (const auto& [name, entry] : wire.categories()) {
    const std::optional<Category> category = CategoryNamed(name);
    if (!category) continue;
    const auto c = static_cast<size_t>(*category);
    const size_t ranges = std::min(static_cast<size_t>(entry.due_size()), node::DueTimes::kRanges);
    for (size_t range = 0; range < ranges; ++range)
      times.due[range][c] = entry.due(static_cast<int>(range));
    times.missed[c] = entry.missed();
    times.stopped[c] = entry.stopped();
    times.never[c] = entry.never();
  }
  return times;
}

}  // namespace opic::rpc
