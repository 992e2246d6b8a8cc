// XML documents at http://h/d/doc.xml and the links that are found in them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "links/link_sink.h"
#include "links/xml_links.h"

namespace opic::links {

class XmlDocumentTest : public testing::Test {
 protected:
  // The links of `body` found at http://h/d/doc.xml, in short: those of that host as paths.
  std::vector<std::string> LinksOf(std::string_view body, std::string_view charset = "UTF-8") {
    const url::Url here = *url::Parse("http://h/d/doc.xml");
    Document document;
    document.body = body;
    document.url = &here;
    result_ = Result();
    LinkSink sink(here, limits_, result_);
    outcome_ = ParseXml(document, charset, LinkRelations(), sink);
    std::vector<std::string> links;
    for (const url::Url& link : result_.links) {
      links.push_back(link.host() == "h" ? std::string(link.path_and_query()) : link.text());
    }
    return links;
  }

  Limits limits_;
  Result result_;
  XmlOutcome outcome_;
};

}  // namespace opic::links
