// opic-modules: links
// What finding the links of a page costs: the guard, Gumbo with malloc, Gumbo with the arena (the
// guard included), and the scanner; with the hashes of its links; and with the text and the sketch
// that a crawl wants, too. The pages are the *.html below the folder OPIC_BENCH_PAGES, or
// generated.
//
//   OPIC_BENCH_PAGES=/usr/share/doc links_bench
//
// The time of one iteration is that of one page. BM_Hostile shows the texts that the guard is for,
// given to Gumbo all the same.
#include <benchmark/benchmark.h>
#include <gumbo.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "links/gumbo_links.h"
#include "links/html_guard.h"
#include "links/html_scanner.h"
#include "links/links.h"
#include "links/reader_text.h"
#include "url/page_id.h"

namespace opic::links {
namespace {

constexpr size_t kPagesMax = 2000;
constexpr size_t kArenaBytesMax = size_t{1} << 30;

std::string GeneratedPage(int number) {
  std::string page = "<!DOCTYPE html><html><head><title>Page</title></head><body>";
  for (int i = 0; i < 60; ++i) {
    page +=
        "<div class=\"entry\"><h2>Heading</h2><p>Some text with <em>words</em> and <a href=\"page" +
        std::to_string(number * 7 + i) + ".html\" title=\"x\">a link</a>.<ul><li>one<li>two</ul>" +
        std::string(200, 't') + "</div>\n";
  }
  return page + "</body></html>";
}

std::vector<std::string> ReadPages(const char* folder) {
  std::vector<std::string> pages;
  std::error_code error;
  using Walk = std::filesystem::recursive_directory_iterator;
  size_t seen = 0;
  for (Walk at(folder, error); !error && at != Walk() && pages.size() < kPagesMax;
       at.increment(error)) {
    // Every fourth, so that one large manual is not all of the sample.
    if (!at->is_regular_file(error) || at->path().extension() != ".html" || seen++ % 4 != 0)
      continue;
    std::ifstream file(at->path(), std::ios::binary);
    pages.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return pages;
}

const std::vector<std::string>& Pages() {
  static const std::vector<std::string> pages = [] {
    const char* folder = std::getenv("OPIC_BENCH_PAGES");
    std::vector<std::string> read = folder ? ReadPages(folder) : std::vector<std::string>();
    for (int i = 0; read.size() < 20; ++i) read.push_back(GeneratedPage(i));
    return read;
  }();
  return pages;
}

template <typename Read>
void OverPages(benchmark::State& state, Read read) {
  const std::vector<std::string>& pages = Pages();
  size_t next = 0, bytes = 0;
  for (auto _ : state) {
    const std::string& page = pages[next++ % pages.size()];
    read(page);
    bytes += page.size();
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}

Result Links(const std::string& page, const Limits& limits) {
  static const url::Url kUrl = *url::Parse("http://site.example/dir/page.html");
  Document document;
  document.body = page;
  document.content_type = "text/html; charset=utf-8";
  document.url = &kUrl;
  return Extract(document, limits);
}

Result Links(const std::string& page, bool gumbo) {
  Limits limits;
  limits.gumbo = gumbo;
  return Links(page, limits);
}

// Extracts the links and finds the page of each.
void LinksAndPages(const std::string& page, const Limits& limits) {
  static const url::UrlHash kHash(url::ShardBy::kHost, 1024);
  const Result result = Links(page, limits);
  for (const url::Url& link : result.links) benchmark::DoNotOptimize(kHash.PageOf(link));
}

void BM_Guard(benchmark::State& state) {
  OverPages(state, [](const std::string& page) {
    benchmark::DoNotOptimize(CheckForGumbo(page, GuardLimits()));
  });
}
BENCHMARK(BM_Guard);

void BM_GumboTreeMalloc(benchmark::State& state) {
  OverPages(state, [](const std::string& page) {
    GumboOptions options = kGumboDefaultOptions;
    options.max_errors = 0;
    gumbo_destroy_output(&options, gumbo_parse_with_options(&options, page.data(), page.size()));
  });
}
BENCHMARK(BM_GumboTreeMalloc)->Unit(benchmark::kMicrosecond);

void BM_ExtractByGumbo(benchmark::State& state) {
  OverPages(state, [](const std::string& page) { benchmark::DoNotOptimize(Links(page, true)); });
}
BENCHMARK(BM_ExtractByGumbo)->Unit(benchmark::kMicrosecond);

void BM_ExtractByScanner(benchmark::State& state) {
  OverPages(state, [](const std::string& page) { benchmark::DoNotOptimize(Links(page, false)); });
}
BENCHMARK(BM_ExtractByScanner)->Unit(benchmark::kMicrosecond);

void BM_LinksAndPages(benchmark::State& state) {
  OverPages(state, [](const std::string& page) { LinksAndPages(page, Limits()); });
}
BENCHMARK(BM_LinksAndPages)->Unit(benchmark::kMicrosecond);

// As `opic crawl` reads a page unless told otherwise.
void BM_LinksPagesAndSketch(benchmark::State& state) {
  Limits limits;
  limits.text_digest = limits.text_sketch = true;
  OverPages(state, [&](const std::string& page) { LinksAndPages(page, limits); });
}
BENCHMARK(BM_LinksPagesAndSketch)->Unit(benchmark::kMicrosecond);

// What near duplicates cost: the text a reader sees, without and with its sketch.
void BM_ReaderText(benchmark::State& state) {
  OverPages(state, [](const std::string& page) { benchmark::DoNotOptimize(ReaderTextOf(page)); });
}
BENCHMARK(BM_ReaderText)->Unit(benchmark::kMicrosecond);

void BM_ReaderTextWithSketch(benchmark::State& state) {
  OverPages(state, [](const std::string& page) {
    benchmark::DoNotOptimize(ReaderTextOf(page, /*with_sketch=*/true));
  });
}
BENCHMARK(BM_ReaderTextWithSketch)->Unit(benchmark::kMicrosecond);

struct Hostile {
  const char* name;
  const char* before;  // %d is replaced by a running number
  int times;
  const char* unit;
};
constexpr Hostile kHostile[] = {
    {"ordinary", "", 0, "<p>one <b>two</b></p>"},  {"deep", "", 0, "<div>"},
    {"formatting", "<font size=%d>", 300, "<p>x"}, {"fostered", "<table>", 1, "<br>x"},
    {"misnested", "", 0, "<a><div></a>"},
};

std::string HostileText(const Hostile& hostile) {
  std::string text = "<p>";
  for (int i = 0; i < hostile.times; ++i) {
    const std::string before = hostile.before;
    const size_t number = before.find("%d");
    text += number == std::string::npos
                ? before
                : before.substr(0, number) + std::to_string(i) + before.substr(number + 2);
  }
  while (text.size() < 50'000) text += hostile.unit;
  return text;
}

void BM_Hostile(benchmark::State& state) {
  const Hostile& hostile = kHostile[state.range(0)];
  const std::string text = HostileText(hostile);
  const url::Url url = *url::Parse("http://site.example/");
  size_t tree = 0;
  for (auto _ : state) {
    const Limits limits;
    Result result;
    LinkSink sink(url, limits, result);
    LinkElements elements(sink, result, "opic");
    tree = GumboLinks(text, kArenaBytesMax, elements).arena_bytes;
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
  state.counters["tree_bytes_per_byte"] =
      static_cast<double>(tree) / static_cast<double>(text.size());
  const bool safe = CheckForGumbo(text, GuardLimits()) == GuardVerdict::kSafe;
  state.SetLabel(std::string(hostile.name) + (safe ? ", the guard lets it pass" : ", refused"));
}
BENCHMARK(BM_Hostile)
    ->DenseRange(0, std::size(kHostile) - 1)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);

}  // namespace
}  // namespace opic::links

BENCHMARK_MAIN();
