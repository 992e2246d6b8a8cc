// Implements a part of cli/crawl_flags.h. What may be fetched.
#include <CLI/CLI.hpp>

#include "base/status_macros.h"
#include "cli/crawl_flags.h"
#include "cli/wrong_value.h"
#include "node/crawl_memory.h"
#include "url/trap.h"

namespace opic::cli {
namespace {

// URLs have no spaces: "*a*, *b*" would match nothing.
absl::Status CheckPatterns(const std::vector<std::string>& patterns, const std::string& flag) {
  for (const std::string& pattern : patterns) {
    if (pattern.find_first_of(" \t") != std::string::npos)
      return WrongValue(flag, pattern, "one pattern without spaces; give the option once for each");
  }
  return absl::OkStatus();
}

std::optional<std::vector<std::string>> Patterns(std::vector<std::string> given) {
  if (given.empty()) return std::nullopt;
  if (given == std::vector<std::string>{""}) given.clear();
  return given;
}

}  // namespace

void CrawlFlags::AddScopeTo(CLI::App& app) {
  app.add_option("--scope", scope,
                 "what may be fetched: host (default; the hosts of the seeds), domain (their "
                 "registrable domains) or any");
  // One value each time they are named: what follows may be a seed.
  app.add_option("--include", include,
                 "fetch only URLs that match this pattern (* and ?); may be repeated; \"\" alone "
                 "removes all earlier patterns")
      ->allow_extra_args(false);
  app.add_option(
         "--exclude", exclude,
         "never fetch URLs that match this pattern; may be repeated; \"\" alone removes all "
         "earlier patterns")
      ->allow_extra_args(false);
  app.add_flag("--strip-tracking", strip_tracking,
               "remove session and campaign parameters from links");
  app.add_option("--depth", depth, "follow at most this many links from a seed; 0: no limit");
  app.add_option("--traps", traps,
                 "pages whose URLs look as if a site made them without end (repeated segments, "
                 "growing queries, far dates): skip (default) does not fetch them where that is "
                 "certain; show counts them; off does nothing");
}

absl::StatusOr<node::ScopeChange> CrawlFlags::Scope() const {
  node::ScopeChange change;
  if (!scope.empty()) {
    change.kind = node::ScopeFromName(scope);
    if (!change.kind) return WrongValue("scope", scope, "one of host, domain, any");
  }
  RETURN_IF_ERROR(CheckPatterns(include, "include"));
  RETURN_IF_ERROR(CheckPatterns(exclude, "exclude"));
  change.include = Patterns(include);
  change.exclude = Patterns(exclude);
  change.depth_max = depth;
  if (!traps.empty()) {
    change.traps = url::TrapUseFromName(traps);
    if (!change.traps) return WrongValue("traps", traps, "one of off, show, skip");
  }
  return change;
}

}  // namespace opic::cli
