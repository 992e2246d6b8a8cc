#include "fetch/cookie_jar.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/encoding.h"

namespace opic::fetch {
namespace {

constexpr size_t kHostBytes = 256;  // that a host takes besides its cookies
constexpr size_t kExpiryField = 4;  // of the seven of a line, with tabs between them
constexpr size_t kFieldsMin = 6;    // a value may be empty

// Never is for a session cookie, which has expiry 0: it lasts as long as the jar.
bool HasExpired(const std::string& cookie, absl::Time now) {
  const std::vector<absl::string_view> fields = absl::StrSplit(cookie, '\t');
  int64_t expiry = 0;
  if (fields.size() < kFieldsMin || !absl::SimpleAtoi(fields[kExpiryField], &expiry)) return true;
  return expiry != 0 && absl::FromUnixSeconds(expiry) <= now;
}

void DropExpired(std::vector<std::string>& cookies, absl::Time now) {
  std::erase_if(cookies, [now](const std::string& cookie) { return HasExpired(cookie, now); });
}

// Keeps the newest, which come last.
void BoundCookies(std::vector<std::string>& cookies) {
  std::erase_if(cookies, [](const std::string& each) { return each.size() > kCookieBytesMax; });
  size_t first = cookies.size(), bytes = 0;
  while (first > 0 && cookies.size() - first < kCookiesOfHostMax) {
    bytes += cookies[first - 1].size();
    if (bytes > kCookieBytesOfHostMax) break;
    --first;
  }
  cookies.erase(cookies.begin(), cookies.begin() + static_cast<std::ptrdiff_t>(first));
}

size_t BytesOfHost(std::string_view host, const std::vector<std::string>& cookies) {
  size_t bytes = kHostBytes + 2 * host.size();
  for (const std::string& cookie : cookies) bytes += sizeof(std::string) + cookie.size();
  return bytes;
}

struct CookieRow {
  absl::Time asked;
  std::vector<std::string> cookies;
};

std::string Encode(const CookieRow& kept) {
  std::string value;
  base::AppendVarint(value, static_cast<uint64_t>(absl::ToUnixSeconds(kept.asked)));
  for (const std::string& cookie : kept.cookies) base::AppendBytes(value, cookie);
  return value;
}

std::optional<CookieRow> Decode(std::string_view value) {
  CookieRow kept;
  base::Decoder in(value);
  kept.asked = absl::FromUnixSeconds(static_cast<int64_t>(in.Varint()));
  while (in.ok() && !in.done()) kept.cookies.emplace_back(in.Bytes());
  if (!in.ok() || kept.cookies.empty()) return std::nullopt;
  return kept;
}

}  // namespace

CookieJar::Hosts::iterator CookieJar::Find(std::string_view host) {
  const auto found = by_name_.find(std::string(host));
  return found == by_name_.end() ? hosts_.end() : found->second;
}

std::vector<std::string> CookieJar::Of(std::string_view host, absl::Time now) {
  const absl::MutexLock lock(&mu_);
  const auto found = Find(host);
  if (found == hosts_.end()) return {};
  found->asked = now;
  hosts_.splice(hosts_.end(), hosts_, found);
  std::vector<std::string> cookies = found->cookies;
  DropExpired(cookies, now);
  return cookies;
}

bool CookieJar::Keep(std::string_view host, std::vector<std::string> cookies, absl::Time now) {
  DropExpired(cookies, now);
  BoundCookies(cookies);
  const absl::MutexLock lock(&mu_);
  const auto found = Find(host);
  const bool same = found == hosts_.end() ? cookies.empty() : found->cookies == cookies;
  if (same) return false;
  changed_.emplace(host);
  if (found != hosts_.end()) Drop(found);
  Put(host, std::move(cookies), now);
  MakeRoom();
  return true;
}

void CookieJar::Put(std::string_view host, std::vector<std::string> cookies, absl::Time asked) {
  if (cookies.empty()) return;
  Host kept{.name = std::string(host), .cookies = {}, .asked = asked};
  kept.bytes = BytesOfHost(host, cookies);
  kept.cookies = std::move(cookies);
  bytes_ += kept.bytes;
  hosts_.push_back(std::move(kept));
  by_name_[std::string(host)] = std::prev(hosts_.end());
}

void CookieJar::Drop(Hosts::iterator host) {
  bytes_ -= host->bytes;
  by_name_.erase(host->name);
  hosts_.erase(host);
}

void CookieJar::MakeRoom() {
  while (!hosts_.empty() && (bytes_ > bytes_max_ || hosts_.size() > hosts_max_)) {
    changed_.insert(hosts_.front().name);
    Drop(hosts_.begin());
  }
}

size_t CookieJar::hosts() const {
  const absl::MutexLock lock(&mu_);
  return hosts_.size();
}

size_t CookieJar::bytes() const {
  const absl::MutexLock lock(&mu_);
  return bytes_;
}

std::vector<CookieJar::Row> CookieJar::TakeChanged() {
  const absl::MutexLock lock(&mu_);
  std::vector<Row> rows;
  for (const std::string& host : changed_) {
    const auto found = Find(host);
    rows.push_back({host, found == hosts_.end() ? "" : Encode({found->asked, found->cookies})});
  }
  changed_.clear();
  return rows;
}

void CookieJar::Restore(const std::vector<Row>& rows, absl::Time now) {
  std::vector<std::pair<std::string_view, CookieRow>> kept;
  const absl::MutexLock lock(&mu_);
  for (const Row& row : rows) {
    std::optional<CookieRow> read = Decode(row.value);
    const size_t before = read ? read->cookies.size() : 0;
    if (read) DropExpired(read->cookies, now), BoundCookies(read->cookies);
    if (!read || read->cookies.size() < before) changed_.insert(row.host);
    if (read && !read->cookies.empty()) kept.emplace_back(row.host, *std::move(read));
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const auto& a, const auto& b) { return a.second.asked < b.second.asked; });
  for (auto& [host, read] : kept) Put(host, std::move(read.cookies), read.asked);
  MakeRoom();
}

bool CookieJar::CanRead(std::string_view value) { return Decode(value).has_value(); }

}  // namespace opic::fetch
