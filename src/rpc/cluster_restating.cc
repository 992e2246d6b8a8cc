#include "rpc/cluster_restating.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "node/running_node.h"
#include "rpc/cluster_sums.h"

namespace opic::rpc {
namespace {

constexpr int kTries = 5;
// Between two questions: a small crawl has the answer in a moment.
constexpr absl::Duration kFirstLook = absl::Milliseconds(2), kLongestLook = absl::Milliseconds(100);

// Cancelled: `stop` was notified meanwhile.
absl::Status Wait(absl::Duration time, const absl::Notification* stop) {
  if (stop == nullptr) {
    absl::SleepFor(time);
  } else if (stop->WaitForNotificationWithTimeout(time)) {
    return absl::CancelledError("the node stops");
  }
  return absl::OkStatus();
}

class Drive {
 public:
  Drive(const RestatedNodes& nodes, const RestatingOptions& options)
      : nodes_(nodes), options_(options) {}

  // What has failed is forgotten as well, where it was prepared: until then a node keeps its cells,
  // and a view of its rows.
  absl::StatusOr<ClusterRestatement> Run() {
    absl::StatusOr<ClusterRestatement> sum = Restate();
    const absl::Status forgotten = Forget();
    if (sum.ok()) RETURN_IF_ERROR(forgotten);
    return sum;
  }

 private:
  absl::StatusOr<ClusterRestatement> Restate() {
    RETURN_IF_ERROR(TakeCut());
    for (uint16_t from = 0; from < count(); ++from) {
      for (uint16_t to = 0; to < count(); ++to) RETURN_IF_ERROR(BringClaims(from, to));
    }
    ClusterRestatement sum;
    for (uint16_t n = 0; n < count(); ++n) {
      RETURN_IF_ERROR(EndAt(n, &sum, /*correct=*/false));
    }
    if (flow_ > 0) sum.error = std::min(2.0, reach_ / flow_);
    for (uint16_t n = 1; n < count() && options_.correct; ++n) {  // all begin at the same time
      RETURN_IF_ERROR(nodes_[n]->EndRestating(EndOf(n, /*correct=*/true)).status());
    }
    for (uint16_t n = 0; n < count() && options_.correct; ++n) {
      RETURN_IF_ERROR(EndAt(n, &sum, /*correct=*/true));
    }
    return sum;
  }

  absl::Status Forget() {
    absl::Status status;
    for (const auto& node : prepared_) {
      status.Update(node->EndRestating({.epoch = epoch_, .forget = true}).status());
      // The next one that is prepared replaces it.
      const bool stops = options_.stop != nullptr && options_.stop->HasBeenNotified();
      if (stops && !status.ok()) break;
    }
    return status;
  }

  uint16_t count() const { return static_cast<uint16_t>(nodes_.size()); }
  void Say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  // All are prepared before any enters the epoch: it spreads with the batches.
  absl::Status TakeCut() {
    Say("taking a cut");
    for (size_t n = 0; n < nodes_.size(); ++n) {
      ASSIGN_OR_RETURN(const node::NodeStats stats, nodes_[n]->Stats());
      epoch_ = std::max(epoch_, stats.loop.epoch + 1);
      if (nodes_.size() == 1 && !stats.loop.channels.empty()) {
        return absl::InvalidArgumentError(
            "the node is one of a cluster, which can be restated as a whole only: name the "
            "cluster's file (--cluster)");
      }
      RETURN_IF_ERROR(CheckSameSize(absl::StrCat("node ", n), stats, nodes_.size()));
    }
    for (const auto& node : nodes_) {
      prepared_.push_back(node);
      RETURN_IF_ERROR(node->PrepareRestating(epoch_));
    }
    if (nodes_.size() == 1) return absl::OkStatus();  // it has taken the cut
    for (const auto& node : nodes_) {
      ASSIGN_OR_RETURN(ledger::Cut cut, node->TakeCut(epoch_));
      cuts_.push_back(std::move(cut));
    }
    return absl::OkStatus();
  }

  // Asks until the answer is another one than "not yet".
  template <typename Ask>
  auto Patiently(Ask ask) const -> decltype(ask()) {
    base::Clock& clock = base::RealClock::Get();
    const absl::Time until = clock.Steady() + options_.patience;
    for (absl::Duration look = kFirstLook;; look = std::min(2 * look, kLongestLook)) {
      auto answer = ask();
      if (answer.ok() || !absl::IsUnavailable(answer.status()) || clock.Steady() > until)
        return answer;
      RETURN_IF_ERROR(Wait(look, options_.stop));
    }
  }

  absl::Status BringClaims(uint16_t from, uint16_t to) {
    if (from == to) return absl::OkStatus();
    for (uint64_t part = 0;; ++part) {
      Say(absl::StrCat("claims of node ", from, " on pages of node ", to, ", part ", part + 1));
      ASSIGN_OR_RETURN(const ledger::Restating::Claims claims, Patiently([&] {
                         return nodes_[from]->ClaimsFor(epoch_, NodeId{to}, part);
                       }));
      const auto added = Patiently([&]() -> absl::StatusOr<bool> {
        RETURN_IF_ERROR(nodes_[to]->AddClaims(epoch_, NodeId{from}, part, claims.part));
        return true;
      });
      RETURN_IF_ERROR(added.status());
      if (claims.last) return absl::OkStatus();
    }
  }

  node::RestatementEnd EndOf(uint16_t n, bool correct) const {
    node::RestatementEnd end{
        .epoch = epoch_, .correct = correct, .per_second = options_.per_second};
    const auto cuts = static_cast<uint16_t>(cuts_.size());
    for (uint16_t peer = 0; peer < cuts; ++peer) {
      for (const ledger::Cut::ChannelState& channel : cuts_[peer].channels) {
        if (channel.peer == NodeId{n}) end.sealed.emplace_back(NodeId{peer}, channel.book.sealed);
      }
    }
    return end;
  }

  absl::Status EndAt(uint16_t n, ClusterRestatement* sum, bool correct) {
    const node::RestatementEnd end = EndOf(n, correct);
    node::RestatedPart part;
    for (absl::Duration look = kFirstLook; !part.done; look = std::min(2 * look, kLongestLook)) {
      ASSIGN_OR_RETURN(part, Patiently([&] { return nodes_[n]->EndRestating(end); }));
      if (correct) Say(absl::StrCat("node ", n, ": ", part.corrected, " of ", part.off));
      if (!part.done) RETURN_IF_ERROR(Wait(look, options_.stop));
    }
    if (correct) {
      sum->elsewhere += part.elsewhere;
      return absl::OkStatus();
    }
    sum->pages += part.pages;
    sum->links += part.links;
    sum->off += part.off;
    sum->largest = std::max(sum->largest, part.largest);
    reach_ += part.reach;
    flow_ += part.flow;
    return absl::OkStatus();
  }

  const RestatedNodes& nodes_;
  const RestatingOptions& options_;
  uint64_t epoch_ = 0;
  RestatedNodes prepared_;
  double reach_ = 0, flow_ = 0;
  std::vector<ledger::Cut> cuts_;  // by node
};

}  // namespace

absl::StatusOr<ClusterRestatement> RestateCluster(const RestatedNodes& nodes,
                                                  const RestatingOptions& options) {
  absl::StatusOr<ClusterRestatement> sum;
  for (int n = 0; n < kTries; ++n) {
    sum = Drive(nodes, options).Run();
    const bool again = absl::IsFailedPrecondition(sum.status()) || absl::IsAborted(sum.status()) ||
                       (sum.ok() && sum->elsewhere > 0);
    if (!again) break;
    RETURN_IF_ERROR(Wait(n * absl::Seconds(1), options.stop));
  }
  return sum;
}

}  // namespace opic::rpc
