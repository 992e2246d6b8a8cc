// opic-modules: ledger importance page_table cash base
// The input as a record of the journal; and with the checksum it should have, so that what is
// behind it is reached.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/encoding.h"
#include "ledger/journal.h"

namespace opic::ledger {
namespace {

// Nothing is larger than the bytes it came from, and what was read is the same when it is written
// and read again.
void Check(std::string_view bytes) {
  const auto record = DecodeJournalRecord(bytes);
  if (!record.ok()) return;
  OPIC_CHECK(record->visits.size() <= bytes.size() && record->credits.size() <= bytes.size());
  OPIC_CHECK(record->arrivals.size() <= bytes.size());
  for (size_t i = 1; i < record->credits.size(); ++i) {
    OPIC_CHECK(record->credits[i - 1].page < record->credits[i].page);
  }
  for (size_t i = 1; i < record->arrivals.size(); ++i) {
    OPIC_CHECK(record->arrivals[i - 1].page < record->arrivals[i].page);
  }
  const std::string once = Encode(*record);
  const auto again = DecodeJournalRecord(once);
  OPIC_CHECK(again.ok() && Encode(*again) == once);
}

}  // namespace
}  // namespace opic::ledger

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  opic::ledger::Check(input);
  std::string summed(input);
  opic::base::AppendFixed64(summed, opic::base::Hash64(summed));
  opic::ledger::Check(summed);
  return 0;
}
