#include "desk/robots_cache.h"

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "base/damaged_folder.h"
#include "base/status_macros.h"
#include "desk/page_answer.h"
#include "desk/robots_answer.h"
#include "desk/robots_row.h"
#include "url/percent_encoding.h"

namespace opic::desk {
namespace {

constexpr absl::Duration kClockSlack = absl::Minutes(1);
constexpr int kHopsMax = 5;  // RFC 9309 section 2.3.1.2
std::string OriginOf(const url::Url& url) { return std::string(url.origin()); }

url::Url RobotsUrl(const std::string& origin) {
  std::optional<url::Url> url = url::Parse(origin + "/robots.txt");
  OPIC_CHECK(url.has_value()) << "origin " << origin;
  return *std::move(url);
}

bool IsOwnRobots(const url::Url& asked) { return asked.path_and_query() == "/robots.txt"; }

}  // namespace

bool RobotsCache::CanRead(std::string_view row) {
  return robots::Robots::Decode(RulesOf(row)).has_value();
}

void RobotsCache::SetRules(Entry& entry, robots::Robots rules) {
  DropRules(entry);
  entry.rules = std::make_shared<const robots::Robots>(std::move(rules));
  bytes_ += entry.rules->bytes();
}

void RobotsCache::DropRules(Entry& entry) {
  if (entry.rules) bytes_ -= entry.rules->bytes();
  entry.rules.reset();
}

// For one entry more. What is known stands in the store; what is being found out stays, unless it
// is half of all: then each begins with its own robots.txt again.
void RobotsCache::MakeRoom() {
  if (entries_.size() < options_.remembered_max && bytes_ < options_.remembered_bytes_max) return;
  absl::erase_if(entries_, [](const auto& entry) { return entry.second.rules != nullptr; });
  bytes_ = 0;
  if (entries_.size() > options_.remembered_max / 2) entries_.clear();
}

// Counts are forgotten when there are too many: each origin of them is asked a few times more.
int& RobotsCache::FailuresOf(const std::string& origin) {
  if (failures_.size() >= options_.remembered_max && !failures_.contains(origin)) failures_.clear();
  return failures_[origin];
}

void RobotsCache::AskSilentAgain(absl::Time now) {
  absl::MutexLock lock(&mu_);
  silent_until_ = now;
  absl::erase_if(entries_, [this](auto& known) {
    mu_.AssertHeld();
    Entry& entry = known.second;
    if (entry.rules == nullptr || Holds(entry.unreachable, entry.expires)) return false;
    DropRules(entry);
    return true;
  });
}

// A verdict of the store.
bool RobotsCache::Holds(Failure unreachable, absl::Time expires) const {
  // Which addresses are asked is this process's own choice; another may have chosen otherwise.
  if (unreachable == Failure::kAddress) return false;
  if (unreachable == Failure::kNone || unreachable == Failure::kServer) return true;
  return expires - options_.unreachable_lifetime > silent_until_;
}

absl::Duration RobotsCache::LifetimeOf(Failure unreachable) const {
  return unreachable == Failure::kNone ? options_.lifetime : options_.unreachable_lifetime;
}

// One that would last for longer is by a clock that was ahead, and is not any more.
bool RobotsCache::Lasts(Failure unreachable, absl::Time expires, absl::Time now) const {
  return now < expires && expires <= now + LifetimeOf(unreachable) + kClockSlack;
}

// Brings an origin's verdict from the store; an entry is there afterwards, known or not.
absl::Status RobotsCache::Load(const std::string& origin, absl::Time now) {
  const auto found = entries_.find(origin);
  if (found != entries_.end() &&
      (!found->second.rules || Lasts(found->second.unreachable, found->second.expires, now)))
    return absl::OkStatus();
  if (found != entries_.end()) {
    DropRules(found->second);
    entries_.erase(found);
  }
  MakeRoom();
  Entry entry;
  ASSIGN_OR_RETURN(const std::optional<std::string> row, store_.Get(store::Table::kRobots, origin));
  if (row) {
    const absl::Time expires = ExpiryOf(*row);
    const Failure unreachable = UnreachableOf(*row);
    std::optional<robots::Robots> rules = robots::Robots::Decode(RulesOf(*row));
    if (!rules)
      return base::DamagedFolder("the robots.txt verdict of " + origin + " cannot be read");
    if (Lasts(unreachable, expires, now) && Holds(unreachable, expires)) {
      SetRules(entry, *std::move(rules));
      entry.unreachable = unreachable;
      entry.expires = expires;
    }
  }
  entries_.emplace(origin, std::move(entry));
  return absl::OkStatus();
}

// From one origin to the next, as far as redirects have led so far.
absl::StatusOr<RobotsCache::Trail> RobotsCache::Follow(std::string origin, absl::Time now) {
  Trail trail;
  while (trail.origins.size() <= kHopsMax) {
    RETURN_IF_ERROR(Load(origin, now));
    const Entry& entry = entries_[origin];
    trail.rules = entry.rules;
    trail.unreachable = entry.unreachable;
    trail.expires = entry.expires;
    if (trail.rules) return trail;
    url::Url asked = entry.next ? *entry.next : RobotsUrl(origin);
    std::string other = OriginOf(asked);
    const bool leads_on = other != origin && IsOwnRobots(asked);
    trail.origins.push_back(std::move(origin));
    if (!leads_on) {
      trail.asked = std::move(asked);
      return trail;
    }
    origin = std::move(other);
  }
  // Too many for the first of them. Of the others some may be near enough to rules.
  trail.origins.resize(1);
  trail.rules = std::make_shared<const robots::Robots>(robots::Robots::AllowAll());
  trail.expires = now + options_.lifetime;
  return trail;
}

absl::StatusOr<RobotsCache::Verdict> RobotsCache::Lookup(const url::Url& url, absl::Time now) {
  absl::MutexLock lock(&mu_);
  ASSIGN_OR_RETURN(Trail trail, Follow(OriginOf(url), now));
  if (trail.asked) return Verdict{.fetch = std::move(trail.asked)};
  for (const std::string& origin : trail.origins)
    RETURN_IF_ERROR(Keep(origin, *trail.rules, trail.unreachable, trail.expires));
  return Verdict{.rules = std::move(trail.rules), .unreachable = trail.unreachable};
}

// The origin whose verdict the answer to this request is.
absl::StatusOr<std::string> RobotsCache::OriginToSettle(const url::Url& page, const url::Url& asked,
                                                        absl::Time now) {
  ASSIGN_OR_RETURN(const Trail trail, Follow(OriginOf(page), now));
  if (trail.asked && trail.asked->text() == asked.text()) return trail.origins.back();
  return IsOwnRobots(asked) ? OriginOf(asked) : OriginOf(page);  // another answer came before it
}

// Of more than may come at once each lifetime takes the next part. The parts are alike in size, so
// that a file with one sitemap too many does not begin with that one alone.
void RobotsCache::NameSitemaps(const url::Url& base, const std::vector<std::string>& named,
                               absl::Time now, Learned& learned) const {
  const size_t parts = (named.size() + kSitemapsAtOnce - 1) / kSitemapsAtOnce;
  if (parts == 0) return;
  const int64_t lifetimes =
      absl::ToUnixSeconds(now) / std::max<int64_t>(absl::ToInt64Seconds(options_.lifetime), 1);
  const size_t part = static_cast<size_t>(lifetimes) % parts;
  const size_t first = part * named.size() / parts, last = (part + 1) * named.size() / parts;
  for (size_t i = first; i < last; ++i) {
    if (std::optional<url::Url> url = url::Parse(url::EncodedUnlessUtf8(named[i]), &base))
      learned.sitemaps.push_back(*std::move(url));
  }
  learned.sitemaps_left = named.size() - (last - first);
}

absl::StatusOr<RobotsCache::Learned> RobotsCache::Settle(const std::string& origin,
                                                         robots::Robots rules, Failure unreachable,
                                                         absl::Time now) {
  Learned learned;
  learned.settled = true;
  RETURN_IF_ERROR(Keep(origin, std::move(rules), unreachable, now + LifetimeOf(unreachable)));
  return learned;
}

// What is read at another host (a redirect led there) takes no delay back there.
absl::StatusOr<RobotsCache::Learned> RobotsCache::SettleRead(const std::string& origin,
                                                             const url::Url& asked,
                                                             robots::Robots rules, absl::Time now) {
  const absl::Duration delay = rules.crawl_delay().value_or(absl::ZeroDuration());
  ASSIGN_OR_RETURN(Learned learned, Settle(origin, std::move(rules), Failure::kNone, now));
  const std::optional<url::Url> settled = url::Parse(origin + "/");
  const bool own = settled && settled->host() == asked.host();
  if (own || delay > absl::ZeroDuration()) learned.crawl_delay = delay;
  return learned;
}

absl::Status RobotsCache::Keep(const std::string& origin, robots::Robots rules, Failure unreachable,
                               absl::Time expires) {
  failures_.erase(origin);
  MakeRoom();
  Entry& entry = entries_[origin];
  DropRules(entry);
  entry = Entry();
  entry.unreachable = unreachable;
  entry.expires = expires;
  store::Batch batch;
  batch.Put(store::Table::kRobots, origin, EncodeRow(rules, unreachable, entry.expires));
  SetRules(entry, std::move(rules));
  // Not synced: the next commit group's sync covers it, and a verdict lost is asked for again.
  return store_.Write(batch, store::Sync::kNo);
}

// What takes a while for a large file is done without the lock.
absl::StatusOr<RobotsCache::Learned> RobotsCache::Read(const url::Url& page, const url::Url& asked,
                                                       const std::string& body, absl::Time now) {
  robots::Robots rules = robots::Robots::Parse(body, options_.product_token);
  Learned named;
  NameSitemaps(asked, rules.sitemaps(), now, named);
  absl::MutexLock lock(&mu_);
  ASSIGN_OR_RETURN(const std::string origin, OriginToSettle(page, asked, now));
  ASSIGN_OR_RETURN(Learned learned, SettleRead(origin, asked, std::move(rules), now));
  learned.sitemaps = std::move(named.sitemaps);
  learned.sitemaps_left = named.sitemaps_left;
  return learned;
}

// What a host with many ports makes long is done without the lock, too.
absl::StatusOr<RobotsCache::Learned> RobotsCache::Answered(const url::Url& page,
                                                           const url::Url& asked,
                                                           const fetch::Response& response,
                                                           absl::Time now) {
  ASSIGN_OR_RETURN(Learned learned, Judge(page, asked, response, now));
  if (learned.crawl_delay) {
    ASSIGN_OR_RETURN(learned.crawl_delay,
                     WithOtherPorts(*learned.crawl_delay, std::string(asked.host()), now));
  }
  return learned;
}

absl::StatusOr<RobotsCache::Learned> RobotsCache::Judge(const url::Url& page, const url::Url& asked,
                                                        const fetch::Response& response,
                                                        absl::Time now) {
  const robots::Access access = AccessOf(response);
  if (access == robots::Access::kParse) return Read(page, asked, response.body, now);
  absl::MutexLock lock(&mu_);
  ASSIGN_OR_RETURN(const std::string origin, OriginToSettle(page, asked, now));
  Entry& entry = entries_[origin];
  switch (access) {
    case robots::Access::kParse:
    case robots::Access::kAllowAll:
      return SettleRead(origin, asked, robots::Robots::AllowAll(), now);
    case robots::Access::kRedirect: {
      std::optional<url::Url> target = TargetOf(response, asked);
      if (!target || response.location.empty() || ++entry.hops > kHopsMax) {
        return SettleRead(origin, asked, robots::Robots::AllowAll(), now);
      }
      entry.next = std::move(target);
      return Learned();
    }
    case robots::Access::kDisallowAll:
      if (++FailuresOf(origin) < options_.attempts_max &&
          response.error != fetch::Error::kRefusedAddress)
        return Learned();
      return Settle(origin, robots::Robots::DisallowAll(), FailureOf(response), now);
  }
  return Learned();
}

absl::StatusOr<RobotsCache::Learned> RobotsCache::GivenUp(const url::Url& page,
                                                          const url::Url& asked, absl::Time now) {
  absl::MutexLock lock(&mu_);
  ASSIGN_OR_RETURN(const std::string origin, OriginToSettle(page, asked, now));
  return Settle(origin, robots::Robots::DisallowAll(), Failure::kGivenUp, now);
}

absl::StatusOr<RobotsCache::Learned> RobotsCache::Blocked(const url::Url& page, absl::Time now) {
  absl::MutexLock lock(&mu_);
  return Settle(OriginOf(page), robots::Robots::DisallowAll(), Failure::kBlocked, now);
}

}  // namespace opic::desk
