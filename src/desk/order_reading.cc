// Implements a part of desk/order_desk.h. What is read of the content of a page.
#include <utility>

#include "base/encoding.h"
#include "desk/canonical.h"
#include "desk/desk_counters.h"
#include "desk/document.h"
#include "desk/duplicate.h"
#include "desk/near_text.h"
#include "desk/order_desk.h"
#include "desk/page_category.h"
#include "desk/store_failure.h"
#include "refresh/content_hash.h"

namespace opic::desk {

OrderDesk::Reading OrderDesk::Read(const Job& job, const fetch::Response& response,
                                   FetchLine& line) {
  links::Result found = LinksOf(*job.page, response, options_);
  Count(found, counters_);
  Reading reading;
  reading.canonical = CanonicalOf(job, found);
  reading.left_out = LeftOutOf(response, found);
  reading.left_out.canonical = reading.canonical.has_value();
  AddLeftOut(reading.left_out, found, line);
  if (!response.unwanted) ReadContent(*job.page, found, reading);
  if (!response.unwanted && reading.content_hash == 0)
    reading.content_hash = refresh::HashOfBytes(base::Hash64(response.body));
  reading.category = CategoryOf(*job.page, found.kind, response.content_type);
  reading.links = Named(std::move(found.links));
  return reading;
}

void OrderDesk::ReadContent(const url::Url& page, const links::Result& found,
                            Reading& reading) const {
  const ContentLinks content_links(page, found);
  reading.content_hash = ContentHashOf(found, content_links);
  if (options_.duplicates != DuplicateUse::kOff)
    reading.content_key = ContentKeyOf(page, found, reading.content_hash, reading.left_out);
  if (options_.near_duplicates == DuplicateUse::kOff) return;
  const std::optional<NearText> text =
      NearTextOf(page, found, content_links, reading.content_hash, reading.left_out);
  if (text) reading.near_text = Encode(*text);
}

// The scope is asked at the page's own depth: a canonical is the page itself under its right name,
// and is mostly known already.
std::optional<ledger::Link> OrderDesk::CanonicalOf(const Job& job, const links::Result& found) {
  if (!options_.canonical) return std::nullopt;
  if (found.canonicals_differ) counters_.Add(Counter::kCanonicalUnclear);
  if (!found.canonical) return std::nullopt;
  ledger::Link link = std::move(Named({*found.canonical}).front());
  if (link.page == job.order.page) return std::nullopt;
  const bool in_scope = !in_scope_ || in_scope_(ledger::PageRow{link.url, job.depth});
  if (!AreOfOneSite(*job.page, *found.canonical) || !in_scope) {
    counters_.Add(Counter::kCanonicalAway);
    return std::nullopt;
  }
  const absl::StatusOr<bool> back = LeadsBack(link.page, job.order.page, store_, window_);
  EndOnStoreFailure("the order desk", back.status());
  counters_.Add(*back ? Counter::kCanonicalUnclear : Counter::kCanonical);
  return *back ? std::nullopt : std::optional(std::move(link));
}

}  // namespace opic::desk
