#include "ledger/trim_note.h"

#include "base/damaged_folder.h"
#include "base/encoding.h"

namespace opic::ledger {

std::string Encode(const TrimNote& note) {
  std::string out;
  base::AppendVarint(out, note.journal_begin);
  base::AppendVarint(out, note.positions.size());
  for (const auto& [shard, position] : note.positions) {
    base::AppendVarint(out, shard.value);
    base::AppendVarint(out, position);
  }
  base::AppendFixed64(out, base::Hash64(out));
  return out;
}

absl::StatusOr<TrimNote> DecodeTrimNote(std::string_view bytes, uint32_t shards) {
  base::Decoder in(bytes);
  TrimNote note;
  note.journal_begin = in.Varint();
  const uint64_t count = in.Varint();
  for (uint64_t i = 0; i < count && in.ok(); ++i) {
    const uint64_t shard = in.Varint();
    if (shard < shards) {
      note.positions.emplace_back(ShardAt(shard), in.Varint());
    } else {
      in.Fail();
    }
  }
  const std::string_view summed = bytes.substr(0, bytes.size() - in.rest().size());
  if (in.Fixed64() != base::Hash64(summed) || !in.done() || note.journal_begin == 0) {
    return base::DamagedFolder("its note of the trimmed journal cannot be read");
  }
  return note;
}

}  // namespace opic::ledger
