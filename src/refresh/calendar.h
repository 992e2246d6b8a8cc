// Which page is due next, among any number of pages: memory is bounded, and an order costs the same
// for 10^5 pages and for 10^7.
//
// Pages lie in buckets of time (the folders of thesis 3.6). Those near now are narrow, those far
// away wide: a bucket of level l is 64^l narrow ones wide. When time reaches a wide bucket, it is
// unpacked into narrower ones, so an entry is written anew a few times at most. Some entries of a
// bucket are in memory; when memory is full the fullest bucket's become a chunk in the store.
//
// A page may have several entries. Its row says when it is due, and only an entry of that very time
// counts: whoever changes a page's due time adds an entry and leaves the old one alone. Whoever
// takes an entry compares it with the row, and drops it when the row says something else or is gone
// (the page was forgotten, or moved to another node with its shard). So the calendar never has to
// find a page, and can be made again from the rows: an empty store, and Add for each row.
//
// After a crash the store has every entry that was added before the last Save() and was not
// finished: taken entries stay until Finish(). Some may be there twice; the row tells. What was
// added since the last Save() is the caller's to add again.
//
// Due times are whole seconds; fractions are cut off (DueSecond).
//
// Thread safety: confined to the owner thread. Time comes in as an argument.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/ids.h"
#include "refresh/calendar_store.h"

namespace opic::refresh {

// A due time as the calendar keeps it, in Unix seconds; from year 1 to year 9999.
int64_t DueSecond(absl::Time due);

struct CalendarEntry {
  int64_t due = 0;  // Unix seconds
  PageId page;
  friend auto operator<=>(const CalendarEntry&, const CalendarEntry&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const CalendarEntry& entry) {
    return H::combine(std::move(h), entry.due, entry.page);
  }
};

struct CalendarOptions {
  int64_t bucket_seconds = 60;     // width of the narrowest buckets, 1 to 10^6
  size_t buffered_max = 1u << 16;  // entries in memory that are not ready yet; 16 bytes each
  size_t chunk_max = 4096;         // entries of a chunk, and about as many are ready; 1 to 2^20
};

class Calendar {
 public:
  // `store` must outlive the calendar. An error of the store; after one, of any method, the
  // calendar is to be opened anew.
  static absl::StatusOr<Calendar> Open(CalendarStore& store, absl::Time now,
                                       const CalendarOptions& options = {});

  // `page` is due at `due`; never, if that is InfiniteFuture. May write a chunk.
  absl::Status Add(PageId page, absl::Time due);

  // Takes an entry that is due at `now`: in order of time, but for pages that are due already when
  // they are added or more than there is room for. Nothing: none is due; or a wide bucket is still
  // being unpacked (busy()), a few chunks at each call. DataLoss: a chunk is damaged, and the
  // calendar must be made anew from the rows.
  absl::StatusOr<std::optional<CalendarEntry>> Take(absl::Time now);
  bool busy() const;  // there is a bucket to unpack

  // A taken entry is needed no more: it was old, or its page has its next one.
  void Finish(const CalendarEntry& entry) { taken_.erase(entry); }

  // Writes everything that is only in memory, in one write of the store.
  absl::Status Save();

  // Entries in memory: waiting, ready, taken.
  size_t in_memory() const { return buffered_ + ready_.size() + taken_.size(); }
  size_t chunks() const { return chunks_; }

 private:
  struct BucketKey {
    int64_t start;
    int level;
    friend auto operator<=>(const BucketKey&, const BucketKey&) = default;
  };
  struct Bucket {
    std::vector<CalendarEntry> buffer;
    std::vector<uint64_t> chunks;  // numbers
  };

  Calendar(CalendarStore& store, const CalendarOptions& options)
      : store_(&store), options_(options) {}
  BucketKey BucketOf(int64_t due) const;
  absl::Status Put(const CalendarEntry& entry, size_t ready_max);
  absl::Status SpillFullest();
  Chunk MakeChunk(const BucketKey& key, std::vector<CalendarEntry> entries);
  absl::Status UnpackSome();

  CalendarStore* store_;
  CalendarOptions options_;
  int64_t position_ = 0;  // the narrow bucket that time has reached, in bucket_seconds
  std::map<BucketKey, Bucket> buckets_;
  size_t buffered_ = 0, chunks_ = 0;
  uint64_t next_number_ = 1;
  std::priority_queue<CalendarEntry, std::vector<CalendarEntry>, std::greater<>> ready_;
  absl::flat_hash_set<CalendarEntry> taken_;
  std::vector<ChunkKey> consumed_;  // read since the last Save, and what that wrote of ready_
};

}  // namespace opic::refresh
