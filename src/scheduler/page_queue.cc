#include "scheduler/page_queue.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::scheduler {
namespace {

constexpr size_t kHostInMemoryMax = 4096;
constexpr size_t kHostDelayedMax = 1024;
constexpr size_t kUnwrittenBytesMax = 1 << 20;
constexpr uint8_t kFavoured = 1, kRefresh = 2;  // in the spill

// Keys sort by host, then as Before() does.
std::string SpillKey(uint64_t number, const QueuedPage& page) {
  std::string key;
  base::AppendBig64(key, number);
  base::AppendBig64(key, ~page.cash);
  base::AppendBig64(key, page.arrival);
  return key;
}

std::string SpillValue(const QueuedPage& page) {
  std::string value;
  base::AppendFixed64(value, page.page.word());
  base::AppendVarint(value, page.attempts);
  const int marks = (page.favoured ? kFavoured : 0) | (page.refresh ? kRefresh : 0);
  if (marks != 0) value.push_back(static_cast<char>(marks));
  if (page.refresh) {
    value.push_back(static_cast<char>(page.period));
    value.push_back(static_cast<char>(page.stretch));
  }
  return value;
}

// The caller names the host.
absl::Status Damaged(const PageLane& lane, std::string_view what) {
  return absl::DataLossError(absl::StrCat("of its ", lane.spilled, " queued pages on disk, ",
                                          std::string(what),
                                          "; restart the scheduler: it queues all pages anew"));
}

std::optional<QueuedPage> Decode(std::string_view key, std::string_view value) {
  QueuedPage page;
  base::Decoder key_bytes(key), value_bytes(value);
  key_bytes.Big64();
  page.cash = ~key_bytes.Big64();
  page.arrival = key_bytes.Big64();
  const uint64_t word = value_bytes.Fixed64();
  page.attempts = value_bytes.Varint();
  if (value_bytes.ok() && !value_bytes.done()) {
    const uint8_t marks = value_bytes.Byte();
    page.favoured = (marks & kFavoured) != 0;
    page.refresh = (marks & kRefresh) != 0;
  }
  if (page.refresh) {
    page.period = value_bytes.Byte();
    page.stretch = value_bytes.Byte();
  }
  if (!key_bytes.done() || !value_bytes.done() || !PageId::IsValidWord(word)) return std::nullopt;
  page.page = PageId::FromWord(word);
  return page;
}

// A host may not fill the memory alone: its pages come out one by one anyway.
size_t HostShare(size_t in_memory_max) {
  return std::clamp<size_t>(in_memory_max / 16, 2, kHostInMemoryMax);
}

}  // namespace

PageQueue::PageQueue(store::Store& store, size_t in_memory_max)
    : store_(store),
      in_memory_max_(std::max<size_t>(in_memory_max, 1)),
      host_in_memory_max_(HostShare(in_memory_max)),
      delayed_max_(std::max<size_t>(in_memory_max / 16, 1)) {}

void PageQueue::Add(HostQueue& queue, PageId page, cash::Amount cash, bool favoured,
                    std::optional<DueSince> due) {
  QueuedPage entry{.page = page, .favoured = favoured, .refresh = due.has_value()};
  entry.cash =
      std::min(static_cast<uint64_t>(cash.units()), kFront - kPutOffMax - 2) + kPutOffMax + 1;
  entry.arrival = next_arrival_++;
  if (due) queue.order.Place(due->plan, cash, entry);
  CountIn(queue, entry, due ? due->turn : absl::InfinitePast());
  Place(queue, entry);
}

void PageQueue::CountIn(HostQueue& queue, const QueuedPage& page, absl::Time due) {
  queue.favoured += page.favoured;
  if (page.refresh) queue.refreshes.Add(due);
  if (queue.empty()) ++hosts_;
  if (!queue.withheld) return;
  if (queue.empty()) ++hosts_withheld_;
  ++withheld_;
}

void PageQueue::CountOut(HostQueue& queue, const QueuedPage& page) {
  queue.favoured -= page.favoured;
  if (page.refresh) queue.refreshes.TakeFirst();
  if (queue.empty()) --hosts_;
  if (!queue.withheld) return;
  if (queue.empty()) --hosts_withheld_;
  --withheld_;
}

void PageQueue::Withhold(HostQueue& queue, bool withheld) {
  if (queue.withheld == withheld) return;
  queue.withheld = withheld;
  if (queue.empty()) return;
  hosts_withheld_ = withheld ? hosts_withheld_ + 1 : hosts_withheld_ - 1;
  withheld_ = withheld ? withheld_ + queue.size() : withheld_ - queue.size();
}

void PageQueue::Place(HostQueue& queue, const QueuedPage& page) {
  PageLane& lane = queue.LaneOf(page);
  if (lane.spilled > 0 && page.cash <= lane.spill_cash) {
    Spill(lane, page);
  } else {
    Insert(lane, page);
    if (in_memory_ > in_memory_max_ || queue.in_memory() > host_in_memory_max_) {
      SpillLaterHalf(queue);
    }
  }
  // A failure is met again, and returned, by the next Flush.
  if (unwritten_.bytes() > kUnwrittenBytesMax) Flush().IgnoreError();
}

void PageQueue::AddInFront(HostQueue& queue, QueuedPage page) {
  page.cash = kFront;
  CountIn(queue, page);
  Insert(queue.LaneOf(page), page);
}

void PageQueue::Delay(HostQueue& queue, QueuedPage page, absl::Time not_before) {
  if (delayed_ >= delayed_max_ || queue.delayed() >= kHostDelayedMax) {
    page.cash = kPutOffMax - page.attempts;
    queue.put_off_until = std::max(queue.put_off_until, not_before);
    CountIn(queue, page);
    Place(queue, page);
    ++queue.put_off;
    ++put_off_;
    return;
  }
  CountIn(queue, page);
  queue.Delay(page, not_before);
  ++delayed_;
}

absl::StatusOr<QueuedPage> PageQueue::Take(HostQueue& queue, Choice choice, absl::Time now) {
  QueuedPage page;
  const bool waited =
      queue.only_waiting()
          ? queue.DelayedComesFirst() && !(choice == Choice::kProbe && queue.PutOffIsDue(now))
          : choice == Choice::kDueFirst && queue.HasDue(now);
  if (waited) {
    page = queue.PopDelayed();
    --delayed_;
  } else {
    // What a lane has in the spill may rank below what is known of it.
    while (queue.NextLane().in_memory() == 0) RETURN_IF_ERROR(Refill(queue.NextLane()));
    PageLane& lane = queue.NextLane();
    page = choice == Choice::kProbe ? lane.PopLate() : lane.Pop();
    queue.Took(page, refresh_share_, now);
    --in_memory_;
    if (page.cash <= kPutOffMax) {
      --put_off_;
      if (--queue.put_off == 0) queue.put_off_until = absl::InfinitePast();
    }
  }
  CountOut(queue, page);
  return page;
}

void PageQueue::Drop(HostQueue& queue) {
  if (queue.empty()) return;
  for (const PageLane* lane : {&queue.discoveries, &queue.rereadings}) {
    if (lane->spilled == 0) continue;
    const std::string prefix = base::Big64(lane->spill_number);
    unwritten_.DeleteRange(store::Table::kSpill, prefix, prefix + std::string(17, '\xff'));
    on_disk_ -= lane->spilled;
  }
  in_memory_ -= queue.in_memory();
  delayed_ -= queue.delayed();
  put_off_ -= queue.put_off;
  --hosts_;
  if (queue.withheld) {
    withheld_ -= queue.size();
    --hosts_withheld_;
  }
  queue.Clear();
}

void PageQueue::Clear() {
  unwritten_.Clear();
  unwritten_.DeleteRange(store::Table::kSpill, "", std::string(25, '\xff'));
  in_memory_ = delayed_ = put_off_ = on_disk_ = hosts_ = withheld_ = hosts_withheld_ = 0;
  next_arrival_ = 1;
}

absl::Status PageQueue::Flush() {
  if (unwritten_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(
      base::WithContext(store_.Write(unwritten_, store::Sync::kNo), "spilling queued pages"));
  unwritten_.Clear();
  return absl::OkStatus();
}

void PageQueue::Insert(PageLane& lane, const QueuedPage& page) {
  lane.Push(page);
  ++in_memory_;
}

void PageQueue::Spill(PageLane& lane, const QueuedPage& page) {
  // Numbers are never used twice, so that leftovers of a session are nobody's.
  if (lane.spill_number == 0) lane.spill_number = next_spill_number_++;
  if (lane.spilled == 0) lane.spill_cash = 0;
  lane.spill_cash = std::max(lane.spill_cash, page.cash);
  unwritten_.Put(store::Table::kSpill, SpillKey(lane.spill_number, page), SpillValue(page));
  ++lane.spilled;
  ++on_disk_;
}

void PageQueue::SpillLaterHalf(HostQueue& queue) {
  PageLane& lane = queue.rereadings.in_memory() > queue.discoveries.in_memory() ? queue.rereadings
                                                                                : queue.discoveries;
  for (const QueuedPage& page : lane.TakeLaterHalf()) {
    --in_memory_;
    Spill(lane, page);
  }
}

absl::Status PageQueue::Refill(PageLane& lane) {
  RETURN_IF_ERROR(Flush());
  // At least one, which is taken at once.
  const size_t room = in_memory_max_ > in_memory_ ? in_memory_max_ - in_memory_ : 0;
  const uint64_t want =
      std::min<uint64_t>({std::max<size_t>(room, 1), host_in_memory_max_ / 2, lane.spilled});
  const std::string prefix = base::Big64(lane.spill_number);
  std::vector<QueuedPage> pages;
  std::string first, last;
  std::unique_ptr<store::Cursor> cursor = store_.Scan(store::Table::kSpill, prefix);
  for (; cursor->Valid() && pages.size() < want; cursor->Next()) {
    if (!cursor->key().starts_with(prefix)) break;
    const std::optional<QueuedPage> page = Decode(cursor->key(), cursor->value());
    if (!page) return Damaged(lane, absl::StrCat("page ", pages.size() + 1, " cannot be read"));
    if (pages.empty()) first = cursor->key();
    last = cursor->key();
    pages.push_back(*page);
  }
  RETURN_IF_ERROR(cursor->status());
  cursor.reset();
  if (pages.size() < want) return Damaged(lane, absl::StrCat("only ", pages.size(), " are there"));
  store::Batch taken;
  taken.DeleteRange(store::Table::kSpill, first, last + '\0');
  RETURN_IF_ERROR(store_.Write(taken, store::Sync::kNo));
  lane.spilled -= pages.size();
  on_disk_ -= pages.size();
  lane.spill_cash = pages.back().cash;
  for (const QueuedPage& page : pages) Insert(lane, page);
  return absl::OkStatus();
}

}  // namespace opic::scheduler
