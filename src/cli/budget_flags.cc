#include "cli/budget_flags.h"

#include <CLI/CLI.hpp>

#include "base/status_macros.h"
#include "cli/hosts_file.h"
#include "cli/quantity.h"

namespace opic::cli {
namespace {

absl::StatusOr<uint64_t> LimitOf(const std::string& text, const std::string& flag) {
  if (text.empty()) return 0;
  return ParseBytes(text, flag);
}

}  // namespace

void BudgetFlags::AddTo(CLI::App& app) {
  app.add_option("--host-pages", host_pages,
                 "fetch at most this many pages of each host, over all time; 0: no limit")
      ->check(CheckCount);
  app.add_option("--host-bytes", host_bytes,
                 "receive at most this many bytes for the pages of each host, over all time, e.g. "
                 "1G; 0: no limit");
  app.add_option("--domain-pages", domain_pages,
                 "fetch at most this many pages of each registrable domain, of all its hosts "
                 "together; 0: no limit")
      ->check(CheckCount);
  app.add_option("--domain-bytes", domain_bytes,
                 "receive at most this many bytes for the pages of each registrable domain; 0: no "
                 "limit");
  app.add_option("--hosts-file", hosts_file,
                 "file with settings by host, a line each: host NAME, domain NAME or group NAME, "
                 "then any of block, delay TIME, parallel N, share PERCENT, pages N, bytes SIZE, "
                 "depth N, group NAME; SIGHUP has it read again");
}

absl::StatusOr<node::BudgetOptions> BudgetFlags::Options() const {
  node::BudgetOptions options;
  options.host_pages = host_pages;
  options.domain_pages = domain_pages;
  ASSIGN_OR_RETURN(options.host_bytes, LimitOf(host_bytes, "host-bytes"));
  ASSIGN_OR_RETURN(options.domain_bytes, LimitOf(domain_bytes, "domain-bytes"));
  return options;
}

absl::Status BudgetFlags::ApplyTo(node::CrawlOptions& crawl) const {
  ASSIGN_OR_RETURN(crawl.budgets, Options());
  if (hosts_file.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(node::HostsFile file, ReadHostsFile(hosts_file));
  crawl.hosts_file = std::make_shared<const node::HostsFile>(std::move(file));
  return absl::OkStatus();
}

}  // namespace opic::cli
