#include "node/kept_rule.h"

#include <cstdint>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/encoding.h"
#include "base/utf8.h"

namespace opic::node {
namespace {

// What a row says besides time and author: a tag and a number each; a tag that is not known is of a
// later release.
enum Tag : uint64_t { kBlocked = 1, kDelay = 2, kPages = 3, kBytes = 4 };

void AppendField(std::string& row, Tag tag, uint64_t number) {
  base::AppendVarint(row, tag);
  base::AppendVarint(row, number);
}

// False: no release of ours wrote it.
bool DecodeField(uint64_t tag, uint64_t number, schedule::HostRule& rule) {
  if (tag == kBlocked) rule.blocked = number != 0;
  if (tag == kPages) rule.pages = number;
  if (tag == kBytes) rule.bytes = number;
  if (tag == kPages || tag == kBytes) return number <= schedule::kBudgetMax;
  if (tag != kDelay) return true;
  if (number > uint64_t{INT64_MAX}) return false;
  rule.delay = absl::Microseconds(static_cast<int64_t>(number));
  return *rule.delay <= kHostDelayMax;
}

}  // namespace

std::string RuleAuthor(std::string_view by) { return base::PlainText(by, kRuleAuthorBytesMax); }

std::string KeyOfRule(const schedule::HostRule& rule) {
  return absl::StrCat(kRulePrefix, rule.domain ? "domain." : "host.", rule.name);
}

std::string EncodeRule(const KeptRule& kept) {
  std::string row;
  base::AppendVarint(row, static_cast<uint64_t>(absl::ToUnixMicros(kept.since)));
  base::AppendBytes(row, kept.by);
  if (kept.rule.blocked) AppendField(row, kBlocked, 1);
  if (kept.rule.delay)
    AppendField(row, kDelay, static_cast<uint64_t>(absl::ToInt64Microseconds(*kept.rule.delay)));
  if (kept.rule.pages) AppendField(row, kPages, *kept.rule.pages);
  if (kept.rule.bytes) AppendField(row, kBytes, *kept.rule.bytes);
  return row;
}

std::optional<KeptRule> DecodeRule(std::string_view key, std::string_view row) {
  KeptRule kept;
  key.remove_prefix(sizeof(kRulePrefix) - 1);
  kept.rule.domain = key.starts_with("domain.");
  if (!kept.rule.domain && !key.starts_with("host.")) return std::nullopt;
  kept.rule.name = key.substr(key.find('.') + 1);
  base::Decoder in(row);
  kept.since = absl::FromUnixMicros(static_cast<int64_t>(in.Varint()));
  kept.by = RuleAuthor(in.Bytes());
  while (in.ok() && !in.done()) {
    const uint64_t tag = in.Varint(), number = in.Varint();
    if (!DecodeField(tag, number, kept.rule)) return std::nullopt;
  }
  if (!in.ok() || kept.rule.name.empty()) return std::nullopt;
  return kept;
}

KeptRule BothOf(const KeptRule& one, const KeptRule& other) {
  const bool first = one.since >= other.since;
  KeptRule both = first ? one : other;
  const KeptRule& older = first ? other : one;
  both.rule.blocked |= older.rule.blocked;
  if (!both.rule.delay) both.rule.delay = older.rule.delay;
  if (!both.rule.pages) both.rule.pages = older.rule.pages;
  if (!both.rule.bytes) both.rule.bytes = older.rule.bytes;
  return both;
}

std::vector<KeptRule> UnionOf(const std::vector<KeptRule>& some,
                              const std::vector<KeptRule>& more) {
  std::map<schedule::HostName, KeptRule> all;
  for (const std::vector<KeptRule>* list : {&some, &more}) {
    for (const KeptRule& kept : *list) {
      const auto [known, added] = all.try_emplace(schedule::NameOf(kept.rule), kept);
      if (!added) known->second = BothOf(known->second, kept);
    }
  }
  std::vector<KeptRule> list;
  for (auto& [key, kept] : all) list.push_back(std::move(kept));
  return list;
}

}  // namespace opic::node
