// opic-modules: node page_table cash base
// What an export costs a running node's ledger: the copy of all cells, and how fast it is read in
// the order of words, which the ledger does not wait for.
//
//     export_bench [--pages=1000000] [--folder=/tmp]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "node/cell_copy.h"
#include "page_table/page_table.h"

namespace opic {
namespace {

std::vector<PageId> FillTable(page_table::PageTable& table, int pages) {
  base::Rng rng(1);
  std::vector<PageId> known;
  std::vector<page_table::Credit> credits;
  for (int i = 0; i < pages; ++i) {
    const PageId page(ShardAt(rng.Below(table.shards())), rng.Below(kPageIdCount));
    known.push_back(page);
    credits.push_back({page, cash::Amount(static_cast<int64_t>(rng.Below(1 << 30)))});
  }
  const auto by_page = [](const auto& a, const auto& b) { return a.page < b.page; };
  std::sort(credits.begin(), credits.end(), by_page);
  std::sort(known.begin(), known.end());
  table.Apply(credits, 1, cash::kSupply);
  return known;
}

void Run(int pages, const std::string& folder) {
  page_table::PageTable table(1024);
  const std::vector<PageId> known = FillTable(table, pages);
  const std::clock_t begin = std::clock();
  auto copy = node::CellCopy::Of(table, folder);
  OPIC_CHECK(copy.ok()) << copy.status().message();
  const std::clock_t copied = std::clock();
  for (const PageId page : known) OPIC_CHECK(copy->Find(page).value().has_value());
  const std::clock_t read = std::clock();
  const auto milliseconds = [](std::clock_t ticks) { return 1e3 * ticks / CLOCKS_PER_SEC; };
  std::printf("%d pages: %.1f ms of CPU to copy, the ledger's pause; %.1f ms to read\n", pages,
              milliseconds(copied - begin), milliseconds(read - copied));
}

}  // namespace
}  // namespace opic

int main(int argc, char** argv) {
  int pages = 1'000'000;
  std::string folder = "/tmp";
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--pages=", 8) == 0) pages = std::atoi(argv[i] + 8);
    if (std::strncmp(argv[i], "--folder=", 9) == 0) folder = argv[i] + 9;
  }
  opic::Run(pages, folder);
  return 0;
}
