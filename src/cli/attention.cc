#include "cli/attention.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/counted.h"
#include "cli/human.h"

namespace opic::cli {
namespace {

// How long the peer has said nothing. What it said to an earlier process is not known.
absl::Duration Silence(const cluster::ChannelStatus& channel, const node::NodeStats& stats,
                       absl::Time now) {
  return std::min(now - channel.heard, stats.uptime);
}

void LookAtPeers(const node::NodeStats& stats, absl::Time now, const std::string& who,
                 std::vector<Obstacle>& found) {
  for (const cluster::ChannelStatus& channel : stats.loop.channels) {
    if (!channel.alarm.empty()) {
      found.push_back({"channel_stopped", absl::StrCat(who, "ALARM: the channel to ", channel.name,
                                                       " is stopped: ", channel.alarm)});
      continue;
    }
    const absl::Duration silence = Silence(channel, stats, now);
    if (channel.unacknowledged == 0 || silence <= kPeerSilenceMax) continue;
    found.push_back(
        {"peer_silent",
         absl::StrCat(who, "node ", channel.name, " has said nothing for ", HumanTime(silence),
                      ", and ", base::Counted(channel.unacknowledged, "batch", "batches"),
                      " for it wait on disk; see whether it runs and can be reached")});
  }
}

void Look(const node::NodeStats& stats, absl::Time now, std::vector<Obstacle>& found) {
  const std::string who = stats.name.empty() ? "" : "node " + stats.name + ": ";
  if (stats.scheduler_away) {
    found.push_back({"scheduler_away",
                     absl::StrCat(who, "its Page Scheduler does not answer, so nothing new is ",
                                  "fetched; start opic-scheduler again")});
  }
  if (stats.without_network_since) {
    found.push_back(
        {"without_network",
         absl::StrCat(
             who, "this node has had no network since ", UtcTime(*stats.without_network_since),
             ": nothing answers, and nothing is fetched until something does. No host or page is ",
             "given up meanwhile. Check its link, its routes and its name servers")});
  }
  if (const node::DiskState& disk = stats.loop.disk; disk.low) {
    found.push_back(
        {"disk_low",
         absl::StrCat(who, "nothing new is fetched, because only ", HumanBytes(disk.free_bytes),
                      " are free on the disk of its data folder, less than "
                      "--disk-free-min, ",
                      HumanBytes(disk.free_min), "; make room: from ", HumanBytes(disk.free_enough),
                      " on it goes on by itself")});
  }
  LookAtPeers(stats, now, who, found);
  if (stats.loop.outbox_full) {
    found.push_back(
        {"outbox_full",
         absl::StrCat(who, "nothing new is fetched, because what waits on its disk for other ",
                      "nodes has reached --outbox-max; see whether they run"),
         /*meant=*/true});
  }
  if (stats.paused) {
    found.push_back(
        {"paused",
         absl::StrCat(who, "an operator has paused it; `opic control resume` lets it go on"),
         /*meant=*/true});
  }
}

}  // namespace

std::vector<Obstacle> Obstacles(const node::NodeStats& stats, absl::Time now) {
  std::vector<Obstacle> found;
  if (stats.nodes.empty()) Look(stats, now, found);
  for (const node::NodeStats& node : stats.nodes) Look(node, now, found);
  return found;
}

std::vector<std::string> NeedsAttention(const node::NodeStats& stats, absl::Time now) {
  std::vector<std::string> sentences;
  for (Obstacle& obstacle : Obstacles(stats, now)) {
    if (!obstacle.meant) sentences.push_back(std::move(obstacle.sentence));
  }
  return sentences;
}

std::vector<std::string> NeedsAttention(const node::NodeStats& stats) {
  return NeedsAttention(stats, absl::Now());
}

}  // namespace opic::cli
