#include "page_table/checkpoint.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace opic::page_table {

namespace {

constexpr size_t kHeaderBytes = 56;      // with its checksum
constexpr size_t kPageBytesMax = 7 + 2;  // 47 bits of varint and the cell
constexpr size_t kPageBytesMin = 1 + 2;

std::string EncodeHeader(const CheckpointHeader& header) {
  std::string out(kCheckpointMagic);
  base::AppendFixed32(out, header.debts ? kCheckpointVersionDebts : kCheckpointVersion);
  base::AppendFixed32(out, header.shard.value);
  base::AppendFixed64(out, header.pages);
  base::AppendFixed64(out, header.done);
  base::AppendFixed64(out, static_cast<uint64_t>(header.cash));
  base::AppendFixed64(out, static_cast<uint64_t>(header.cash >> 64));
  return out;
}

}  // namespace

CheckpointWriter::CheckpointWriter(const CheckpointHeader& header,
                                   absl::FunctionRef<void(std::string_view)> write)
    : write_(write),
      step_shift_(header.debts ? 2 : 1),
      header_(header),
      added_{.shard = header.shard, .debts = header.debts} {
  std::string out = EncodeHeader(header);
  checksum_ = base::Hash64(out);
  base::AppendFixed64(out, checksum_);
  write_(out);
  block_.reserve(kBlockBytesMax);
}

void CheckpointWriter::Add(uint64_t id, State state) {
  OPIC_CHECK(id >= next_ && id < kPageIdCount) << "checkpoint of ids that do not ascend";
  if (block_.size() + kPageBytesMax > kBlockBytesMax) EndBlock();
  OPIC_CHECK(!state.cash.in_debt() || step_shift_ == 2) << "a debt that the header does not tell";
  base::AppendVarint(block_, (id - next_) << step_shift_ | uint64_t{state.cash.in_debt()} << 1 |
                                 uint64_t{state.done});
  block_.push_back(static_cast<char>(state.cash.bits()));
  block_.push_back(static_cast<char>(state.cash.bits() >> 8));
  next_ = id + 1;
  ++added_.pages;
  added_.done += state.done;
  added_.cash += state.cash.value().units();
}

void CheckpointWriter::Finish() {
  OPIC_CHECK(added_ == header_)
      << "shard " << header_.shard.value << " has " << added_.pages << " pages, " << added_.done
      << " done, " << cash::ToString(added_.cash) << " units; its sums say " << header_.pages
      << ", " << header_.done << ", " << cash::ToString(header_.cash)
      << ": the page table in memory is corrupt (probably faulty RAM). Nothing was saved; restart "
         "to recover from the journal, and test the memory";
  if (!block_.empty()) EndBlock();
}

void CheckpointWriter::EndBlock() {
  std::string frame;
  base::AppendFixed32(frame, static_cast<uint32_t>(block_.size()));
  write_(frame);
  write_(block_);
  checksum_ = base::Hash64(block_, checksum_);
  frame.clear();
  base::AppendFixed64(frame, checksum_);
  write_(frame);
  block_.clear();
}

absl::StatusOr<CheckpointReader> CheckpointReader::Open(base::ByteSource& bytes) {
  CheckpointReader reader(bytes);
  const uint64_t size = std::min<uint64_t>(bytes.left(), kHeaderBytes);
  ASSIGN_OR_RETURN(const std::string_view encoded, bytes.Take(size));
  base::Decoder in(encoded);
  if (in.Raw(kCheckpointMagic.size()) != kCheckpointMagic) {
    return absl::DataLossError("not a checkpoint of a shard");
  }
  const uint32_t version = in.Fixed32();
  if (in.ok() && version != kCheckpointVersion && version != kCheckpointVersionDebts) {
    return absl::DataLossError(absl::StrCat("unknown version ", version));
  }
  const uint32_t shard = in.Fixed32();
  CheckpointHeader& header = reader.header_;
  header.debts = version == kCheckpointVersionDebts;
  header.pages = in.Fixed64();
  header.done = in.Fixed64();
  const unsigned __int128 low = in.Fixed64();
  header.cash = static_cast<cash::Sum>(low | static_cast<unsigned __int128>(in.Fixed64()) << 64);
  reader.checksum_ = in.Fixed64();
  if (!in.ok() || reader.checksum_ != base::Hash64(encoded.substr(0, kHeaderBytes - 8))) {
    return absl::DataLossError("the header is damaged");
  }
  if (shard > kShardOrNodeMax || header.pages > bytes.left() / kPageBytesMin) {
    return absl::DataLossError("its header has an impossible shard or number of pages");
  }
  reader.seen_.shard = header.shard = ShardAt(shard);
  reader.seen_.debts = header.debts;
  return reader;
}

bool CheckpointReader::Refuse(const absl::Status& why) {
  block_.Fail();
  status_ = base::WithContext(why, absl::StrCat("refused after ", seen_.pages, " pages"));
  return false;
}

absl::Status CheckpointReader::NextBlock() {
  constexpr size_t kSizeBytes = 4, kChecksumBytes = 8;
  if (bytes_->left() < kSizeBytes) return absl::DataLossError("cut off");
  ASSIGN_OR_RETURN(const std::string_view encoded, bytes_->Take(kSizeBytes));
  const size_t size = base::Decoder(encoded).Fixed32();
  if (size == 0 || size > kBlockBytesMax)
    return absl::DataLossError("a block's size is out of bounds");
  if (bytes_->left() < size + kChecksumBytes) return absl::DataLossError("cut off");
  ASSIGN_OR_RETURN(const std::string_view sealed, bytes_->Take(size + kChecksumBytes));
  const std::string_view block = sealed.substr(0, size);
  checksum_ = base::Hash64(block, checksum_);
  if (base::Decoder(sealed.substr(size)).Fixed64() != checksum_)
    return absl::DataLossError("a block is damaged");
  block_ = base::Decoder(block);
  return absl::OkStatus();
}

bool CheckpointReader::Next(uint64_t& id, State& state) {
  if (!status_.ok()) return false;
  if (block_.done()) {
    if (bytes_->left() == 0) return false;
    if (const absl::Status next = NextBlock(); !next.ok()) return Refuse(next);
  }
  const uint64_t word = block_.Varint();
  const uint32_t low = block_.Byte(), high = block_.Byte();
  if (!block_.ok()) return Refuse(absl::DataLossError("a page is cut off"));
  const uint32_t debt = header_.debts ? word >> 1 & 1 : 0;
  const uint32_t bits = debt << 16 | high << 8 | low;
  if (!cash::Cell::IsValid(bits)) return Refuse(absl::DataLossError("a cell has no value"));
  state = State{cash::Cell::FromBits(bits), (word & 1) != 0};
  if (state.cash.value().magnitude() > cash::kHoldingMax.magnitude())
    return Refuse(absl::DataLossError("a cell is out of bounds"));
  const uint64_t step = word >> (header_.debts ? 2 : 1);
  if (step >= kPageIdCount - next_) return Refuse(absl::DataLossError("an id is out of bounds"));
  id = next_ + step;
  next_ = id + 1;
  ++seen_.pages;
  seen_.done += state.done;
  seen_.cash += state.cash.value().units();
  return true;
}

absl::Status CheckpointReader::Finish() const {
  if (!status_.ok()) return status_;
  if (bytes_->left() > 0 || !block_.done())
    return absl::DataLossError("something follows its last page");
  if (seen_ != header_) return absl::DataLossError("the pages do not add up");
  return absl::OkStatus();
}

}  // namespace opic::page_table
