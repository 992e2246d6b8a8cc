#include "ledger/rows.h"

#include <bit>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/damaged_folder.h"
#include "base/encoding.h"

namespace opic::ledger {
namespace {

// Beside the kind of a history row.
constexpr uint8_t kDoubted = 0x80, kPlanned = 0x40;

}  // namespace

std::string_view Name(VisitKind kind) {
  switch (kind) {
    case VisitKind::kFetched:
      return "fetched";
    case VisitKind::kNotModified:
      return "not_modified";
    case VisitKind::kRedirect:
      return "redirect";
    case VisitKind::kGone:
      return "gone";
    case VisitKind::kForbidden:
      return "forbidden";
    case VisitKind::kFailed:
      return "failed";
    case VisitKind::kOutOfScope:
      return "out_of_scope";
  }
  return "unknown";
}

std::string KeyOf(PageId page) { return base::Big64(page.word()); }

absl::StatusOr<PageId> PageOfKey(std::string_view key) {
  base::Decoder in(key);
  const uint64_t word = in.Big64();
  if (!in.done() || !PageId::IsValidWord(word)) {
    return base::DamagedFolder(absl::StrCat(
        "a row has the key ", absl::BytesToHexString(std::string(key)), ", which names no page"));
  }
  return PageId::FromWord(word);
}

absl::Status DamagedPage(PageId page, std::string_view what) {
  return absl::DataLossError(absl::StrCat("the data folder is damaged: page ", page.shard().value,
                                          "/", page.id(), " ", std::string(what),
                                          "; `opic verify` says what else is"));
}
absl::Status LacksRow(PageId page) { return DamagedPage(page, "has no row in the store"); }
absl::Status LacksHistory(PageId page) {
  return DamagedPage(page, "was visited and has no history row");
}
absl::Status LacksCell(PageId page) { return DamagedPage(page, "is not in the page table"); }

std::string Encode(const PageRow& row) {
  std::string out;
  out.reserve(row.url.size() + 32);
  base::AppendVarint(out, row.depth);
  base::AppendVarint128(out, row.stamp);
  base::AppendFixed32(out, std::bit_cast<uint32_t>(row.prior));
  out.append(row.url);
  return out;
}

absl::StatusOr<PageRow> DecodePageRow(std::string_view bytes) {
  base::Decoder in(bytes);
  PageRow row;
  row.depth = static_cast<uint32_t>(in.Varint());
  row.stamp = in.Varint128();
  row.prior = std::bit_cast<float>(in.Fixed32());
  if (!in.ok() || in.rest().empty()) return absl::DataLossError("a page row is damaged");
  row.url = std::string(in.rest());
  return row;
}

std::string Encode(const HistoryRow& row, const importance::Window& window) {
  std::string out;
  out.reserve(96 + row.etag.size() + 7 * row.links.size());
  out.push_back(static_cast<char>(static_cast<uint8_t>(row.kind) | (row.doubted ? kDoubted : 0) |
                                  (row.plan.empty() ? 0 : kPlanned)));
  base::AppendVarint(out, row.http_status);
  base::AppendVarint(out, row.visits);
  base::AppendVarint(out, row.fetches);
  base::AppendVarint(out, static_cast<uint64_t>(row.fetched_at));
  base::AppendFixed64(out, row.content_hash);
  base::AppendBytes(out, row.etag);
  base::AppendBytes(out, row.last_modified);
  if (!row.plan.empty()) base::AppendBytes(out, row.plan);
  window.Encode(row.history, out);
  base::AppendVarint(out, row.links.size());
  uint64_t before = 0;
  for (PageId link : row.links) {
    base::AppendVarint(out, link.word() - before);
    before = link.word();
  }
  return out;
}

absl::StatusOr<HistoryRow> DecodeHistoryRow(std::string_view bytes,
                                            const importance::Window& window) {
  const auto damaged = [] { return absl::DataLossError("a history row is damaged"); };
  base::Decoder in(bytes);
  HistoryRow row;
  const uint8_t kind = in.Byte();
  row.kind = static_cast<VisitKind>(kind & ~(kDoubted | kPlanned));
  row.doubted = (kind & kDoubted) != 0;
  row.http_status = static_cast<uint16_t>(in.Varint());
  row.visits = static_cast<uint32_t>(in.Varint());
  row.fetches = static_cast<uint32_t>(in.Varint());
  row.fetched_at = static_cast<int64_t>(in.Varint());
  row.content_hash = in.Fixed64();
  row.etag = std::string(in.Bytes());
  row.last_modified = std::string(in.Bytes());
  if ((kind & kPlanned) != 0) {
    row.plan = std::string(in.Bytes());
    if (row.plan.empty() || row.plan.size() > kPlanBytesMax) return damaged();
  }
  if (!in.ok() || row.kind > VisitKind::kOutOfScope) return damaged();
  std::string_view rest = in.rest();
  std::optional<importance::History> history = window.Decode(rest);
  if (!history) return damaged();
  row.history = *std::move(history);
  base::Decoder links(rest);
  const uint64_t count = links.Varint();
  if (count > rest.size()) return damaged();  // a link takes a byte at least
  row.links.reserve(count);
  uint64_t word = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t step = links.Varint();
    if ((step == 0 && i > 0) || word + step < word) return damaged();  // ascending
    word += step;
    if (!PageId::IsValidWord(word)) return damaged();
    row.links.push_back(PageId::FromWord(word));
  }
  if (!links.done()) return damaged();
  return row;
}

absl::StatusOr<PageRow> ReadPageRow(PageId page, std::string_view bytes) {
  absl::StatusOr<PageRow> row = DecodePageRow(bytes);
  if (!row.ok()) return DamagedPage(page, "has a row that cannot be read");
  return row;
}

absl::StatusOr<HistoryRow> ReadHistoryRow(PageId page, std::string_view bytes,
                                          const importance::Window& window) {
  absl::StatusOr<HistoryRow> row = DecodeHistoryRow(bytes, window);
  if (!row.ok()) return DamagedPage(page, "has a history row that cannot be read");
  return row;
}

}  // namespace opic::ledger
