// opic-modules: page_table cash base
// The input as a checkpoint; and as the header's numbers and blocks of one, with the checksums they
// should have, so that the reader of pages is reached.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/check.h"
#include "base/encoding.h"
#include "page_table/checkpoint.h"
#include "page_table/page_table.h"

namespace opic::page_table {
namespace {

constexpr ShardId kShard{1};

std::string Saved(const PageTable& table) {
  std::string bytes;
  table.Save(kShard, [&](std::string_view piece) { bytes.append(piece); });
  return bytes;
}

// Refused without a trace, or taken and kept.
void CheckLoad(std::string_view bytes) {
  PageTable table(2);
  base::StringSource source(bytes);
  if (!table.Load(kShard, source).ok()) {
    OPIC_CHECK(table.totals().pages == 0 && table.totals().bytes == 0);
    return;
  }
  OPIC_CHECK(table.totals().pages <= bytes.size());
  const std::string once = Saved(table);
  PageTable again(2);
  base::StringSource saved(once);
  OPIC_CHECK(again.Load(kShard, saved).ok());
  OPIC_CHECK(Saved(again) == once);
}

// A checkpoint of `pages` in blocks of `block_bytes`, all its checksums right.
std::string Sealed(const CheckpointHeader& header, std::string_view pages, size_t block_bytes) {
  std::string out;
  CheckpointWriter writer(header, [&](std::string_view piece) { out.append(piece); });
  uint64_t checksum = base::Hash64(std::string_view(out).substr(0, out.size() - 8));
  while (!pages.empty()) {
    const std::string_view block = pages.substr(0, block_bytes);
    pages.remove_prefix(block.size());
    checksum = base::Hash64(block, checksum);
    base::AppendFixed32(out, static_cast<uint32_t>(block.size()));
    out.append(block);
    base::AppendFixed64(out, checksum);
  }
  return out;
}

// What the pages add up to, read as far as they are sound.
CheckpointHeader SumsOf(std::string_view pages, size_t block_bytes) {
  CheckpointHeader sums{kShard, pages.size() / 3, 0, 0};
  const std::string sealed = Sealed(sums, pages, block_bytes);
  base::StringSource source(sealed);
  auto reader = CheckpointReader::Open(source);
  OPIC_CHECK(reader.ok());
  sums.pages = 0;
  uint64_t id;
  State state;
  while (reader->Next(id, state)) {
    ++sums.pages;
    sums.done += state.done;
    sums.cash += state.cash.value().units();
  }
  return sums;
}

}  // namespace
}  // namespace opic::page_table

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opic::page_table;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  CheckLoad(input);
  if (input.size() < 2) return 0;
  const size_t block_bytes = 1 + static_cast<uint8_t>(input[0]) * size_t{257};
  const CheckpointHeader sums = SumsOf(input.substr(1), block_bytes);
  CheckLoad(Sealed(sums, input.substr(1), block_bytes));
  return 0;
}
