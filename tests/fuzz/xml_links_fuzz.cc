// opic-modules: links
// The input is a document, read with its own charset and as UTF-8.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "links/link_sink.h"
#include "links/xml_links.h"

namespace opic::links {
namespace {

XmlOutcome CheckDocument(std::string_view body, std::string_view charset, const Limits& limits,
                         Result& result) {
  static const url::Url here = *url::Parse("http://h.example/d/doc.xml?q");
  Document document;
  document.body = body;
  document.url = &here;
  LinkSink sink(here, limits, result);
  const XmlOutcome outcome = ParseXml(document, charset, LinkRelations(), sink);
  OPIC_CHECK(result.links.size() <= limits.links_max);
  for (size_t i = 0; i < result.links.size(); ++i) {
    OPIC_CHECK(!(result.links[i] == here));
    for (size_t j = 0; j < i; ++j) OPIC_CHECK(!(result.links[i] == result.links[j]));
  }
  return outcome;
}

// Fewer links are the first of many.
void CheckLimit(std::string_view body) {
  Limits few;
  few.links_max = 2;
  Result some;
  Result all;
  CheckDocument(body, "UTF-8", few, some);
  CheckDocument(body, "UTF-8", Limits(), all);
  OPIC_CHECK(std::equal(some.links.begin(), some.links.end(), all.links.begin()));
  OPIC_CHECK(some.truncated || some.links == all.links);
}

}  // namespace
}  // namespace opic::links

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opic::links;
  const std::string_view input(reinterpret_cast<const char*>(data), std::min<size_t>(size, 16384));
  Result result;
  CheckDocument(input, "", Limits(), result);
  CheckLimit(input);
  SniffXml(input);
  return 0;
}
