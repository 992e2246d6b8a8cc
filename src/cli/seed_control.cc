#include "cli/seed_control.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/counted.h"
#include "base/utf8.h"
#include "cli/seed_file.h"
#include "url/url.h"

namespace opic::cli {
namespace {

constexpr size_t kLinesMax = 20;
constexpr size_t kUrlBytesShown = 500;

std::string Words(node::SeedOutcome outcome) {
  return absl::StrReplaceAll(std::string(node::Name(outcome)), {{"_", " "}});
}

bool IsFetched(node::SeedOutcome outcome) {
  return outcome != node::SeedOutcome::kRefused && outcome != node::SeedOutcome::kOutOfScope;
}

}  // namespace

SeedAnswers::SeedAnswers(const std::vector<std::string>& typed)
    : typed_(typed), results_(typed.size()) {
  for (size_t i = 0; i < typed_.size(); ++i) {
    if (const std::string why = WhyNoSeed(typed_[i]); !why.empty()) {
      results_[i] = {node::SeedOutcome::kRefused, why};
      continue;
    }
    results_[i].outcome = node::SeedOutcome::kOtherNode;
    places_.push_back(i);
    told_.push_back(typed_[i]);
  }
  answered_.resize(told_.size());
}

void SeedAnswers::Take(const node::SeedResults& results) {
  for (size_t i = 0; i < std::min(results.size(), places_.size()); ++i) {
    if (answered_[i] || results[i].outcome == node::SeedOutcome::kOtherNode) continue;
    answered_[i] = true;
    results_[places_[i]] = results[i];
  }
}

std::string SeedAnswers::InWords() const {
  std::string text;
  std::array<size_t, node::kSeedOutcomes> counts = {};
  for (size_t i = 0; i < results_.size(); ++i) {
    const node::SeedResult& result = results_[i];
    ++counts[static_cast<size_t>(result.outcome)];
    if (results_.size() > kLinesMax && IsFetched(result.outcome)) continue;
    absl::StrAppend(&text,
                    fmt::format("{:<12}  {}", Words(result.outcome),
                                base::PlainText(typed_[i], kUrlBytesShown)),
                    result.reason.empty() ? "" : ": ", result.reason, "\n");
  }
  if (results_.size() <= kLinesMax) return text;
  std::string sum = base::Counted(results_.size(), "seed");
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0)
      absl::StrAppend(&sum, ", ", counts[i], " ", Words(static_cast<node::SeedOutcome>(i)));
  }
  return absl::StrCat(text, sum, "\n");
}

nlohmann::ordered_json SeedAnswers::ToJson() const {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (size_t i = 0; i < results_.size(); ++i) {
    json.push_back({{"url", base::PlainText(typed_[i], typed_[i].size())},
                    {"outcome", std::string(node::Name(results_[i].outcome))}});
    if (!results_[i].reason.empty()) json.back()["reason"] = results_[i].reason;
  }
  return json;
}

}  // namespace opic::cli
