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

namespace opic::node {

struct ScopeChange {
  std::optional<url::ScopeKind> kind;
  std::optional<std::vector<std::string>> include, exclude;  // an empty list: no patterns any more
  std::optional<uint32_t> depth_max;                         // 0: no limit

  bool given() const { return kind || include || exclude || depth_max; }
  // `scope` and `depth` become what they are with this.
  void ApplyTo(url::ScopeOptions& scope, uint32_t& depth) const {
    if (kind) scope.kind = *kind;
    if (include) scope.include = *include;
    if (exclude) scope.exclude = *exclude;
    if (depth_max) depth = *depth_max;
  }
};

}  // namespace opic::node
