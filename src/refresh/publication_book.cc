#include "refresh/publication_book.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::refresh {
namespace {

constexpr uint8_t kVersion = 1;

void Append(std::string& out, const Publication& publication) {
  base::AppendVarint(out, publication.id);
  out.push_back(static_cast<char>(publication.treatment));
  out.push_back(static_cast<char>(publication.target));
  base::AppendFixed64(out, std::bit_cast<uint64_t>(publication.amount));
  base::AppendVarint(out, static_cast<uint64_t>(publication.given));
  base::AppendVarint(out, static_cast<uint64_t>(publication.until));
  base::AppendBytes(out, publication.of);
  base::AppendBytes(out, publication.by);
  base::AppendBytes(out, publication.note);
}

Publication Read(base::Decoder& in) {
  Publication publication;
  publication.id = in.Varint();
  const uint8_t treatment = in.Byte(), target = in.Byte();
  if (treatment >= kTreatments || target >= kTargets) return in.Fail(), publication;
  publication.treatment = static_cast<Treatment>(treatment);
  publication.target = static_cast<Target>(target);
  publication.amount = std::bit_cast<double>(in.Fixed64());
  publication.given = static_cast<int64_t>(in.Varint());
  publication.until = static_cast<int64_t>(in.Varint());
  publication.of = in.Bytes();
  publication.by = in.Bytes();
  publication.note = in.Bytes();
  return publication;
}

size_t BytesOf(const Publication& publication) {
  std::string out;
  Append(out, publication);
  return out.size();
}

// Of one id.
const Publication& BothOf(const Publication& one, const Publication& other) {
  const bool first = one.AsksTheSame(other) ? one.given <= other.given : one.given >= other.given;
  return first ? one : other;
}

absl::Status TooMany(size_t publications) {
  return absl::FailedPreconditionError(absl::StrCat(
      "there would be ", publications, " publications, above the limit (4,096, or 1 MiB in all): ",
      "withdraw some, or publish for prefixes and hosts instead of URLs"));
}

}  // namespace

std::vector<Publication> UnionOf(const std::vector<Publication>& some,
                                 const std::vector<Publication>& more) {
  std::map<uint64_t, Publication> all;
  for (const std::vector<Publication>* list : {&some, &more}) {
    for (const Publication& publication : *list) {
      const auto [known, added] = all.try_emplace(publication.id, publication);
      if (!added) known->second = BothOf(known->second, publication);
    }
  }
  std::vector<Publication> list;
  for (auto& [id, publication] : all) list.push_back(std::move(publication));
  return list;
}

std::string_view WithoutFinalDots(std::string_view host) {
  while (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

absl::StatusOr<bool> PublicationBook::Add(const Publication& publication) {
  RETURN_IF_ERROR(CheckPublication(publication));
  if (const Publication* const there = Find(publication.id)) {
    if (there->AsksTheSame(publication)) return false;
    return absl::AlreadyExistsError(
        absl::StrCat("another publication has the id ", IdText(publication.id),
                     ": repeat the command that made it word by word, or leave out --id"));
  }
  const size_t bytes = BytesOf(publication);
  if (all_.size() >= kMax || bytes_ + bytes > kBytesMax - 16) return TooMany(all_.size() + 1);
  all_[publication.id] = publication;
  bytes_ += bytes;
  Index();
  return true;
}

absl::StatusOr<std::vector<Publication>> PublicationBook::Adopt(
    const std::vector<Publication>& told) {
  std::map<uint64_t, Publication> all = all_;
  size_t bytes = bytes_;
  std::vector<Publication> changed;
  for (const Publication& publication : told) {
    RETURN_IF_ERROR(CheckPublication(publication));
    const auto [known, added] = all.try_emplace(publication.id, publication);
    Publication& own = known->second;
    if (!added) {
      const Publication both = BothOf(own, publication);
      if (both == own) continue;
      changed.push_back(own);
      bytes -= BytesOf(own);
      own = both;
    }
    changed.push_back(own);
    bytes += BytesOf(own);
  }
  if (all.size() > kMax || bytes > kBytesMax - 16) return TooMany(all.size());
  if (changed.empty()) return changed;
  all_ = std::move(all);
  bytes_ = bytes;
  Index();
  return changed;
}

std::vector<Publication> PublicationBook::list() const {
  std::vector<Publication> list;
  for (const auto& [id, publication] : all_) list.push_back(publication);
  return list;
}

std::optional<Publication> PublicationBook::Remove(uint64_t id) {
  const auto found = all_.find(id);
  if (found == all_.end()) return std::nullopt;
  Publication removed = std::move(found->second);
  bytes_ -= BytesOf(removed);
  all_.erase(found);
  Index();
  return removed;
}

std::vector<Publication> PublicationBook::RemoveExpired(int64_t now) {
  std::vector<Publication> expired;
  for (const auto& [id, publication] : all_)
    if (publication.until > 0 && publication.until <= now) expired.push_back(publication);
  for (const Publication& publication : expired) {
    bytes_ -= BytesOf(publication);
    all_.erase(publication.id);
  }
  if (!expired.empty()) Index();
  return expired;
}

std::vector<Publication> PublicationBook::BringBack(int64_t now) {
  std::vector<Publication*> sorted;  // by target, the last one first
  for (auto& [id, publication] : all_) sorted.push_back(&publication);
  std::sort(sorted.begin(), sorted.end(), [](const Publication* a, const Publication* b) {
    return std::tie(a->target, a->of, b->given, b->id) <
           std::tie(b->target, b->of, a->given, a->id);
  });
  std::vector<Publication> changed;
  const Publication* later = nullptr;
  int64_t latest = now;
  for (Publication* const each : sorted) {
    if (later == nullptr || !later->HasTargetOf(*each)) latest = now;
    later = each;
    if (each->given <= latest) continue;
    bytes_ -= BytesOf(*each);
    each->given = std::max<int64_t>(latest, 0);
    bytes_ += BytesOf(*each);
    latest = each->given - 1;
    changed.push_back(*each);
  }
  if (!changed.empty()) Index();
  return changed;
}

int64_t PublicationBook::last_given() const {
  int64_t last = 0;
  for (const auto& [id, publication] : all_) last = std::max(last, publication.given);
  return last;
}

int64_t PublicationBook::LastGivenFor(const Publication& publication) const {
  int64_t last = 0;
  for (const auto& [id, other] : all_)
    if (other.HasTargetOf(publication)) last = std::max(last, other.given);
  return last;
}

int64_t PublicationBook::next_expiry() const {
  int64_t next = 0;
  for (const auto& [id, publication] : all_)
    if (publication.until > 0 && (next == 0 || publication.until < next)) next = publication.until;
  return next;
}

const Publication* PublicationBook::Find(uint64_t id) const {
  const auto found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second;
}

void PublicationBook::Note(Entry& entry, const Publication& publication) const {
  uint64_t& last = publication.treatment == Treatment::kNow ? entry.errand : entry.treatment;
  const Publication* const before = last == 0 ? nullptr : Find(last);
  if (before == nullptr || publication.given >= before->given) last = publication.id;
}

void PublicationBook::Index() {
  urls_.clear(), hosts_.clear(), domains_.clear(), prefixes_.clear();
  std::map<std::string, Entry> sorted;
  ranges_ = 0;
  for (const auto& [id, publication] : all_) {
    ranges_ += publication.target == Target::kUrl ? 0 : 1;
    switch (publication.target) {
      case Target::kUrl:
        Note(urls_[publication.of], publication);
        break;
      case Target::kPrefix:
        Note(sorted[publication.of], publication);
        break;
      case Target::kHost:
        Note(hosts_[publication.of], publication);
        break;
      case Target::kDomain:
        Note(domains_[publication.of], publication);
        break;
    }
  }
  SumRaising();
  for (auto& [text, entry] : sorted) {
    int shorter = static_cast<int>(prefixes_.size()) - 1;
    while (shorter >= 0 && !text.starts_with(prefixes_[static_cast<size_t>(shorter)].text))
      shorter = prefixes_[static_cast<size_t>(shorter)].shorter;
    prefixes_.push_back({text, entry, shorter});
  }
}

// Any treatment of a more specific target hides a boost. Errands come and go, and change nothing of
// it.
void PublicationBook::SumRaising() {
  bool any = false;
  std::string bytes;
  for (const auto& [id, publication] : all_) {
    if (publication.treatment == Treatment::kNow) continue;
    any |= publication.treatment == Treatment::kBoost && publication.amount > 1;
    Append(bytes, publication);
  }
  raising_ = any ? std::max<uint64_t>(base::Hash64(bytes), 1) : 0;
}

void PublicationBook::Take(const Entry& entry, Match& match) const {
  if (match.treatment == nullptr && entry.treatment != 0)
    match.treatment = Find(entry.treatment), match.treatment_rank = match.rank;
  if (match.errand == nullptr && entry.errand != 0)
    match.errand = Find(entry.errand), match.errand_rank = match.rank;
  ++match.rank;
}

// All that lie between a prefix of `url` and `url` itself begin with that prefix: so the last one
// not above `url`, and those that it begins with, have all prefixes of `url` among them.
void PublicationBook::TakePrefixes(std::string_view url, Match& match) const {
  const auto above = std::upper_bound(
      prefixes_.begin(), prefixes_.end(), url,
      [](std::string_view text, const Prefix& prefix) { return text < prefix.text; });
  for (auto at = static_cast<int>(above - prefixes_.begin()) - 1; at >= 0;) {
    const Prefix& prefix = prefixes_[static_cast<size_t>(at)];
    if (url.starts_with(prefix.text)) Take(prefix.entry, match);
    at = prefix.shorter;
  }
}

void PublicationBook::TakeHosts(std::string_view host, Match& match) const {
  if (const auto found = hosts_.find(host); found != hosts_.end()) Take(found->second, match);
  for (std::string_view domain = host; !domains_.empty();) {
    if (const auto found = domains_.find(domain); found != domains_.end())
      Take(found->second, match);
    const size_t dot = domain.find('.');
    if (dot == std::string_view::npos) return;
    domain.remove_prefix(dot + 1);
  }
}

Rule PublicationBook::RuleFor(std::string_view url, std::string_view host) const {
  Match match;
  if (const auto found = urls_.find(url); found != urls_.end()) Take(found->second, match);
  match.rank = 1;
  if (!prefixes_.empty()) TakePrefixes(url, match);
  TakeHosts(WithoutFinalDots(host), match);
  Rule rule;
  if (const Publication* const treatment = match.treatment) {
    rule.treated_by = treatment->id;
    rule.never = treatment->treatment == Treatment::kNever;
    if (treatment->treatment == Treatment::kEvery) {
      rule.period = static_cast<int64_t>(treatment->amount);
      rule.period_at = treatment->given;
    }
    if (treatment->treatment == Treatment::kRate) rule.rate = treatment->amount;
    if (treatment->treatment == Treatment::kBoost) rule.boost = treatment->amount;
  }
  const bool kept_away = rule.never && match.treatment_rank < match.errand_rank;
  if (match.errand != nullptr && !kept_away) {
    rule.sent_by = match.errand->id;
    rule.errand = match.errand->target == Target::kUrl;
    rule.read_since = match.errand->given;
  }
  return rule;
}

std::string PublicationBook::Encode() const {
  std::string out(1, static_cast<char>(kVersion));
  base::AppendVarint(out, all_.size());
  for (const auto& [id, publication] : all_) Append(out, publication);
  return out;
}

absl::StatusOr<PublicationBook> PublicationBook::Decode(std::string_view bytes) {
  const absl::Status damaged = absl::DataLossError("the publications cannot be read");
  if (bytes.size() > kBytesMax) return damaged;
  base::Decoder in(bytes);
  if (in.Byte() != kVersion) return damaged;
  const uint64_t count = in.Varint();
  if (count > kMax) return damaged;
  PublicationBook book;
  uint64_t last = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const Publication publication = Read(in);
    if (!in.ok() || publication.id <= last || !CheckPublication(publication).ok()) return damaged;
    last = publication.id;
    book.bytes_ += BytesOf(publication);
    book.all_[publication.id] = publication;
  }
  if (!in.done()) return damaged;
  book.Index();
  return book;
}

}  // namespace opic::refresh
