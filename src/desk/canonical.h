// Which page a page pays alone, because it names that one as its canonical (RFC 6596;
// docs/decisions/2026-11-23-canonical-pages.md).
//
// A canonical of the same site counts as a redirect does: it is the one link that is paid. Whoever
// may write there could redirect as well. One that leaves the site is a link like others.
//
// Thread safety: pure, but for the reads of LeadsBack.
#pragma once

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "ledger/rows.h"
#include "store/store.h"
#include "url/url.h"

namespace opic::desk {

// Hosts of one registrable domain, or one host.
bool AreOfOneSite(const url::Url& a, const url::Url& b);

// Whether `from` leads to `page` in at most kCanonicalHops steps, by redirects, canonicals and
// first pages of duplicates, as far as this node has read them. Then `page` would pay itself in a
// circle.
inline constexpr int kCanonicalHops = 4;
absl::StatusOr<bool> LeadsBack(PageId from, PageId page, store::Store& store,
                               const importance::Window& window);

}  // namespace opic::desk
