// A crawl's pages and kept links, numbered densely, of a folder at rest: what `opic export`, `opic
// rank` and `opic compare` read.
//
// Pages are numbered by their word, ascending. Links to pages that this folder does not know (they
// are another node's) are left out and counted. Pages that were never answered, forbidden, gone or
// read with --forget-links have no links.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/ids.h"
#include "node/data_folder.h"

namespace opic::ledger {
class Ledger;
}
namespace opic::store {
class Store;
}

namespace opic::node {

struct ExportedPage {
  uint32_t number = 0;
  PageId page;
  std::string url;
  std::string state;            // "unread", or ledger::Name of the last visit
  double importance = 0;        // the on-line estimate, now
  std::vector<uint32_t> links;  // numbers, ascending
};

// Thread safety: confined to one thread.
class Export {
 public:
  // Recovers the ledger in memory; nothing is written. `folder` must outlive the export. Memory: 8
  // bytes a page beside the ledger's. Errors as OpenAtRest.
  static absl::StatusOr<std::unique_ptr<Export>> Open(const DataFolder& folder);
  ~Export();

  uint32_t pages() const { return static_cast<uint32_t>(words_.size()); }
  // Pages 0, 1, ... in one pass over the store's two tables. The error of `take` ends it.
  absl::Status ForEach(absl::FunctionRef<absl::Status(const ExportedPage&)> take);
  uint64_t links_elsewhere() const { return links_elsewhere_; }  // of the last pass
  // Of all pages together and the estimates' clock, for a reader to judge them by.
  double clock_supplies() const;
  double visits_per_page() const;

 private:
  Export();
  absl::Status Prepare(const DataFolder& folder);
  absl::Status ReadWords();
  void NumberLinks(const std::vector<PageId>& links, std::vector<uint32_t>& numbers);

  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::vector<uint64_t> words_;  // ascending
  uint64_t links_elsewhere_ = 0, visits_ = 0;
};

}  // namespace opic::node
