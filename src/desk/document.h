// The document in an answer: its links, also out of one that is stored compressed.
//
// Thread safety: pure.
#pragma once

#include "desk/desk_options.h"
#include "fetch/fetcher.h"
#include "links/links.h"
#include "url/url.h"

namespace opic::desk {

// The links of `page`, whose answer is `response`. Time and memory are bounded by the limits of
// `options`: for links, and for the decoded body.
links::Result LinksOf(const url::Url& page, const fetch::Response& response,
                      const DeskOptions& options);

}  // namespace opic::desk
