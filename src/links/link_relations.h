// Which relations of a <link>, or of a Link header, lead to pages: one table. All others name
// resources of the page, or services for programs: stylesheets, icons, oEmbed, APIs, short links,
// which cost a request each and are nobody's pages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/types/span.h"

namespace opic::links {

// Thread safety: immutable.
class LinkRelations {
 public:
  // `more` are followed as well, whatever their type; `not_followed` count as nofollow does. Both
  // must outlive the object.
  explicit LinkRelations(absl::Span<const std::string> more = {},
                         absl::Span<const std::string> not_followed = {})
      : more_(more), not_followed_(not_followed) {}

  // `rel`: words between white space, in any case. `type`: the media type that the link announces,
  // if it does; an alternate is followed when it is of a kind that has links.
  bool LeadToPage(std::string_view rel, std::optional<std::string_view> type) const;
  // Of any element: a link that is left out.
  bool HasNofollow(std::string_view rel) const;

 private:
  const absl::Span<const std::string> more_, not_followed_;
};

bool HasCanonical(std::string_view rel);

}  // namespace opic::links
