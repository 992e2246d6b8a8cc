#include "cli/focus_flags.h"

#include <CLI/CLI.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/encoding.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "cli/factor_list.h"
#include "node/publication_memory.h"

namespace opic::cli {
namespace {

constexpr char kAuthor[] = "--focus";

// A URL may have a "=" of its own.
absl::StatusOr<refresh::Publication> ParseOne(const std::string& word, absl::Time now) {
  refresh::Publication boost;
  boost.treatment = refresh::Treatment::kBoost;
  boost.amount = kFocusFactor;
  boost.of = word;
  const size_t sign = word.rfind('=');
  double factor;  // a failed parse writes it, too
  if (sign != std::string::npos && absl::SimpleAtod(word.substr(sign + 1), &factor)) {
    boost.amount = factor;
    boost.of = word.substr(0, sign);
  } else if (sign != std::string::npos && word.find("://") > sign) {
    return absl::InvalidArgumentError(base::Quoted(word.substr(sign + 1)) + " is not a number");
  }
  const bool whole = boost.of.find("://") != std::string::npos;
  if (whole && boost.of.ends_with('*')) boost.of.pop_back();  // as `opic publish list` writes it
  if (boost.of.find('*') != std::string::npos) {
    return absl::InvalidArgumentError(
        "\"*\" is no wildcard here: give the beginning of the URLs, or a host, which has its "
        "subdomains with it; opic publish boost --prefix takes a \"*\" for what it is");
  }
  boost.target = whole ? refresh::Target::kPrefix : refresh::Target::kDomain;
  boost.by = kAuthor;
  boost.given = absl::ToUnixSeconds(now);
  boost.id = 1;
  ASSIGN_OR_RETURN(boost, node::Normalised(boost));
  if (boost.amount < 1)
    return absl::InvalidArgumentError(absl::StrCat("a factor of ", boost.amount, " is below 1"));
  boost.id = 1 + base::Hash64(absl::StrCat(kAuthor, " ", boost.of)) % refresh::Publication::kIdMax;
  return boost;
}

}  // namespace

void FocusFlags::AddTo(CLI::App& app) {
  app.add_option(
         "--focus", focus,
         "PATTERN or PATTERN=FACTOR: read these pages first; their cash counts FACTOR times "
         "(default 10), and so does their importance when they are to be read again. A URL, "
         "for all URLs that begin with it, or a host, with its subdomains; may be repeated. "
         "It holds until it is withdrawn: opic publish list")
      ->allow_extra_args(false);
  app.add_option(
         "--interest", interest,
         "NAME=FACTOR: discover pages first that are likely to be of this category, or to "
         "lead to some, as the pages read so far show; the cash of one that surely is counts "
         "FACTOR times. May be repeated. Categories: " +
             CategoryNames())
      ->allow_extra_args(false);
}

absl::Status FocusFlags::ApplyTo(node::CrawlOptions& options) const {
  ASSIGN_OR_RETURN(options.focus, ParseFocus(focus, absl::Now()));
  ASSIGN_OR_RETURN(const FactorList factors, ParseFactors(interest, "interest"));
  for (size_t c = 0; c < factors.size(); ++c) {
    options.interest[c] = factors[c].value_or(1);
    if (options.interest[c] >= 1) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--interest \"", std::string(refresh::NameOf(static_cast<refresh::Category>(c))), "=",
        options.interest[c], "\": the factor is below 1; leave out what is not wanted"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<refresh::Publication>> ParseFocus(const std::vector<std::string>& words,
                                                             absl::Time now) {
  std::vector<refresh::Publication> boosts;
  for (const std::string& word : words) {
    absl::StatusOr<refresh::Publication> boost = ParseOne(word, now);
    if (!boost.ok()) return base::WithContext(boost.status(), "--focus " + base::Quoted(word));
    boosts.push_back(*std::move(boost));
  }
  return boosts;
}

}  // namespace opic::cli
