#include "url/scope.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "base/encoding.h"
#include "url/glob.h"

namespace opic::url {
namespace {

bool AnyMatches(const std::vector<std::string>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [text](const std::string& pattern) { return GlobMatches(pattern, text); });
}

void AppendSorted(std::vector<std::string> words, std::string& out) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  base::AppendVarint(out, words.size());
  for (const std::string& word : words) base::AppendBytes(out, word);
}

}  // namespace

Scope::Scope(ScopeOptions options) : options_(std::move(options)) {}

void Scope::AddSeed(const Url& seed) {
  switch (options_.kind) {
    case ScopeKind::kHost:
      allowed_.emplace(seed.host());
      break;
    case ScopeKind::kDomain:
      allowed_.insert(RegistrableDomain(seed.host()));
      break;
    case ScopeKind::kAny:
      break;
  }
}

bool Scope::Contains(const Url& url) const {
  return IsAllowedHost(url.host()) && !AnyMatches(options_.exclude, url.text()) &&
         (options_.include.empty() || AnyMatches(options_.include, url.text()));
}

bool Scope::IsAllowedHost(std::string_view host) const {
  switch (options_.kind) {
    case ScopeKind::kHost:
      return allowed_.contains(absl::string_view(host.data(), host.size()));
    case ScopeKind::kDomain:
      return allowed_.contains(RegistrableDomain(host));
    case ScopeKind::kAny:
      return true;
  }
  return false;
}

uint64_t Scope::Fingerprint() const {
  std::string content;
  base::AppendVarint(content, static_cast<uint64_t>(options_.kind));
  AppendSorted(options_.include, content);
  AppendSorted(options_.exclude, content);
  AppendSorted({allowed_.begin(), allowed_.end()}, content);
  return base::Hash64(content);
}

}  // namespace opic::url
