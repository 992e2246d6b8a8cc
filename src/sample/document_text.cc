// Implements a part of sample/page_text.h. The texts that are not HTML.
#include "absl/strings/str_format.h"
#include "sample/href.h"
#include "sample/page_text.h"

namespace opic::sample {
namespace {

std::string XmlDate(absl::Time time) {  // RFC 3339
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

constexpr const char* kXmlHead = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";

}  // namespace

std::string FeedText(const Web& web, uint32_t page, StateAt states) {
  base::Rng rng(web.DrawFor(page, "feed"));
  const uint32_t front = web.SiteOf(page).front;
  const PageState state = states(page);
  // A feed must have its dates (RFC 4287 section 4.1.1).
  const auto date = [&](const PageState& of, uint32_t whose) {
    return XmlDate(of.reported.value_or(FirstModified(web, whose)));
  };
  std::string out = absl::StrFormat(
      "%s<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>%s</title>\n"
      "<id>urn:sample:feed</id>\n<updated>%s</updated>\n<author><name>%s</name></author>\n"
      "<link rel=\"self\" href=\"%s\"/>\n<link href=\"%s\"/>\n",
      kXmlHead, Phrase(rng, Charset::kUtf8, 3), date(state, page), Phrase(rng, Charset::kUtf8, 2),
      Escaped(web.UrlOf(page)), Escaped(web.UrlOf(front)));
  for (const uint32_t to : state.links) {
    if (to == front) continue;
    absl::StrAppendFormat(&out,
                          "<entry>\n<title>%s</title>\n<id>urn:sample:page:%u</id>\n"
                          "<updated>%s</updated>\n<link href=\"%s\"/>\n</entry>\n",
                          Phrase(rng, Charset::kUtf8, 4), to, date(states(to), to),
                          Escaped(web.UrlOf(to)));
  }
  return out + "</feed>\n";
}

std::string SitemapText(const Web& web, uint32_t page, StateAt states) {
  std::string out = absl::StrFormat(
      "%s<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n", kXmlHead);
  for (const uint32_t to : states(page).links) {
    const std::optional<absl::Time> reported = states(to).reported;
    absl::StrAppendFormat(&out, "<url><loc>%s</loc>", Escaped(web.UrlOf(to)));
    if (reported) absl::StrAppendFormat(&out, "<lastmod>%s</lastmod>", XmlDate(*reported));
    out += "</url>\n";
  }
  return out + "</urlset>\n";
}

std::string RobotsText(const Web& web, const Site& site) {
  if (site.robots == RobotsKind::kMissing) return "";
  std::string out = "# The rules of this site\nUser-agent: bad-bot\nDisallow: /\n\nUser-agent: *\n";
  if (site.robots == RobotsKind::kCrawlDelay) out += "Crawl-delay: 0.05\n";
  out += site.robots == RobotsKind::kPrivate ? "Disallow: /private/\n" : "Disallow:\n";
  for (uint32_t page = site.front; page < site.end; ++page) {
    if (web.pages[page].kind == PageKind::kSitemap) out += "\nSitemap: " + web.UrlOf(page) + "\n";
  }
  return out;
}

}  // namespace opic::sample
