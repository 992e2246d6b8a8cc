// The checkpoint of one shard: what its pages are, not how they lie in memory
// (docs/formats/checkpoint.md).
//
//   header   "OPICPAGE", version, shard, pages, done, cash, checksum
//   block*   size, pages by ascending id, checksum
//
// Each checksum is seeded with the one before it, so that blocks of other files, or in another
// order, do not fit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/byte_source.h"
#include "base/encoding.h"
#include "base/ids.h"
#include "cash/amount.h"
#include "page_table/place.h"

namespace opic::page_table {

inline constexpr std::string_view kCheckpointMagic = "OPICPAGE";
inline constexpr uint32_t kCheckpointVersion = 1;
inline constexpr uint32_t kCheckpointVersionDebts = 2;  // says of each page whether it is in debt
inline constexpr size_t kBlockBytesMax = size_t{1} << 16;  // of pages, without size and checksum

struct CheckpointHeader {
  ShardId shard;
  uint64_t pages = 0;
  uint64_t done = 0;
  cash::Sum cash = 0;
  bool debts = false;  // cash of pages may be below zero
  friend bool operator==(const CheckpointHeader&, const CheckpointHeader&) = default;
};

// Thread safety: confined to the owner thread.
class CheckpointWriter {
 public:
  // Writes the header. `write` must outlive the writer.
  CheckpointWriter(const CheckpointHeader& header, absl::FunctionRef<void(std::string_view)> write);
  // REQUIRES: ids ascend. *ordered* is not kept.
  void Add(uint64_t id, State state);
  // Ends the process when what was added is not what the header says: then a cell has changed in
  // memory by itself, and the file must not take the place of the journal, which can still tell
  // what was right.
  void Finish();

 private:
  void EndBlock();

  absl::FunctionRef<void(std::string_view)> write_;
  const int step_shift_;  // of an id: done, and where there are debts a bit for them, lie below it
  const CheckpointHeader header_;
  CheckpointHeader added_;
  uint64_t checksum_ = 0;
  uint64_t next_ = 0;  // the smallest id that may follow
  std::string block_;
};

// Reads bytes that may be anything, a block at a time. Everything it returns is sound by itself:
// ids ascend, cells hold no more than cash::kHoldingMax, and there are never more pages than a
// third of the bytes.
//
// Thread safety: confined to the owner thread.
class CheckpointReader {
 public:
  // DataLoss: the header is not one; or what `bytes` fails with. `bytes` must outlive the reader,
  // which takes all that is left of it.
  static absl::StatusOr<CheckpointReader> Open(base::ByteSource& bytes);

  const CheckpointHeader& header() const { return header_; }
  // The next page; false at the end and at an error.
  bool Next(uint64_t& id, State& state);
  // OK at the end of a sound checkpoint; DataLoss when it is none, or pages and header do not
  // agree; or what the bytes failed with.
  absl::Status Finish() const;

 private:
  explicit CheckpointReader(base::ByteSource& bytes) : bytes_(&bytes), block_(std::string_view()) {}
  absl::Status NextBlock();
  bool Refuse(const absl::Status& why);

  base::ByteSource* bytes_;
  base::Decoder block_;
  CheckpointHeader header_;
  CheckpointHeader seen_;
  uint64_t checksum_ = 0;
  uint64_t next_ = 0;
  absl::Status status_;
};

}  // namespace opic::page_table
