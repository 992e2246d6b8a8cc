#include "ledger/rows.h"

#include <bit>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/damaged_folder.h"
#include "base/encoding.h"
#include "ledger/page_name.h"
#include "store/value_tail.h"

namespace opic::ledger {
namespace {

// Beside the kind of a history row.
constexpr uint8_t kDoubted = 0x80, kPlanned = 0x40, kAccountLast = 0x20;

// Nothing may be left of `bytes`.
bool DecodeLinks(std::string_view bytes, std::vector<PageId>& links) {
  base::Decoder in(bytes);
  const uint64_t count = in.Varint();
  if (count > bytes.size()) return false;  // a link takes a byte at least
  links.reserve(count);
  uint64_t word = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t step = in.Varint();
    if ((step == 0 && i > 0) || word + step < word) return false;  // ascending
    word += step;
    if (!PageId::IsValidWord(word)) return false;
    links.push_back(PageId::FromWord(word));
  }
  return in.done();
}

bool DecodeHistory(std::string_view& bytes, const importance::Window& window, HistoryRow& row) {
  std::optional<importance::History> history = window.Decode(bytes);
  if (!history) return false;
  row.history = *std::move(history);
  return true;
}

// From the kind to the plan. `former`: the number of visits is among it.
bool DecodeReading(base::Decoder& in, bool former, HistoryRow& row) {
  const uint8_t flags = in.Byte();
  row.kind = static_cast<VisitKind>(flags & ~(kDoubted | kPlanned | kAccountLast));
  row.doubted = (flags & kDoubted) != 0;
  row.http_status = static_cast<uint16_t>(in.Varint());
  if (former) row.visits = static_cast<uint32_t>(in.Varint());
  row.fetches = static_cast<uint32_t>(in.Varint());
  row.fetched_at = static_cast<int64_t>(in.Varint());
  row.content_hash = in.Fixed64();
  row.etag = std::string(in.Bytes());
  row.last_modified = std::string(in.Bytes());
  if ((flags & kPlanned) != 0) {
    row.plan = std::string(in.Bytes());
    if (row.plan.empty() || row.plan.size() > kPlanBytesMax) return false;
  }
  return in.ok() && row.kind <= VisitKind::kOutOfScope;
}

bool DecodeRow(std::string_view bytes, const importance::Window& window, HistoryRow& row) {
  const std::optional<store::TailedValue> parts = store::SplitTail(bytes);
  if (!parts) return false;
  base::Decoder reading(parts->head), account(parts->tail);
  if (!DecodeReading(reading, /*former=*/false, row)) return false;
  row.visits = static_cast<uint32_t>(account.Varint());
  std::string_view history = account.rest();
  return account.ok() && DecodeHistory(history, window, row) && history.empty() &&
         DecodeLinks(reading.rest(), row.links);
}

// Before version 6: the account stands before the links, and its number of visits in front.
bool DecodeFormerRow(std::string_view bytes, const importance::Window& window, HistoryRow& row) {
  base::Decoder reading(bytes);
  if (!DecodeReading(reading, /*former=*/true, row)) return false;
  std::string_view rest = reading.rest();
  return DecodeHistory(rest, window, row) && DecodeLinks(rest, row.links);
}

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
  out.reserve(row.url.size() + row.referrer.size() + 32);
  base::AppendVarint(out, row.depth);
  base::AppendVarint128(out, row.stamp);
  base::AppendFixed32(out, std::bit_cast<uint32_t>(row.prior));
  out.append(JoinedName(row.url, row.referrer));
  return out;
}

absl::StatusOr<PageRow> DecodePageRow(std::string_view bytes) {
  base::Decoder in(bytes);
  PageRow row;
  row.depth = static_cast<uint32_t>(in.Varint());
  row.stamp = in.Varint128();
  row.prior = std::bit_cast<float>(in.Fixed32());
  if (!in.ok() || !SplitName(in.rest(), row.url, row.referrer))
    return absl::DataLossError("a page row is damaged");
  return row;
}

std::string WithoutReferrer(const std::string& bytes) {
  PageRow row = DecodePageRow(bytes).value();
  if (row.referrer.empty()) return bytes;
  row.referrer.clear();
  return Encode(row);
}

std::string EncodeAccount(const HistoryRow& row, const importance::Window& window) {
  std::string out;
  base::AppendVarint(out, row.visits);
  window.Encode(row.history, out);
  return out;
}

std::string Encode(const HistoryRow& row, const importance::Window& window) {
  std::string out;
  out.reserve(96 + row.etag.size() + row.plan.size() + 9 * row.links.size());
  out.push_back(static_cast<char>(static_cast<uint8_t>(row.kind) | kAccountLast |
                                  (row.doubted ? kDoubted : 0) |
                                  (row.plan.empty() ? 0 : kPlanned)));
  base::AppendVarint(out, row.http_status);
  base::AppendVarint(out, row.fetches);
  base::AppendVarint(out, static_cast<uint64_t>(row.fetched_at));
  base::AppendFixed64(out, row.content_hash);
  base::AppendBytes(out, row.etag);
  base::AppendBytes(out, row.last_modified);
  if (!row.plan.empty()) base::AppendBytes(out, row.plan);
  base::AppendVarint(out, row.links.size());
  uint64_t before = 0;
  for (PageId link : row.links) {
    base::AppendVarint(out, link.word() - before);
    before = link.word();
  }
  store::AppendTail(out, EncodeAccount(row, window));
  return out;
}

bool HasAccountAtItsEnd(std::string_view bytes) {
  return !bytes.empty() && (static_cast<uint8_t>(bytes[0]) & kAccountLast) != 0;
}

absl::StatusOr<HistoryRow> DecodeHistoryRow(std::string_view bytes,
                                            const importance::Window& window) {
  HistoryRow row;
  const bool sound = HasAccountAtItsEnd(bytes) ? DecodeRow(bytes, window, row)
                                               : DecodeFormerRow(bytes, window, row);
  if (!sound) return absl::DataLossError("a history row is damaged");
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
