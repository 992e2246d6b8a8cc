// What a crawl has of each host, out of an export of its pages: how many there are and how they
// ended, and what looks as if the host made them without end (url/trap.h), answered with one and
// the same content whatever is asked (a soft 404), or nearly the same (it names what was asked
// for, or the time), or redirected on and on.
//
// The pages are looked at twice: which content is the most frequent one of a host is guessed in the
// first pass, by four counters a host (Misra and Gries), and counted in the second. Of a content
// that more than a fifth of the host's pages have, the count is exact; of others none is told.
//
// Memory: some 600 bytes a host, for kHostsMax hosts; 20 bytes a redirect.
//
// Thread safety: confined to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "ledger/rows.h"
#include "node/export.h"
#include "url/trap.h"

namespace opic::cli {

// Some pages of a host that are alike in what is wrong with them.
struct Suspects {
  uint64_t pages = 0;
  std::string example;  // URL of the first one

  void Add(const std::string& url) {
    if (++pages == 1) example = url;
  }
};

struct HostFigures {
  uint64_t pages = 0;                   // known
  ledger::KindCounts by_kind{};         // of these, those that were visited
  std::map<url::Trap, Suspects> traps;  // pages by rule, fetched or not
  uint64_t skipped = 0;                 // of these, visited as out of scope
  Suspects same_content;                // fetched pages with the most frequent content, or nearly
  uint64_t nearly = 0;                  // of these, those whose own content is another one
  Suspects long_redirects;              // those that begin more than kHopsMax in a row

  uint64_t Of(ledger::VisitKind kind) const { return by_kind[static_cast<size_t>(kind)]; }
  uint64_t fetched() const { return Of(ledger::VisitKind::kFetched); }
  uint64_t unread() const;
  // The host answers what it has not with a page. Thresholds: kSamePagesMin, kSameShareMin.
  bool HasSoft404() const;
  // Of the worst kind; 0: nothing is suspect.
  uint64_t suspects() const;
};

// As many pages have the same content, and so great a share of those that were fetched: a site of
// ten pages may have four empty ones.
inline constexpr uint64_t kSamePagesMin = 20;
inline constexpr double kSameShareMin = 0.25;
// Redirects in a row, the first one counted; a circle has no end. Search engines give up after ten,
// browsers after twenty; sites need two (http, www, slash).
inline constexpr int kHopsMax = 5;

class HostTable {
 public:
  static constexpr size_t kHostsMax = 1'000'000;

  explicit HostTable(absl::Time now, size_t hosts_max = kHostsMax)
      : now_(now), hosts_max_(hosts_max) {}

  // All pages of the export, and then all once more.
  void Look(const node::ExportedPage& page);
  void LookAgain(const node::ExportedPage& page);

  const absl::flat_hash_map<std::string, HostFigures>& hosts() const { return hosts_; }
  uint64_t pages_left_out() const { return pages_left_out_; }  // of hosts above the bound

 private:
  struct Content {
    uint64_t hash = 0, weight = 0, pages = 0, nearly = 0;
    std::string example;
  };
  using Contents = std::array<Content, 4>;

  HostFigures* FiguresOf(const node::ExportedPage& page, std::string& host);
  bool RedirectsOn(uint32_t page) const;

  const absl::Time now_;
  const size_t hosts_max_;
  absl::flat_hash_map<std::string, HostFigures> hosts_;
  absl::flat_hash_map<std::string, Contents> contents_;  // of hosts that have any
  absl::flat_hash_map<uint32_t, uint32_t> redirects_;
  uint64_t pages_left_out_ = 0;
};

}  // namespace opic::cli
