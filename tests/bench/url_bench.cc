// opic-modules: url
// What one link costs: resolved against its page, parsed alone, with IDNA; then its page id, and
// what is asked of a page before it is fetched.
#include <benchmark/benchmark.h>

#include <array>
#include <string_view>

#include "url/page_id.h"
#include "url/scope.h"
#include "url/trap.h"
#include "url/url.h"

namespace opic::url {
namespace {

constexpr std::string_view kPage = "https://www.example.org/wiki/articles/2024/a-page.html?lang=en";

// As on common pages: site-rooted, document-relative, parent, query, fragment.
constexpr auto kRelative = std::to_array<std::string_view>(
    {"/wiki/Special:Search", "/static/css/site.css", "another-page.html", "../2023/older.html",
     "?lang=de", "#section-2", "/w/index.php?title=Main_Page&action=history",
     "./sibling/index.html", "/wiki/Portal:Contents/Reference", "/about/contact",
     "images/figure-1.png", "../../index.html"});

constexpr auto kAbsolute = std::to_array<std::string_view>(
    {"https://www.example.org/wiki/Main_Page", "http://cdn.example.net/lib/jquery-3.7.min.js",
     "https://en.example.com:8443/news/2024/05/17/a-rather-long-title-of-an-article?ref=rss#top",
     "https://example.org/", "http://blog.example.co.uk/2019/12/post/",
     "https://www.example.org/search?q=opic&page=2&sort=date"});

constexpr auto kIdna = std::to_array<std::string_view>(
    {"https://b\u00fccher.example/a", "http://xn--bcher-kva.example/b/c"});

template <typename Links>
void ParseAll(benchmark::State& state, const Links& links, const Url* base) {
  for (auto _ : state) {
    for (std::string_view link : links) benchmark::DoNotOptimize(Parse(link, base));
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * links.size()));
}

void ResolveRelativeLinks(benchmark::State& state) {
  const auto page = Parse(kPage);
  ParseAll(state, kRelative, &*page);
}
BENCHMARK(ResolveRelativeLinks);

void ParseAbsoluteUrls(benchmark::State& state) { ParseAll(state, kAbsolute, nullptr); }
BENCHMARK(ParseAbsoluteUrls);

void ParseIdnaUrls(benchmark::State& state) { ParseAll(state, kIdna, nullptr); }
BENCHMARK(ParseIdnaUrls);

void HashPageIds(benchmark::State& state) {
  const auto page = Parse(kPage);
  const UrlHash hash(ShardBy::kHost, 1024);
  for (auto _ : state) benchmark::DoNotOptimize(hash.PageOf(*page));
}
BENCHMARK(HashPageIds);

void TestDomainScope(benchmark::State& state) {
  const auto page = Parse(kPage);
  Scope scope({.kind = ScopeKind::kDomain, .exclude = {"*.css", "*/private/*"}});
  scope.AddSeed(*page);
  for (auto _ : state) benchmark::DoNotOptimize(scope.Contains(*page));
}
BENCHMARK(TestDomainScope);

void LookForTraps(benchmark::State& state) {
  const auto page = Parse(kPage);
  for (auto _ : state) benchmark::DoNotOptimize(TrapOf(*page, 2026));
}
BENCHMARK(LookForTraps);

}  // namespace
}  // namespace opic::url

BENCHMARK_MAIN();
