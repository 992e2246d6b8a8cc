// The texts that are not HTML.
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

std::string FeedText(const Web& web, uint32_t page) {
  base::Rng rng(web.DrawFor(page, "feed"));
  const uint32_t front = web.SiteOf(page).front;
  std::string out = absl::StrFormat(
      "%s<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>%s</title>\n"
      "<id>urn:sample:feed</id>\n<updated>%s</updated>\n<author><name>%s</name></author>\n"
      "<link rel=\"self\" href=\"%s\"/>\n<link href=\"%s\"/>\n",
      kXmlHead, Phrase(rng, Charset::kUtf8, 3), XmlDate(LastModified(web, page)),
      Phrase(rng, Charset::kUtf8, 2), Escaped(web.UrlOf(page)), Escaped(web.UrlOf(front)));
  for (const uint32_t to : web.links.LinksOf(page)) {
    if (to == front) continue;
    absl::StrAppendFormat(&out,
                          "<entry>\n<title>%s</title>\n<id>urn:sample:page:%u</id>\n"
                          "<updated>%s</updated>\n<link href=\"%s\"/>\n</entry>\n",
                          Phrase(rng, Charset::kUtf8, 4), to, XmlDate(LastModified(web, to)),
                          Escaped(web.UrlOf(to)));
  }
  return out + "</feed>\n";
}

std::string SitemapText(const Web& web, uint32_t page) {
  std::string out = absl::StrFormat(
      "%s<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n", kXmlHead);
  for (const uint32_t to : web.links.LinksOf(page)) {
    absl::StrAppendFormat(&out, "<url><loc>%s</loc><lastmod>%s</lastmod></url>\n",
                          Escaped(web.UrlOf(to)), XmlDate(LastModified(web, to)));
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

absl::Time LastModified(const Web& web, uint32_t page) {
  constexpr uint64_t kYear = 366 * 86'400;
  return absl::FromUnixSeconds(1'704'067'200 + web.DrawFor(page, "changed") % kYear);
}

}  // namespace opic::sample
