#include "tests/sample/naive_crawl.h"

#include <deque>
#include <regex>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tests/sample/http_client.h"

namespace opic::sample {
namespace {

constexpr size_t kSchemeBytes = 7;  // "http://"

void AddMatches(const std::string& text, const std::regex& pattern,
                std::vector<std::string>& found) {
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    found.push_back((*it)[1]);
  }
}

std::string Unescaped(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&amp;", "&"}, {"&#39;", "'"}, {"&quot;", "\""}});
}

std::vector<std::string> XmlReferences(const std::string& xml) {
  static const std::regex kLoc("<loc>([^<]*)</loc>"), kLink("<link [^>]*href=\"([^\"]*)\"");
  std::vector<std::string> references;
  AddMatches(xml, kLoc, references);
  AddMatches(xml, kLink, references);
  for (std::string& reference : references) reference = Unescaped(reference);
  return references;
}

std::string HostOfUrl(const std::string& url) {
  return url.substr(kSchemeBytes, url.find('/', kSchemeBytes) - kSchemeBytes);
}

std::string TargetOfUrl(const std::string& url) { return url.substr(url.find('/', kSchemeBytes)); }

// "/a/b/../c" and "/a/./c" are "/a/c".
std::string WithoutDots(const std::string& path) {
  std::vector<std::string> kept;
  for (const auto part : absl::StrSplit(path, '/')) {
    if (part == "..") {
      if (kept.size() > 1) kept.pop_back();
    } else if (part != ".") {
      kept.emplace_back(part);
    }
  }
  std::string result;
  for (size_t i = 1; i < kept.size(); ++i) result += "/" + kept[i];
  const bool folder = path.ends_with("/.") || path.ends_with("/..");
  return result.empty() || folder ? result + "/" : result;
}

class Crawl {
 public:
  explicit Crawl(uint16_t port) : client_(port) {}
  Crawled From(const std::string& seed) {
    Discover(seed);
    for (; !queue_.empty(); queue_.pop_front()) Visit(queue_.front());
    return std::move(crawled_);
  }

 private:
  void Discover(const std::string& url) {
    if (crawled_.links.try_emplace(url).second) queue_.push_back(url);
  }
  void Visit(const std::string& url);
  bool Forbidden(const std::string& url);

  HttpClient client_;
  std::map<std::string, std::string> robots_;
  std::deque<std::string> queue_;
  Crawled crawled_;
};

bool Crawl::Forbidden(const std::string& url) {
  const auto [robots, is_new] = robots_.try_emplace(HostOfUrl(url));
  if (is_new) {
    const Response response = client_.Get(robots->first, "/robots.txt");
    if (response.status == 200) robots->second = response.body;
  }
  static const std::regex kDisallow("User-agent: \\*\n(?:.*\n)*?Disallow: (/.*)\n");
  std::smatch match;
  return std::regex_search(robots->second, match, kDisallow) &&
         TargetOfUrl(url).starts_with(match.str(1));
}

void Crawl::Visit(const std::string& url) {
  if (Forbidden(url)) return;
  const Response response = client_.Get(HostOfUrl(url), TargetOfUrl(url));
  crawled_.fetched.insert(url);
  std::vector<std::string> references;
  const auto header = [&](const char* name) {
    const auto found = response.headers.find(name);
    return found == response.headers.end() ? "" : found->second;
  };
  if (response.status / 100 == 3) {
    references = {header("location")};
  } else if (response.status == 200) {
    const bool xml = header("content-type").find("xml") != std::string::npos;
    references = xml ? XmlReferences(response.body) : HtmlReferences(response.body);
  }
  for (const std::string& reference : references) {
    const std::string target = Resolve(url, reference);
    if (target.empty() || target == url) continue;
    crawled_.links[url].insert(target);
    Discover(target);
  }
}

}  // namespace

std::vector<std::string> HtmlReferences(const std::string& html) {
  static const std::regex kHidden("<!--[\\s\\S]*?-->|<script>[\\s\\S]*?</script>");
  static const std::regex kTag("<(?:a|area|link)\\s((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>",
                               std::regex::icase);
  static const std::regex kHref("href\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)'|([^\\s>]+))",
                                std::regex::icase);
  static const std::regex kNoFollow("rel\\s*=\\s*[\"'][^\"']*nofollow", std::regex::icase);
  std::vector<std::string> tags, references;
  AddMatches(std::regex_replace(html, kHidden, ""), kTag, tags);
  for (const std::string& tag : tags) {
    std::smatch href;
    if (std::regex_search(tag, kNoFollow) || !std::regex_search(tag, href, kHref)) continue;
    references.push_back(Unescaped(href.str(1) + href.str(2) + href.str(3)));
  }
  return references;
}

std::string Resolve(const std::string& base, const std::string& whole) {
  const std::string reference = whole.substr(0, whole.find('#'));
  const std::string origin = "http://" + HostOfUrl(base);
  if (reference.empty()) return base;
  if (reference.starts_with("//")) return Resolve(base, "http:" + reference);
  if (reference.starts_with("http://")) {
    return reference.find('/', kSchemeBytes) == std::string::npos ? reference + "/" : reference;
  }
  if (std::regex_search(reference, std::regex("^[a-z]+:"))) return "";
  if (reference[0] == '/') return origin + reference;
  const std::string target = TargetOfUrl(base);
  const std::string path = target.substr(0, target.find('?'));
  return origin + WithoutDots(path.substr(0, path.rfind('/') + 1) + reference);
}

Crawled NaiveCrawl(const std::string& seed, uint16_t port) { return Crawl(port).From(seed); }

}  // namespace opic::sample
