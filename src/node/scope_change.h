// What a start or an order changes of the scope: each field by itself. What is not given stays as
// the crawl remembers it.
//
// Thread safety: immutable value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "url/scope.h"
#include "url/trap.h"

namespace opic::node {

struct ScopeChange {
  std::optional<url::ScopeKind> kind;
  std::optional<std::vector<std::string>> include, exclude;  // an empty list: no patterns any more
  std::optional<uint32_t> depth_max;                         // 0: no limit

  std::optional<url::TrapUse> traps;

  bool given() const { return kind || include || exclude || depth_max || traps; }
  // What is given becomes what it is with this.
  void ApplyTo(url::ScopeOptions& scope, uint32_t& depth, url::TrapUse& trap_use) const {
    if (kind) scope.kind = *kind;
    if (include) scope.include = *include;
    if (exclude) scope.exclude = *exclude;
    if (depth_max) depth = *depth_max;
    if (traps) trap_use = *traps;
  }
};

}  // namespace opic::node
