#include "refresh/publication.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/encoding.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace opic::refresh {
namespace {

constexpr std::array<std::string_view, kTreatments> kTreatmentNames = {"now", "never", "every",
                                                                       "rate", "boost"};
constexpr std::array<std::string_view, kTargets> kTargetNames = {"url", "prefix", "host", "domain"};

template <typename Kind, size_t kCount>
std::optional<Kind> Named(const std::array<std::string_view, kCount>& names,
                          std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Kind>(found - names.begin());
}

// Messages and JSON carry nothing but UTF-8.
absl::Status CheckTexts(const Publication& publication) {
  if (publication.of.empty() || publication.of.size() > Publication::kTextMax)
    return absl::InvalidArgumentError(
        absl::StrCat("the target has ", publication.of.size(), " bytes: it must have 1 to 2,048"));
  if (publication.by.size() > Publication::kWordsMax ||
      publication.note.size() > Publication::kWordsMax)
    return absl::InvalidArgumentError("--note: must have 256 bytes at most");
  if (!base::IsUtf8(publication.note)) return absl::InvalidArgumentError("--note: must be UTF-8");
  if (!base::IsUtf8(publication.of) || !base::IsUtf8(publication.by))
    return absl::InvalidArgumentError("a publication's target and author must be UTF-8");
  return absl::OkStatus();
}

absl::Status CheckAmount(const Publication& publication) {
  const double amount = publication.amount;
  switch (publication.treatment) {
    case Treatment::kNow:
    case Treatment::kNever:
      if (amount == 0) return absl::OkStatus();
      return absl::InvalidArgumentError("\"now\" and \"never\" take no number");
    case Treatment::kEvery:
      if (amount >= 1 && amount <= Publication::kPeriodMax && amount == std::floor(amount))
        return absl::OkStatus();
      return absl::InvalidArgumentError(absl::StrCat(
          "a period of ", amount, " seconds: must be whole seconds, from 1s to ten years"));
    case Treatment::kRate:
      if (amount >= 1 / Publication::kPeriodMax && amount <= Publication::kChangeRateMax)
        return absl::OkStatus();
      return absl::InvalidArgumentError(
          absl::StrCat("a change rate of ", amount,
                       " a second: must be from one change a second to one in ten years"));
    case Treatment::kBoost:
      if (amount >= Publication::kBoostMin && amount <= Publication::kBoostMax)
        return absl::OkStatus();
      return absl::InvalidArgumentError(absl::StrCat(
          "a factor of ", amount,
          ": must be from 0.001 to 1,000,000; `opic publish never` stops the reading"));
  }
  return absl::InvalidArgumentError("there is no such treatment");
}

}  // namespace

std::string_view NameOf(Treatment treatment) {
  return kTreatmentNames.at(static_cast<size_t>(treatment));
}
std::optional<Treatment> TreatmentNamed(std::string_view name) {
  return Named<Treatment>(kTreatmentNames, name);
}

std::string_view NameOf(Target target) { return kTargetNames.at(static_cast<size_t>(target)); }
std::optional<Target> TargetNamed(std::string_view name) {
  return Named<Target>(kTargetNames, name);
}

bool Publication::AsksTheSame(const Publication& other) const {
  return treatment == other.treatment && amount == other.amount && HasTargetOf(other) &&
         note == other.note;
}

absl::Status CheckPublication(const Publication& publication) {
  if (publication.id < 1 || publication.id > Publication::kIdMax)
    return absl::InvalidArgumentError("a publication's id must be from 1 to 2^40 - 1");
  if (static_cast<size_t>(publication.treatment) >= kTreatments)
    return absl::InvalidArgumentError("there is no such treatment");
  if (static_cast<size_t>(publication.target) >= kTargets)
    return absl::InvalidArgumentError("there is no such target");
  RETURN_IF_ERROR(CheckTexts(publication));
  if (publication.given < 0 || publication.until < 0)
    return absl::InvalidArgumentError("a publication's times must not be before 1970");
  return CheckAmount(publication);
}

std::string DescribeTreatment(const Publication& publication) {
  std::string name(NameOf(publication.treatment));
  switch (publication.treatment) {
    case Treatment::kNow:
    case Treatment::kNever:
      return name;
    case Treatment::kEvery:
      return absl::StrCat(name, " ", absl::FormatDuration(absl::Seconds(publication.amount)));
    case Treatment::kRate: {
      const auto mean = absl::Floor(absl::Seconds(1 / publication.amount + 0.5), absl::Seconds(1));
      return absl::StrCat("changes every ", absl::FormatDuration(mean));
    }
    case Treatment::kBoost:
      return absl::StrCat(name, " ", publication.amount);
  }
  return name;
}

std::string DescribeTarget(const Publication& publication) {
  switch (publication.target) {
    case Target::kUrl:
      return publication.of;
    case Target::kPrefix:
      return absl::StrCat("all of ", publication.of, "*");
    case Target::kHost:
      return absl::StrCat("host ", publication.of);
    case Target::kDomain:
      return absl::StrCat("host ", publication.of, " and its subdomains");
  }
  return publication.of;
}

std::string IdText(uint64_t id) { return absl::StrFormat("%010x", id); }

std::optional<uint64_t> IdOf(std::string_view text) {
  uint64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id, 16);
  if (error != std::errc() || end != text.data() + text.size() || id < 1 ||
      id > Publication::kIdMax)
    return std::nullopt;
  return id;
}

double Rule::Scale(const PagePlan& plan) const {
  double scale = boost == 1 ? 1 : std::pow(boost, 1 / (kObsolescenceExponent + 1));
  const double planned = plan.rate.value();
  if (rate > 0 && planned > 0)
    scale *= std::pow(rate / planned, kObsolescenceExponent / (kObsolescenceExponent + 1));
  return scale;
}

int64_t FixedDue(int64_t fetched_at, const Rule& rule, uint64_t page_word) {
  const int64_t period = rule.period;
  const int64_t earliest = std::max(fetched_at + (period + 1) / 2, rule.period_at);
  const auto phase =
      static_cast<int64_t>(base::Hash64(base::Big64(page_word)) % static_cast<uint64_t>(period));
  const int64_t behind = (phase - earliest % period + period) % period;
  return earliest + behind;
}

}  // namespace opic::refresh
