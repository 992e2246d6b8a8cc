// Implements a part of sample/page_text.h.
#include "absl/strings/str_format.h"
#include "sample/href.h"
#include "sample/page_text.h"

namespace opic::sample {
namespace {

// Writes one page from top to bottom.
class HtmlWriter {
 public:
  HtmlWriter(const Web& web, uint32_t page, uint64_t changes)
      : web_(web), page_(page), charset_(CharsetOf(web, page)), rng_(SeedOf(web, page, changes)) {}

  std::string Write(absl::Span<const uint32_t> links) {
    const size_t in_navigation = links.size() / 3;
    Head();
    Navigation(links.subspan(0, in_navigation));
    Article(links.subspan(in_navigation));
    Foot();
    return std::move(out_);
  }

 private:
  static uint64_t SeedOf(const Web& web, uint32_t page, uint64_t changes) {
    const uint64_t first = web.DrawFor(page, "html");
    return changes == 0 ? first : base::Mix64(first ^ base::Mix64(changes));
  }
  void Head();
  void Navigation(absl::Span<const uint32_t> links);
  void Article(absl::Span<const uint32_t> links);
  void Foot();
  void Link(uint32_t to);
  std::string Some(uint64_t words) { return Phrase(rng_, charset_, words); }
  bool Once(uint64_t in) { return rng_.Below(in) == 0; }

  const Web& web_;
  const uint32_t page_;
  const Charset charset_;
  base::Rng rng_;
  std::string out_;
};

void HtmlWriter::Head() {
  out_ += "<!DOCTYPE html>\n<html lang=en>\n<head>\n";
  // A Latin-1 page says so in its Content-Type header only.
  if (charset_ == Charset::kUtf8 && !Once(4)) out_ += "<meta charset=\"utf-8\">\n";
  absl::StrAppendFormat(&out_, "<title>%s</title>\n", Some(3));
  if (Once(4)) {
    absl::StrAppendFormat(&out_, "<link rel=\"canonical\" href=\"%s\">\n",
                          Escaped(web_.UrlOf(page_)));
  }
  if (Once(5)) out_ += "<script>var s = '<a href=\"/trap/script.html\">' + 1;</script>\n";
  out_ += "</head>\n<body>\n";
}

void HtmlWriter::Navigation(absl::Span<const uint32_t> links) {
  out_ += "<nav>\n<ul>\n";
  for (const uint32_t to : links) {
    out_ += "<li>";
    Link(to);
    out_ += Once(3) ? "\n" : "</li>\n";  // the end tag may be left out
  }
  out_ += "</ul>\n</nav>\n";
}

void HtmlWriter::Article(absl::Span<const uint32_t> links) {
  absl::StrAppendFormat(&out_, "<h1>%s</h1>\n", Some(4));
  const uint64_t paragraphs = 4 + rng_.Below(10);
  size_t written = 0;
  for (uint64_t i = 0; i < paragraphs; ++i) {
    absl::StrAppendFormat(&out_, "<p>%s.\n", Some(40 + rng_.Below(60)));
    for (; written < links.size() * (i + 1) / paragraphs; ++written) {
      Link(links[written]);
      absl::StrAppendFormat(&out_, " %s,\n", Some(2));
    }
    if (!Once(3)) out_ += "</p>\n";
  }
}

void HtmlWriter::Foot() {
  if (Once(3)) out_ += "<!-- <a href=\"/trap/comment.html\">the old page</a> -->\n";
  if (Once(3)) out_ += "<a rel=\"nofollow\" href=\"/trap/nofollow.html\">log in</a>\n";
  if (Once(9)) out_ += "<a href='/trap/also.html' rel='external NoFollow'>an advertisement</a>\n";
  if (Once(4)) out_ += "<a href=\"mailto:web@sample.test\">write to us</a>\n";
  if (Once(9)) out_ += "<a href=\"javascript:print()\">print</a> <a name=end></a>\n";
  out_ += "</body>\n</html>\n";
}

// The spellings that HTML allows (HTML Standard 13.1.2.3). Once in a while the same link twice.
void HtmlWriter::Link(uint32_t to) {
  const std::string href = Escaped(Href(web_, page_, to, rng_));
  const std::string text = Some(2);
  const uint64_t spelling = rng_.Below(12);
  // "=" is not allowed without quotes.
  const bool bare = href.find('=') == std::string::npos;
  if (spelling == 0) {
    absl::StrAppendFormat(&out_, "<a href='%s'>%s</a>", href, text);
  } else if (spelling == 1) {
    absl::StrAppendFormat(&out_, "<A HREF=\"%s\" CLASS=big>%s</A>", href, text);
  } else if (spelling == 2 && bare) {
    absl::StrAppendFormat(&out_, "<a class=more href=%s>%s</a>", href, text);
  } else if (spelling == 3) {
    absl::StrAppendFormat(&out_, "<a\n  title=\"here > there\"\n  href = \"%s\"\n>%s</a>", href,
                          text);
  } else if (spelling == 4) {
    absl::StrAppendFormat(&out_, "<map><area href=\"%s\" alt=\"%s\"></map>", href, text);
  } else {
    absl::StrAppendFormat(&out_, "<a href=\"%s\">%s</a>", href, text);
  }
  if (Once(30)) absl::StrAppendFormat(&out_, " (<a href=\"%s\">again</a>)", href);
}

}  // namespace

Charset CharsetOf(const Web& web, uint32_t page) {
  return web.DrawFor(page, "charset") % 20 == 0 ? Charset::kLatin1 : Charset::kUtf8;
}

std::string HtmlText(const Web& web, uint32_t page, const PageState& state) {
  return HtmlWriter(web, page, state.changes).Write(state.links);
}

}  // namespace opic::sample
