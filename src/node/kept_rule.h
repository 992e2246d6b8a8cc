// A rule for a host or a domain as the nodes keep it: with since when and by whom, as a row of the
// store (docs/formats/store.md), and what two nodes say together.
//
// Thread safety: pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "schedule/host_rules.h"

namespace opic::node {

inline constexpr absl::Duration kHostDelayMax = absl::Hours(24);
inline constexpr size_t kRuleAuthorBytesMax = 256;

struct KeptRule {
  schedule::HostRule rule;
  absl::Time since;  // its last change
  std::string by;    // who; UTF-8, at most 256 bytes, without control characters
};

// Of a host or a domain: what any of them says. A block by one holds; of two delays, or two limits
// of pages or of bytes, the newer one does. Rules that were lifted leave no trace, so that a block
// is never lost to a node that did not know it.
KeptRule BothOf(const KeptRule& one, const KeptRule& other);
// The same of whole lists; domains first, by name.
std::vector<KeptRule> UnionOf(const std::vector<KeptRule>& some, const std::vector<KeptRule>& more);

// Its row in Table::kMeta.
inline constexpr char kRulePrefix[] = "host_rule.";  // of the keys
std::string KeyOfRule(const schedule::HostRule& rule);
std::string EncodeRule(const KeptRule& kept);
// Nothing: EncodeRule did not write it.
std::optional<KeptRule> DecodeRule(std::string_view key, std::string_view row);

// An author as it goes onto the wire, into logs and onto terminals.
std::string RuleAuthor(std::string_view by);

}  // namespace opic::node
