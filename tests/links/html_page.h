// One HTML page read by either parser, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "links/gumbo_links.h"
#include "links/html_scanner.h"
#include "links/links.h"
#include "links/reader_text.h"
#include "url/url.h"

namespace opic::links {

inline constexpr std::string_view kPageUrl = "http://site.example/dir/page.html";

inline url::Url PageUrl() { return *url::Parse(kPageUrl); }

inline Result ByGumbo(std::string_view html) {
  const url::Url page = PageUrl();
  const Limits limits;
  Result result;
  LinkSink sink(page, limits, result);
  LinkElements elements(sink, result, "opic");
  GumboLinks(html, 1 << 30, elements);
  return result;
}

inline Result ByScanner(std::string_view html) {
  const url::Url page = PageUrl();
  const Limits limits;
  Result result;
  LinkSink sink(page, limits, result);
  LinkElements elements(sink, result, "opic");
  ScanHtml(html, elements);
  return result;
}

// Links and text in one walk.
struct OneWalk {
  Result result;
  ReaderText text;
};

inline OneWalk InOneWalk(std::string_view html, size_t links_max = Limits().links_max) {
  const url::Url page = PageUrl();
  Limits limits;
  limits.links_max = links_max;
  OneWalk walk;
  LinkSink sink(page, limits, walk.result);
  LinkElements elements(sink, walk.result, "opic");
  TextSink text(html);
  ScanHtml(html, elements, text);
  walk.text = text.Finish(/*with_sketch=*/true);
  return walk;
}

// Links as a reader would write them: of the page's own site without the origin.
inline std::vector<std::string> Links(const Result& result) {
  std::vector<std::string> links;
  for (const url::Url& link : result.links) {
    const bool own = link.host() == "site.example";
    links.push_back(own ? std::string(link.path_and_query()) : link.text());
  }
  return links;
}

}  // namespace opic::links
