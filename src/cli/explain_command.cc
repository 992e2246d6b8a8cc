// opic explain: what became of a page, or why it is not fetched yet.
#include <fmt/core.h>

#include "base/status_macros.h"
#include "cli/crawl_flags.h"
#include "cli/human.h"
#include "cli/question.h"
#include "cli/scheduler_beside.h"

namespace opic::cli {
namespace {

std::string UtcTime(int64_t unix_seconds) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", absl::FromUnixSeconds(unix_seconds),
                          absl::UTCTimeZone());
}

struct ExplainFlags : TargetFlags {
  std::string url;
  std::string scheduler;
};

absl::StatusOr<scheduler::HostExplanation> ExplainHost(const ExplainFlags& flags, Target& target,
                                                       const url::Url& page) {
  const std::string host(page.host());
  if (!flags.scheduler.empty()) {
    ASSIGN_OR_RETURN(const absl::Duration patience, ParseDuration(flags.patience, "patience"));
    absl::StatusOr<scheduler::HostExplanation> answer =
        rpc::NodeClient::To(flags.scheduler, patience)->ExplainHost(host);
    if (answer.ok()) return answer;
    return base::WithContext(answer.status(), "asking the scheduler at " + flags.scheduler);
  }
  absl::StatusOr<scheduler::HostExplanation> answer = target.OwnerOf(page)->ExplainHost(host);
  if (answer.ok()) return answer;
  return NameTheScheduler(answer.status(), "--scheduler");
}

std::string HowItEnded(const node::PageImportance& page) {
  const std::string tries = page.fetches == 0
                                ? "It was never asked for"
                                : fmt::format("It was fetched {}", Counted(page.fetches, "time"));
  const std::string fetched = fmt::format("{}, last at {}.\n", tries, UtcTime(page.fetched_at));
  if (page.state == "failed" && page.http_status == 0) {
    return fmt::format(
        "{} failed: {}.\n{}", page.url,
        page.failure.empty() ? "no answer (an earlier release kept no cause)" : page.failure,
        page.fetches == 0 ? "" : fetched);
  }
  if (page.state == "forbidden") return page.url + " is forbidden by its host's robots.txt.\n";
  if (page.state == "out_of_scope") {
    return page.url +
           " is out of the crawl's scope (--scope, --include, --exclude, --depth): it is known by "
           "links, and not fetched.\n";
  }
  return fmt::format("{}: {}, HTTP status {}. {}", page.url, page.state, page.http_status,
                     page.fetches == 0 ? tries + ".\n" : fetched);
}

std::string WhenItIsReadAgain(const node::PageImportance& page) {
  std::string text;
  if (page.change_rate > 0) {
    text = fmt::format("It changes about once in {} (within {:.0f} %).\n",
                       HumanTime(absl::Seconds(1 / page.change_rate)),
                       100 * page.change_rate_deviation);
  }
  if (page.due > 0) text += fmt::format("It is to be read again at {}.\n", UtcTime(page.due));
  return text;
}

absl::StatusOr<int> RunExplain(const ExplainFlags& flags, Target& target) {
  ASSIGN_OR_RETURN(const std::vector<node::PageImportance> pages,
                   target.answers().Importance({flags.url}));
  const node::PageImportance& page = pages.front();
  if (!page.known) {
    fmt::print("{} is not known: no link to it was found.\n", page.url);
    return kNotFound;
  }
  if (page.state != "unread") {
    fmt::print("{}{}", HowItEnded(page), WhenItIsReadAgain(page));
    return kOk;
  }
  if (target.client() == nullptr) {
    fmt::print("{} is unread. No process uses this data folder, so nothing is fetched.\n",
               page.url);
    return kOk;
  }
  const std::optional<url::Url> url = url::Parse(page.url);
  ASSIGN_OR_RETURN(const scheduler::HostExplanation host, ExplainHost(flags, target, *url));
  fmt::print("{} is unread, with {} units of cash. Its host: {}\n", page.url, page.cash.units(),
             host.reason);
  return kOk;
}

}  // namespace

Command AddExplain(CLI::App& opic) {
  return QuestionCommand<ExplainFlags>(
      opic, "explain", "say why a URL is not fetched yet, and when it will be", RunExplain,
      [](CLI::App& app, ExplainFlags& flags) {
        app.add_option("url", flags.url, "the URL")->required();
        app.add_option("--scheduler", flags.scheduler,
                       "HOST:PORT of the node's opic-scheduler, if it has one");
      });
}

}  // namespace opic::cli
