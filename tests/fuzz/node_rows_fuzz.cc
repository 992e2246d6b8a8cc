// opic-modules: node schedule robots store url fetch ledger cluster base
// The input as what a node's folder remembers of its crawl, and as robots.txt verdicts: those that
// are stored, and those that come with a host from another node. And as the cookies of a host, a
// rule for one, an exported page, what a page says, what interest has learnt.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/encoding.h"
#include "desk/robots_cache.h"
#include "fetch/cookie_jar.h"
#include "node/crawl_memory.h"
#include "node/host_rule_book.h"
#include "node/interest_memory.h"
#include "node/near_pages.h"
#include "node/page_record.h"
#include "store/store.h"
#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

constexpr char kHost[] = "h.example";

void CheckMemory(std::string_view bytes) {
  const auto memory = CrawlMemory::Decode(bytes);
  if (!memory.ok()) return;
  OPIC_CHECK(memory->seeds.size() + memory->scope.include.size() <= bytes.size());
  const std::string once = memory->Encode();
  const auto again = CrawlMemory::Decode(once);
  OPIC_CHECK(again.ok() && again->Encode() == once);
  OPIC_CHECK(again->SameScope(*memory));
}

// As what was learnt, and as a row of it with the checksum it should have.
void CheckInterest(std::string_view bytes) {
  const auto interest = schedule::Interest::Decode(bytes);
  if (interest.ok()) {
    const std::string once = interest->Encode();
    OPIC_CHECK(once.size() <= schedule::Interest::kEncodedBytesMax);
    const auto again = schedule::Interest::Decode(once);
    OPIC_CHECK(again.ok() && again->Encode() == once);
    const double factor = interest->FactorOf({.keys = {1, 2, 3, 4}, .expected = 0.5}, 100);
    OPIC_CHECK(factor >= 1 && factor <= 100);
  }
  std::string row(bytes);
  base::AppendFixed64(row, base::Hash64(row));
  const refresh::Factors wanted = {0, 1, 0, 0, 0, 0};
  for (const std::string_view each : {bytes, std::string_view(row)}) {
    const auto read = InterestFromRow(each, wanted);
    if (read.ok() && *read)
      OPIC_CHECK(InterestFromRow(InterestRow(**read, wanted), wanted).value().has_value());
  }
}

// What another node says of a host's robots.txt is taken over only where it can be read afterwards.
void CheckVerdicts(std::string_view rows) {
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  desk::RobotsCache cache(desk::RobotsCache::Options(), *store);
  OPIC_CHECK(cache.Absorb(kHost, rows, now).ok());
  const auto stored = store->Scan(store::Table::kRobots, "");
  for (; stored->Valid(); stored->Next()) {
    OPIC_CHECK(desk::RobotsCache::CanRead(stored->value())) << stored->key();
    const std::optional<url::Url> page = url::Parse(std::string(stored->key()) + "/a?b");
    OPIC_CHECK(page.has_value() && page->host() == kHost) << stored->key();
    OPIC_CHECK(cache.Lookup(*page, now).ok()) << stored->key();
  }
  OPIC_CHECK(cache.RowsOf(kHost, now).ok());
}

// One row of one origin, as it is stored.
void CheckRow(std::string_view row) {
  std::string rows;
  base::AppendBytes(rows, std::string("http://") + kHost);
  base::AppendBytes(rows, row);
  CheckVerdicts(rows);
}

// As the cookies of a host: what can be read is bounded, and the same when it is read again.
void CheckCookies(std::string_view row) {
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  fetch::CookieJar jar(1 << 20);
  jar.Restore({{kHost, std::string(row)}}, now);
  const std::vector<std::string> cookies = jar.Of(kHost, now);
  OPIC_CHECK(cookies.size() <= fetch::kCookiesOfHostMax);
  OPIC_CHECK(cookies.empty() || fetch::CookieJar::CanRead(row));
  OPIC_CHECK(!jar.Keep(kHost, cookies, now)) << "the same again is no change";
  if (cookies.empty()) return;
  fetch::CookieJar again(1 << 20);
  OPIC_CHECK(again.Keep(kHost, cookies, now));
  for (const fetch::CookieJar::Row& each : again.TakeChanged())
    OPIC_CHECK(fetch::CookieJar::CanRead(each.value));
}

// What the book keeps of a rule another node takes up as well.
void CheckRule(const std::string& key, std::string_view row) {
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  store::Batch batch;
  batch.Put(store::Table::kMeta, key, std::string(row));
  OPIC_CHECK(store->Write(batch, store::Sync::kNo).ok());
  const auto book = HostRuleBook::Open(*store);
  if (!book.ok()) return;
  OPIC_CHECK((*book)->kept().size() == 1);
  const KeptRule kept = (*book)->kept()[0];
  if (kept.since > now) return;
  const std::unique_ptr<store::Store> other = NewMemoryStore();
  OPIC_CHECK((*HostRuleBook::Open(*other))->Adopt({kept}, now).ok());
}

void CheckRecord(std::string_view bytes) {
  const auto record = DecodePageRecord(bytes);
  if (record.ok()) OPIC_CHECK(DecodePageRecord(Encode(*record)).ok());
}

// As what a page says, and as the row that keeps it; what can be read is near itself.
void CheckNearText(std::string_view bytes) {
  const auto text = desk::DecodeNearText(bytes);
  if (text) {
    OPIC_CHECK(desk::AreSimilar(*text, *text));
    OPIC_CHECK(desk::DecodeNearText(desk::Encode(*text)) == text);
  }
  const PageId page;
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  store::Batch batch;
  batch.Put(store::Table::kMeta, "text/" + ledger::KeyOf(page), std::string(bytes));
  OPIC_CHECK(store->Write(batch, store::Sync::kNo).ok());
  OPIC_CHECK(AlikeFirstPage(page, 1, *store).ok());
}

}  // namespace
}  // namespace opic::node

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opic::node;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  CheckMemory(input);
  CheckVerdicts(input);
  CheckCookies(input);
  CheckRule("host_rule.host.h.example", input);
  CheckRule("host_rule.domain.example.org", input);
  CheckRecord(input);
  CheckNearText(input);
  CheckInterest(input);
  // Behind the expiry and the mark is what a checksum guards.
  std::string row(input);
  if (size >= 6) opic::base::AppendFixed64(row, opic::base::Hash64(input.substr(6)));
  CheckRow(input);
  CheckRow(row);
  return 0;
}
