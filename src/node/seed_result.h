// What became of URLs that a crawl was told to begin with, one by one.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/ledger.h"
#include "node/page_scope.h"
#include "url/page_id.h"

namespace opic::node {

enum class SeedOutcome : uint8_t {
  kNew,         // the page was not known, and is to be fetched
  kKnown,       // the page was known already
  kOutOfScope,  // it is known now, and not fetched; `reason` says why
  kOtherNode,   // it is a page of another node of the cluster, which takes it
  kRefused,     // it is not a URL; `reason` says why
};
inline constexpr size_t kSeedOutcomes = 5;
std::string_view Name(SeedOutcome outcome);  // "new", "known", "out_of_scope", ...

struct SeedResult {
  SeedOutcome outcome = SeedOutcome::kNew;
  std::string reason;  // at most 40 bytes: a reply may have 100,000
  friend bool operator==(const SeedResult&, const SeedResult&) = default;
};
using SeedResults = std::vector<SeedResult>;  // in the order of the URLs

// URLs as a person typed them; what is not a URL is refused, and the others are new.
struct TypedSeeds {
  SeedResults results;
  std::vector<ledger::Link> pages;  // the others
  std::vector<size_t> places;       // of each page, in `results`
};
TypedSeeds ReadSeeds(const std::vector<std::string>& typed, const url::UrlHash& hash);

// Says of each page what will become of it as a seed. To be called before the seeds are added, on
// the ledger's thread. REQUIRES: `scope` has the seeds already.
void JudgeSeeds(const ledger::Ledger& ledger, const PageScope& scope, absl::Time now,
                TypedSeeds& seeds);

}  // namespace opic::node
