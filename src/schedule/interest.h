// How much reading a page is worth to a crawl that looks for pages of certain kinds, told by its
// URL (thesis 2.2, "interest"). The thesis ranks the pages by the links turned round, off-line;
// here the same moves backward as pages are read, and no link is kept.
//
// A page that was read was worth 1 when it is wanted itself; otherwise half the worth of the best
// page that it has discovered. Worths are kept as means by *form*: the ending of the URL's path,
// its host, both, and with the directory. Those of a more particular form count as far as there are
// enough of them, those of the next more general one for the rest. What lately was read counts
// most: a part of a site whose wanted pages are all known is worth little by and by.
//
// Memory is bounded: a table of cells, where a form takes the place of one that was seen less.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace opic::schedule {

// Of a URL: hashes, the most general form first. `expected` is the worth before anything was read,
// from 0 to 1.
struct PageForm {
  static constexpr size_t kLevels = 4;
  std::array<uint64_t, kLevels> keys{};
  double expected = 0;
};

class Interest {
 public:
  static constexpr size_t kCells = 65'536;  // 12 bytes each
  // The worth of a page whose URL tells nothing, before anything was read.
  static constexpr double kExpected = 0.02;
  // `cells` is a power of two.
  explicit Interest(size_t cells = kCells) : cells_(cells) {}

  // The worth of reading a page of this form, from 0 to 1.
  double WorthOf(const PageForm& form) const;
  // What a page that was read was worth: by how much it is `wanted` itself, from 0 to 1, or by the
  // best page that it discovered.
  static double Worth(double wanted, double best_discovered);
  // A page of this form was read, and was worth so much.
  void Learn(const PageForm& form, double worth);
  // By what the cash of such a page counts more: from 1, for a worth of no more than the mean of
  // what was read, up to `most` for a worth of 1.
  double FactorOf(const PageForm& form, double most) const;

  // What was learnt, in at most kEncodedBytesMax (docs/formats/interest.md).
  static constexpr size_t kEncodedBytesMax = 32 + 15 * kCells;
  std::string Encode() const;
  // A table of kCells that has learnt this. DataLoss: no Encode has written it.
  static absl::StatusOr<Interest> Decode(std::string_view bytes);
  // Cells that a form has.
  size_t used() const { return used_; }

 private:
  static constexpr uint64_t kMeanOver = 1024;  // readings
  struct Cell {
    uint32_t tag = 0;
    float seen = 0;   // readings, the older ones for less
    float worth = 0;  // of them, together
  };
  const Cell& CellOf(uint64_t key) const;

  std::vector<Cell> cells_;
  size_t used_ = 0;          // of them
  double mean_ = kExpected;  // of what lately was read
  uint64_t learnt_ = 0;
};

}  // namespace opic::schedule
