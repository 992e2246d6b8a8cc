#include "cli/link_flags.h"

#include <CLI/CLI.hpp>

#include "base/status_macros.h"
#include "cli/wrong_value.h"

namespace opic::cli {
namespace {

absl::Status Follow(const std::string& element, links::FurtherElements& further) {
  bool* const one = element == "object"  ? &further.object
                    : element == "embed" ? &further.embed
                    : element == "form"  ? &further.form
                                         : nullptr;
  if (one == nullptr) return WrongValue("link-element", element, "one of object, embed, form");
  *one = true;
  return absl::OkStatus();
}

}  // namespace

void LinkFlags::AddTo(CLI::App& app) {
  app.add_option("--links-max", links_max,
                 "links kept of one page (default 50000, what a sitemap may hold)");
  app.add_option("--link-rel", link_rels,
                 "a relation of <link> that is followed besides those that lead to pages (next, "
                 "canonical, alternate...), e.g. shortlink; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--link-element", link_elements,
                 "an element that is followed, too: object, embed, or form (the action of forms "
                 "that are sent with GET, without fields); may be repeated")
      ->allow_extra_args(false);
  app.add_option("--nofollow-rel", nofollow_rels,
                 "a relation that leaves a link out as nofollow does, e.g. ugc or sponsored; may "
                 "be repeated")
      ->allow_extra_args(false);
  app.add_option("--parser", parser,
                 "HTML parser: scanner (default) or gumbo, which is 25 times slower");
}

absl::Status LinkFlags::ApplyTo(node::CrawlOptions& options) const {
  if (parser != "scanner" && parser != "gumbo")
    return WrongValue("parser", parser, "one of scanner, gumbo");
  links::Limits& limits = options.links;
  limits.gumbo = parser == "gumbo";
  limits.links_max = links_max;
  limits.link_rels = link_rels;
  limits.nofollow_rels = nofollow_rels;
  for (const std::string& element : link_elements) RETURN_IF_ERROR(Follow(element, limits.further));
  return absl::OkStatus();
}

}  // namespace opic::cli
