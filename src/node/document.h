// The document in an answer: its links, also out of one that is stored compressed. Thread safety:
// pure.
#pragma once

#include "fetch/fetcher.h"
#include "links/links.h"
#include "node/crawl_options.h"
#include "url/url.h"

namespace opic::node {

// The links of `page`, whose answer is `response`. Time and memory are bounded by the limits of
// `options`: for links, and for the decoded body.
links::Result LinksOf(const url::Url& page, const fetch::Response& response,
                      const CrawlOptions& options);

}  // namespace opic::node
