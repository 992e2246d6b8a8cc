// The linear scanner against Gumbo's tree, its slow twin, on random well-formed pages.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "html_page.h"

namespace opic::links {
namespace {

class WellFormedPage {
 public:
  explicit WellFormedPage(uint64_t seed) : rng_(seed) {}

  std::string Write() {
    html_ = Pick({"", "<!DOCTYPE html>", "<?xml version='1.0'?><!DOCTYPE html>"});
    html_ += "<html><head>";
    for (uint64_t i = rng_.Below(6); i > 0; --i) WriteHeadElement();
    html_ += "</head><body>";
    for (int i = 0; i < 12; ++i) WriteFlow(0);
    return html_ + "</body></html>";
  }

 private:
  std::string Pick(std::initializer_list<const char*> choices) {
    return choices.begin()[rng_.Below(choices.size())];
  }

  std::string Href() {
    const std::string name = "l" + std::to_string(rng_.Below(60));
    switch (rng_.Below(9)) {
      case 0:
        return "\"" + name + "?a=1&amp;b=&eacute;&copy=2&#233;\"";
      case 1:
        return "'../" + name + "/#frag>'";
      case 2:
        return "\"javascript:'" + name + "'\"";
      case 3:
        return "\"  //other.example/" + name + " \"";
      case 4:
        return "\"" + name + "?q=&lt;a href=x&gt;&notit;&amp\"";
      default:
        return name;
    }
  }

  std::string Attributes(const char* address) {
    std::string text;
    if (rng_.Below(5) == 0)
      text += Pick({" title='<a href=no>'", " title=\">\"", " data-x", " ID=x"});
    text += std::string(" ") + address + Pick({"=", " = ", "="}) + Href();
    if (rng_.Below(6) == 0) text += Pick({" rel=nofollow", " rel='x NOFOLLOW'", " rel=next"});
    if (rng_.Below(8) == 0) text += std::string(" ") + address + "=twice";
    return text;
  }

  void WriteHeadElement() {
    html_ +=
        Pick({"<title>a <a href=no> &amp; </title>", "<style>a > b { c: '<a href=no>' }</style>",
              "<script>document.write('<a href=no>'); a--> b</script>",
              "<script><!-- <script></script> <a href=no> --></script>",
              "<meta name=robots content=noindex>", "<base target=_top>",
              "<meta http-equiv=refresh content='1;url=r'>", "<!-- <a href=no> -->"});
    if (rng_.Below(6) == 0) html_ += "<base href=/b" + std::to_string(rng_.Below(3)) + "/>";
    if (rng_.Below(2) == 0)
      html_ += "<link rel=" + Pick({"stylesheet", "next", "alternate", "icon", "canonical"}) +
               Attributes("href") + ">";
    if (rng_.Below(4) == 0) {
      html_ += Pick({"<link rel=canonical href=canonical>", "<link rel='canonical up' href=up>",
                     "<noscript><link rel=canonical href=canonical></noscript>"});
    }
  }

  void WriteText() {
    html_ += Pick({"text", " 1 < 2 & 3 ", "&lt;a href=no&gt;", "<!-- <a href=no> -->", "<!---->",
                   "<!-- -- -->", "<br>", "<img src=no alt='>'>", "<area href=area>",
                   "<input value='<a href=no>'/>", "<link rel=canonical href=below>"});
  }

  void WritePhrasing(int depth) {
    if (depth > 6 || rng_.Below(4) == 0) return WriteText();
    if (rng_.Below(2) == 0) {
      html_ += "<" + Pick({"a", "A"}) + Attributes("href") + ">";
      WriteText();
      html_ += "</a>";
      return;
    }
    const std::string name = Pick({"b", "em", "span", "x-y", "code"});
    html_ += "<" + name + ">";
    WritePhrasing(depth + 1);
    html_ += "</" + name + ">";
  }

  void WriteFlow(int depth) {
    if (depth > 5) return WritePhrasing(depth);
    switch (rng_.Below(8)) {
      case 0:
        return WriteInside(depth, "<ul><li>", "<li>", "</ul>");
      case 1:
        return WriteInside(depth, "<table><tr><td>", "</td><td>", "</td></tr></table>");
      case 2:
        return WriteInside(depth, "<dl><dt>x<dd>", "<dd>", "</dl>");
      case 3:
        html_ += "<p>";
        WritePhrasing(depth);
        html_ += Pick({"</p>", ""});
        return;
      case 4:
        html_ += "<svg viewBox='0 0 1 1'><title>t</title><a xlink:href=" + Href() +
                 "><path d='M0'/></a><style>x</style><![CDATA[<a href=no>]]></svg>";
        return;
      case 5:
        html_ +=
            "<iframe" + Attributes("src") + "><a href=no></iframe><textarea><a href=no></textarea>";
        return;
      case 6:
        return WriteInside(depth, "<noscript><div>", " ", "</div></noscript>");
      default:
        return WriteInside(depth, "<div><section>", "</section><section>", "</section></div>");
    }
  }

  void WriteInside(int depth, const char* begin, const char* between, const char* end) {
    html_ += begin;
    WriteFlow(depth + 1);
    html_ += between;
    WritePhrasing(depth + 1);
    html_ += end;
  }

  base::Rng rng_;
  std::string html_;
};

TEST(HtmlModel, ScannerFindsWhatTheTreeHolds) {
  const auto canonical = [](const Result& result) {
    return result.canonical ? std::string(result.canonical->text()) : "";
  };
  size_t links = 0, canonicals = 0;
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    const std::string page = WellFormedPage(seed).Write();
    const Result tree = ByGumbo(page), scan = ByScanner(page);
    ASSERT_EQ(Links(scan), Links(tree)) << "seed " << seed << "\n" << page;
    EXPECT_EQ(scan.rejected, tree.rejected) << "seed " << seed;
    EXPECT_EQ(scan.nofollowed, tree.nofollowed) << "seed " << seed;
    EXPECT_EQ(scan.noindex, tree.noindex) << "seed " << seed;
    EXPECT_EQ(canonical(scan), canonical(tree)) << "seed " << seed << "\n" << page;
    EXPECT_EQ(scan.canonicals_differ, tree.canonicals_differ) << "seed " << seed;
    links += scan.links.size();
    canonicals += scan.canonical ? 1 : 0;
  }
  EXPECT_GT(links, 5000u);  // the pages are worth comparing
  EXPECT_GT(canonicals, 50u);
}

}  // namespace
}  // namespace opic::links
