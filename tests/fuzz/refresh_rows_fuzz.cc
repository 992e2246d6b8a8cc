// opic-modules: refresh base
// The input as what is kept for refresh: the statistics of a page's changes, its plan, what was
// published, a chunk of the calendar (as it is, and with the checksum that it would need).
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/encoding.h"
#include "refresh/calendar.h"
#include "refresh/change_rate.h"
#include "refresh/page_plan.h"
#include "refresh/publication_book.h"
#include "tests/refresh/memory_calendar_store.h"

namespace opic::refresh {
namespace {

void CheckHistory(std::string_view bytes) {
  std::string_view rest = bytes;
  const auto history = ChangeHistory::Decode(rest);
  if (!history) return;
  std::string again;
  history->Encode(again);
  OPIC_CHECK(again == bytes.substr(0, bytes.size() - rest.size()));
  OPIC_CHECK(again.size() <= ChangeHistory::kEncodedBytesMax);
  const RatePosterior posterior = PosteriorRate(*history, UnknownRate());
  for (const RateEstimate rate : {EstimatedRate(*history), posterior.rate}) {
    OPIC_CHECK(rate.mean >= 0 && rate.mean <= kChangeRateMax);
  }
  for (const float weight : posterior.distribution.weights) {
    OPIC_CHECK(weight >= 0 && weight <= 1.001F);
  }
}

void CheckPlan(std::string_view bytes) {
  const auto plan = PagePlan::Decode(bytes);
  if (!plan) return;
  const std::string again = plan->Encode();
  OPIC_CHECK(again.size() <= PagePlan::kEncodedBytesMax);
  OPIC_CHECK(PagePlan::Decode(again) == *plan);
}

void CheckPublications(std::string_view bytes) {
  auto book = PublicationBook::Decode(bytes);
  if (!book.ok()) return;
  OPIC_CHECK(book->size() <= PublicationBook::kMax);
  OPIC_CHECK(PublicationBook::Decode(book->Encode())->list() == book->list());
  for (const Publication& each : book->list()) {
    OPIC_CHECK(CheckPublication(each).ok());
    book->RuleFor(each.of, each.of);
  }
  book->BringBack(1);
  book->RemoveExpired(1);
  OPIC_CHECK(PublicationBook::Decode(book->Encode()).ok());
}

void CheckChunk(std::string bytes) {
  MemoryCalendarStore store;
  store.chunks[{0, 0, 1}] = std::move(bytes);
  Calendar calendar = Calendar::Open(store, absl::FromUnixSeconds(0)).value();
  for (;;) {
    const auto entry = calendar.Take(absl::InfiniteFuture());
    if (!entry.ok() || !*entry) return;
    OPIC_CHECK(PageId::IsValidWord((*entry)->page.word()));
    calendar.Finish(**entry);
  }
}

}  // namespace
}  // namespace opic::refresh

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opic::refresh;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  CheckHistory(input);
  CheckPlan(input);
  CheckPublications(input);
  CheckChunk(std::string(input));
  std::string with_checksum(input);
  opic::base::AppendFixed64(with_checksum, opic::base::Hash64(input));
  CheckChunk(std::move(with_checksum));
  return 0;
}
