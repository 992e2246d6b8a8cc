#include "node/hosts_file_change.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/counted.h"
#include "base/json_string.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "node/crawl_changes.h"
#include "node/node_parts.h"

namespace opic::node {
namespace {

// Returns the differences. A failure leaves the settings as they were.
absl::StatusOr<size_t> PutInForce(NodeParts& parts, const HostsFile& before, HostsFile read) {
  const size_t differ = Differences(before, read);
  const auto file = std::make_shared<const HostsFile>(std::move(read));
  RETURN_IF_ERROR(parts.AskLedger([&]() -> absl::Status {
    RETURN_IF_ERROR(parts.host_rules->UseFile(file));
    if (differ > 0) parts.loop->TellHostRules();
    return absl::OkStatus();
  }));
  return differ;
}

// Pages that came into scope are reopened, of an earlier change, too, that did not come to its end.
void Reopen(CrawlChanges& crawl, const HostsFile& now) {
  const absl::Status reopened = crawl.SetHostDepths(now.depths);
  if (reopened.ok()) return;
  if (absl::IsUnavailable(reopened)) {
    base::LogInfo(
        "SIGHUP: --hosts-file {}: pages that its depths allow now are crawled after the "
        "next start: {}",
        now.path, std::string(reopened.message()));
    return;
  }
  base::LogError(
      "SIGHUP: --hosts-file {}: it is in force, but pages that its depths allow now are not all "
      "crawled yet: {}; send SIGHUP again",
      now.path, std::string(reopened.message()));
}

void NoteInTrail(NodeParts& parts, const HostsFile& now, size_t differ,
                 const absl::Status& result) {
  Act act{.at = parts.clock.Now(), .name = "ReadHostsFile"};
  act.what = absl::StrCat("{\"file\":", base::JsonString(now.path), ",\"rules\":", now.rules.size(),
                          ",\"changed\":", differ, "}");
  act.role = "operator";
  act.holder = "signal";
  act.address = "SIGHUP";
  act.result = result;
  parts.trail->Append(act, "SIGHUP");
}

}  // namespace

void TakeHostsFile(NodeParts& parts, CrawlChanges& crawl, absl::StatusOr<HostsFile> read) {
  const std::shared_ptr<const HostsFile> before = parts.host_rules->file();
  if (before == nullptr) return;
  const absl::StatusOr<size_t> differ = read.ok() ? PutInForce(parts, *before, *std::move(read))
                                                  : absl::StatusOr<size_t>(read.status());
  const std::shared_ptr<const HostsFile> now = parts.host_rules->file();
  if (!differ.ok()) {
    base::LogError("SIGHUP: {}; the settings of hosts stay as they were ({} of {})",
                   std::string(differ.status().message()), now->rules.size(), now->path);
  } else if (*differ == 0) {
    base::LogInfo("SIGHUP: --hosts-file {}: read again, {}; nothing has changed", now->path,
                  base::Counted(now->rules.size(), "rule"));
  } else {
    base::LogInfo("SIGHUP: --hosts-file {}: read again, {}; {} new, changed or removed", now->path,
                  base::Counted(now->rules.size(), "rule"), base::Counted(*differ, "is", "are"));
  }
  if (!differ.ok() || *differ > 0) NoteInTrail(parts, *now, differ.value_or(0), differ.status());
  if (differ.ok()) Reopen(crawl, *now);
}

}  // namespace opic::node
