// opic export: a crawl's pages and kept links as tables or JSON lines.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/counted.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/crawl_source.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/table_file.h"
#include "cli/url_file.h"

namespace opic::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ExportFlags {
  SourceFlags source;
  std::string out;
  bool links = false, pages = false, urls = false, json = false;
};

std::string WordOf(const node::ExportedPage& page) {
  return fmt::format("{:016x}", page.record.page.word());
}

Json PageJson(const node::ExportedPage& page) {
  const node::PageRecord& record = page.record;
  Json json = {{"page", page.number}, {"word", WordOf(page)}, {"state", record.state}};
  if (!page.known) return json;
  json["importance"] = page.importance;
  json["cash"] = std::to_string(record.cash.units());
  json["history"] = cash::ToString(record.history);
  json["depth"] = record.depth;
  json["visits"] = record.visits;
  json["fetches"] = record.fetches;
  json["links"] = record.links.size();
  if (record.http_status != 0) json["http_status"] = record.http_status;
  if (record.fetched_at != 0) json["fetched_at"] = record.fetched_at;
  if (record.content_hash != 0) json["content_hash"] = fmt::format("{:016x}", record.content_hash);
  json["url"] = record.url;
  return json;
}

// Of a page known elsewhere neither importance nor URL can be told.
void PrintPage(const node::ExportedPage& page, bool json, std::FILE* out) {
  if (json) return PrintJsonLine(PageJson(page), out);
  const std::string importance = page.known ? fmt::format("{:.17g}", page.importance) : "-";
  fmt::print(out, "{}\t{}\t{}\t{}\t{}\n", page.number, WordOf(page), page.record.state, importance,
             page.known ? page.record.url : "-");
}

absl::Status PrintPages(node::Export& crawl, bool json, std::FILE* out) {
  if (!json) fmt::print(out, "# number\tword\tstate\timportance\turl\n");
  return crawl.ForEach([&](const node::ExportedPage& page) {
    PrintPage(page, json, out);
    return absl::OkStatus();
  });
}

// The links' ends, by number or by URL.
class LinkPrinter {
 public:
  LinkPrinter(const ExportFlags& flags, node::Export& crawl, std::FILE* out)
      : flags_(flags), crawl_(crawl), out_(out) {}

  absl::Status Print() {
    if (flags_.urls) RETURN_IF_ERROR(GatherUrls());
    if (!flags_.json && flags_.urls) fmt::print(out_, "# from and to\n");
    if (!flags_.json && !flags_.urls) {
      fmt::print(out_, "# pages {}; from and to, as `opic export --pages` numbers them\n",
                 crawl_.all_pages());
    }
    return crawl_.ForEach([this](const node::ExportedPage& page) -> absl::Status {
      for (const uint32_t target : page.links) RETURN_IF_ERROR(PrintLink(page, target));
      return absl::OkStatus();
    });
  }

 private:
  absl::Status GatherUrls() {
    ASSIGN_OR_RETURN(urls_, UrlFile::Create(flags_.source.folder));
    return crawl_.ForEach([this](const node::ExportedPage& page) {
      return page.known ? urls_->Add(page.record.url) : absl::OkStatus();
    });
  }

  absl::Status PrintLink(const node::ExportedPage& from, uint32_t to) {
    const bool known = to < crawl_.pages();
    if (!flags_.urls) {
      if (!flags_.json) {
        fmt::print(out_, "{}\t{}\n", from.number, to);
        return absl::OkStatus();
      }
      Json json = {{"from", from.number}, {"to", to}};
      if (!known) json["to_state"] = node::kKnownElsewhere;
      PrintJsonLine(json, out_);
      return absl::OkStatus();
    }
    std::string url = "-";
    if (known) {
      ASSIGN_OR_RETURN(url, urls_->Read(to));
    }
    if (!flags_.json) {
      fmt::print(out_, "{}\t{}\n", from.record.url, url);
      return absl::OkStatus();
    }
    Json json = {{"from", from.number}, {"to", to}, {"from_url", from.record.url}};
    known ? json["to_url"] = url : json["to_state"] = node::kKnownElsewhere;
    PrintJsonLine(json, out_);
    return absl::OkStatus();
  }

  const ExportFlags& flags_;
  node::Export& crawl_;
  std::FILE* const out_;
  std::optional<UrlFile> urls_;
};

absl::Status Write(const ExportFlags& flags) {
  if (flags.links == flags.pages) {
    return absl::InvalidArgumentError("give exactly one of --links and --pages");
  }
  if (flags.urls && flags.pages) return absl::InvalidArgumentError("--urls goes with --links");
  ASSIGN_OR_RETURN(CrawlSource source, CrawlSource::Open(flags.source));
  node::Export& crawl = source.pages();
  RETURN_IF_ERROR(WriteTable(flags.out, [&](std::FILE* out) {
    return flags.pages ? PrintPages(crawl, flags.json, out)
                       : LinkPrinter(flags, crawl, out).Print();
  }));
  if (crawl.elsewhere() > 0) {
    fmt::print(stderr,
               "opic: {} to {} of other nodes, whose URLs and importance are not known here: give "
               "all nodes' folders, or --cluster\n",
               base::Counted(crawl.links_elsewhere(), "link leads", "links lead"),
               base::Counted(crawl.elsewhere(), "page"));
  }
  return absl::OkStatus();
}

}  // namespace

Command AddExport(CLI::App& opic) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App* app = opic.add_subcommand(
      "export", "write the links or pages of a crawl as a table, at rest or from running nodes");
  flags->source.AddTo(*app);
  app->add_flag("--links", flags->links,
                "edge list: a line FROM TO of page numbers for each kept link");
  app->add_flag("--urls", flags->urls, "with --links: URLs instead of page numbers");
  app->add_flag("--pages", flags->pages,
                "table of pages: number, word, state, importance and URL of each");
  app->add_flag("--json", flags->json,
                "print one JSON object a line; pages also have cash, history, visits and more");
  app->add_option("--out", flags->out, "file to write (default standard output)");
  flags->source.AddFolderTo(*app);
  app->footer(
      "Pages known elsewhere are another node's whose pages are not read: links lead to them, and "
      "neither\n"
      "their URL nor their importance is known here. Their state is \"elsewhere\".");
  return {app, [flags] {
            const absl::Status status = Write(*flags);
            return status.ok() ? kOk : PrintError(status);
          }};
}

}  // namespace opic::cli
