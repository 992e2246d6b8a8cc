#include "cli/rank_input.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "archive/gzip_reader.h"
#include "base/file.h"
#include "base/named_file.h"
#include "base/status_macros.h"
#include "cli/crawl_flags.h"
#include "graph/edge_list.h"
#include "url/glob.h"

namespace opic::cli {
namespace {

uint64_t ResidentBytes() {
  uint64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// "page [weight]"
bool ParseWeight(absl::string_view line, std::pair<uint32_t, double>& entry) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
  entry.second = 1;
  return !words.empty() && words.size() <= 2 && absl::SimpleAtoi(words[0], &entry.first) &&
         (words.size() == 1 || absl::SimpleAtod(words[1], &entry.second));
}

absl::Status ReadEdges(const std::string& path, graph::EdgeListParser::Take take) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(path + " is a folder, not an edge list");
  }
  absl::StatusOr<archive::GzipReader> file = archive::GzipReader::Open(path);
  if (!file.ok()) return base::OfNamedFile(file.status());
  return base::WithContext(
      graph::ParseEdgeList([&](absl::Span<char> out) { return file->Read(out); }, take), path);
}

}  // namespace

absl::Status AddEdgeList(const std::string& path, rank::RankLinks& links) {
  return ReadEdges(path, [&](uint64_t from, uint64_t to) { return links.Add(from, to); });
}

absl::StatusOr<graph::Graph> ReadGraph(const std::string& path, uint32_t pages_max) {
  std::vector<graph::Edge> edges;
  uint32_t pages = 0;
  RETURN_IF_ERROR(ReadEdges(path, [&](uint64_t from, uint64_t to) -> absl::Status {
    if (std::max(from, to) >= pages_max) {
      return absl::InvalidArgumentError(
          absl::StrCat("page number ", std::max(from, to), " is not below ", pages_max));
    }
    edges.push_back({static_cast<uint32_t>(from), static_cast<uint32_t>(to)});
    pages = std::max(pages, static_cast<uint32_t>(std::max(from, to)) + 1);
    return absl::OkStatus();
  }));
  return graph::Graph::FromEdges(pages, std::move(edges));
}

absl::Status AddCrawl(node::Export& crawl, rank::RankLinks& links) {
  links.AddPages(crawl.all_pages());
  return crawl.ForEach([&](const node::ExportedPage& page) {
    for (const uint32_t target : page.links) {
      RETURN_IF_ERROR(links.Add(page.number, target));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<PageWeights> ReadPageWeights(const std::string& path, size_t memory_bytes) {
  const absl::StatusOr<std::string> text = base::ReadFile(path, memory_bytes / 2);
  if (!text.ok()) return base::OfNamedFile(text.status());
  PageWeights weights;
  size_t number = 0;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    ++number;
    const absl::string_view content = absl::StripAsciiWhitespace(line);
    if (content.empty() || content[0] == '#' || content[0] == '%') continue;
    if (weights.size() * 4 * sizeof(weights[0]) > memory_bytes) {
      return absl::ResourceExhaustedError(path + ": too many pages for --memory");
    }
    if (!ParseWeight(content, weights.emplace_back())) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": line ", number, ": expected a page number and, after it, a weight"));
    }
  }
  return weights;
}

absl::StatusOr<PageWeights> PagesMatching(node::Export& crawl, const std::string& glob) {
  PageWeights weights;
  RETURN_IF_ERROR(crawl.ForEach([&](const node::ExportedPage& page) {
    if (page.known && url::GlobMatches(glob, page.record.url)) weights.emplace_back(page.number, 1);
    return absl::OkStatus();
  }));
  if (weights.empty()) return absl::InvalidArgumentError("no URL matches \"" + glob + "\"");
  return weights;
}

absl::StatusOr<size_t> MemoryFor(const std::string& text) {
  size_t bytes =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) / 2 * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (!text.empty()) {
    ASSIGN_OR_RETURN(bytes, ParseBytes(text, "memory"));
  }
  const uint64_t used = ResidentBytes();
  if (bytes < used + rank::kRankMemoryMin) {
    return absl::InvalidArgumentError(
        absl::StrCat("--memory is too low: the process itself uses ", used >> 20, "M"));
  }
  return bytes - used;
}

}  // namespace opic::cli
