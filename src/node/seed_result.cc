#include "node/seed_result.h"

#include <array>

#include "absl/container/flat_hash_set.h"
#include "url/url.h"

namespace opic::node {
namespace {

constexpr std::array<std::string_view, kSeedOutcomes> kNames = {"new", "known", "out_of_scope",
                                                                "other_node", "refused"};
constexpr char kLeftOut[] = "left out by --include or --exclude";

}  // namespace

std::string_view Name(SeedOutcome outcome) { return kNames[static_cast<size_t>(outcome)]; }

TypedSeeds ReadSeeds(const std::vector<std::string>& typed, const url::UrlHash& hash) {
  TypedSeeds seeds;
  for (const std::string& text : typed) {
    url::Rejected why = url::Rejected::kNone;
    const std::optional<url::Url> url = url::Parse(text, nullptr, &why);
    seeds.results.emplace_back();
    if (!url) {
      seeds.results.back() = {SeedOutcome::kRefused, std::string(url::Name(why))};
      continue;
    }
    seeds.pages.push_back({hash.PageOf(*url), url->text()});
    seeds.places.push_back(seeds.results.size() - 1);
  }
  return seeds;
}

void JudgeSeeds(const ledger::Ledger& ledger, const PageScope& scope, absl::Time now,
                TypedSeeds& seeds) {
  absl::flat_hash_set<uint64_t> named;
  for (size_t i = 0; i < seeds.pages.size(); ++i) {
    const ledger::Link& page = seeds.pages[i];
    SeedResult& result = seeds.results[seeds.places[i]];
    const bool again = !named.insert(page.page.word()).second;
    if (!ledger.placements().Owns(page.page.shard())) {
      result.outcome = SeedOutcome::kOtherNode;
    } else if (!scope.Judge({.url = page.url}, now).url) {
      result = {SeedOutcome::kOutOfScope, kLeftOut};
    } else if (again || ledger.books().table().Find(page.page)) {
      result.outcome = SeedOutcome::kKnown;
    }
  }
}

}  // namespace opic::node
