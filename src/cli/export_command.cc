// opic export: a crawl's pages and kept links as tables.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/rank_input.h"
#include "cli/table_file.h"

namespace opic::cli {
namespace {

struct ExportFlags {
  std::string data = "opic-data";
  std::string out;
  bool links = false, pages = false;
};

void PrintLinks(const node::ExportedPage& page, std::FILE* out) {
  for (const uint32_t target : page.links) fmt::print(out, "{}\t{}\n", page.number, target);
}

void PrintPage(const node::ExportedPage& page, std::FILE* out) {
  fmt::print(out, "{}\t{:016x}\t{}\t{:.17g}\t{}\n", page.number, page.page.word(), page.state,
             page.importance, page.url);
}

absl::Status Write(const ExportFlags& flags) {
  if (flags.links == flags.pages) {
    return absl::InvalidArgumentError("give --links or --pages");
  }
  ASSIGN_OR_RETURN(RestingCrawl crawl, RestingCrawl::Open(flags.data));
  ASSIGN_OR_RETURN(TableFile file, TableFile::Create(flags.out));
  if (flags.links) {
    fmt::print(file.stream(), "# pages {}; from and to, as `opic export --pages` numbers them\n",
               crawl.pages().pages());
  } else {
    fmt::print(file.stream(), "# number\tword\tstate\timportance\turl\n");
  }
  RETURN_IF_ERROR(crawl.pages().ForEach([&](const node::ExportedPage& page) {
    flags.links ? PrintLinks(page, file.stream()) : PrintPage(page, file.stream());
    return absl::OkStatus();
  }));
  if (crawl.pages().links_elsewhere() > 0) {
    fmt::print(stderr, "opic: {} links to pages of other nodes were left out\n",
               crawl.pages().links_elsewhere());
  }
  return file.Close();
}

}  // namespace

Command AddExport(CLI::App& opic) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App* app =
      opic.add_subcommand("export", "write the links or pages of a data folder at rest as a table");
  app->add_option("--data", flags->data, "data folder (default opic-data)");
  app->add_flag("--links", flags->links,
                "edge list: a line FROM TO of page numbers for each kept link");
  app->add_flag("--pages", flags->pages,
                "table of pages: number, word, state, importance and URL of each");
  app->add_option("--out", flags->out, "file to write (default standard output)");
  return {app, [flags] {
            const absl::Status status = Write(*flags);
            return status.ok() ? kOk : Complain(status);
          }};
}

}  // namespace opic::cli
