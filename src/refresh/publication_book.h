// All publications of a node, and which of them hold for a page.
//
// Finding them costs a few searches in sorted texts, whatever their number: one for the URL, one
// among the prefixes, one for each label of the host.
//
// Thread safety: confined to the owner thread. Time comes in as an argument, in Unix seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "refresh/publication.h"

namespace opic::refresh {

// A host with a final dot is the same one; publications of hosts are kept without.
std::string_view WithoutFinalDots(std::string_view host);

// Of two books those of either, by id. Each node notes by its own clock when it was given one: what
// all clocks say of the order stays when each counts from the first time. Of two with one id that
// do not ask the same, the one given last. What was withdrawn leaves no trace: it is there again
// when another book has it.
std::vector<Publication> UnionOf(const std::vector<Publication>& some,
                                 const std::vector<Publication>& more);

class PublicationBook {
 public:
  static constexpr size_t kMax = 4096;          // publications
  static constexpr size_t kBytesMax = 1 << 20;  // of Encode

  // True: it is new; false: it is there already. InvalidArgument: CheckPublication; AlreadyExists:
  // another one has this id; FailedPrecondition: the book is full.
  absl::StatusOr<bool> Add(const Publication& publication);
  // Takes up what other books have (UnionOf): all of them, or none after an error as of Add. Gives
  // those that are changed, as they were and as they are.
  absl::StatusOr<std::vector<Publication>> Adopt(const std::vector<Publication>& told);
  // Nothing: there is none.
  std::optional<Publication> Remove(uint64_t id);
  // Removes those whose time is over, and returns them.
  std::vector<Publication> RemoveExpired(int64_t now);
  // A `given` that is ahead of `now` (the clock was ahead then) becomes `now`; publications of one
  // target keep their order. Returns those that were changed.
  std::vector<Publication> BringBack(int64_t now);
  // When the one given last was, of all and of this one's target; 0: there is none.
  int64_t last_given() const;
  int64_t LastGivenFor(const Publication& publication) const;
  // When the next one ends; 0: none does by itself.
  int64_t next_expiry() const;

  std::vector<Publication> list() const;  // by id
  bool empty() const { return all_.empty(); }
  size_t size() const { return all_.size(); }
  // There is one of a prefix, host or domain.
  bool has_ranges() const { return ranges_ > 0; }
  const std::map<uint64_t, Publication>& all() const { return all_; }  // by id
  // Tells apart what raises pages: a number of the boosts above 1, of their targets and of what
  // hides them; 0: there is none.
  uint64_t raising() const { return raising_; }
  const Publication* Find(uint64_t id) const;

  // `url` is normalised, `host` its host.
  Rule RuleFor(std::string_view url, std::string_view host) const;

  // At most kBytesMax bytes (docs/formats/publications.md).
  std::string Encode() const;
  // DataLoss: what Encode does not write.
  static absl::StatusOr<PublicationBook> Decode(std::string_view bytes);

 private:
  // What one target has: the treatment and the errand given last; 0: none.
  struct Entry {
    uint64_t treatment = 0, errand = 0;
  };
  struct Prefix {
    std::string text;
    Entry entry;
    int shorter = -1;  // the longest other one that it begins with
  };
  // What fits a page, looked for from the most specific target on.
  struct Match {
    const Publication* treatment = nullptr;
    const Publication* errand = nullptr;
    int treatment_rank = 0, errand_rank = 0;  // of their targets; 0: the most specific one
    int rank = 0;
  };
  void Index();
  void SumRaising();
  void Note(Entry& entry, const Publication& publication) const;
  void Take(const Entry& entry, Match& match) const;
  void TakePrefixes(std::string_view url, Match& match) const;
  void TakeHosts(std::string_view host, Match& match) const;

  std::map<uint64_t, Publication> all_;
  size_t ranges_ = 0, bytes_ = 0;
  uint64_t raising_ = 0;
  std::map<std::string, Entry, std::less<>> urls_, hosts_, domains_;
  std::vector<Prefix> prefixes_;  // sorted
};

}  // namespace opic::refresh
