#include "cli/attention.h"

#include "absl/strings/str_cat.h"

namespace opic::cli {
namespace {

void Look(const node::NodeStats& stats, std::vector<std::string>& found) {
  const std::string who = stats.name.empty() ? "" : "node " + stats.name + ": ";
  if (stats.scheduler_away) {
    found.push_back(absl::StrCat(who, "its Page Scheduler does not answer, so nothing new is ",
                                 "fetched; start opic-scheduler again"));
  }
  for (const cluster::ChannelStatus& channel : stats.loop.channels) {
    if (channel.alarm.empty()) continue;
    found.push_back(
        absl::StrCat(who, "ALARM: the channel to ", channel.name, " is stopped: ", channel.alarm));
  }
}

}  // namespace

std::vector<std::string> NeedsAttention(const node::NodeStats& stats) {
  std::vector<std::string> found;
  if (stats.nodes.empty()) Look(stats, found);
  for (const node::NodeStats& node : stats.nodes) Look(node, found);
  return found;
}

}  // namespace opic::cli
