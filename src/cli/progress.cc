#include "cli/progress.h"

#include <fmt/core.h>

#include <algorithm>

#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "base/counted.h"
#include "base/log.h"
#include "cli/crawl_summary.h"
#include "cli/human.h"
#include "cli/terminal.h"

namespace opic::cli {
namespace {

using desk::Counter;
using ledger::VisitKind;

constexpr absl::Duration kTerminalEvery = absl::Milliseconds(500);
constexpr absl::Duration kLogEvery = absl::Minutes(1);
constexpr int kLogColumns = 1000;

uint64_t Of(const node::NodeStats& stats, VisitKind kind) {
  return stats.loop.by_kind[static_cast<size_t>(kind)];
}

std::string PerSecond(double rate) { return fmt::format("{:.{}f}/s", rate, rate < 10 ? 1 : 0); }

}  // namespace

std::vector<std::string> ProgressParts(const node::NodeStats& stats, const Rates& rates,
                                       absl::Duration left) {
  if (stats.loop.phase == node::Phase::kSettling) {
    return {fmt::format("fetched all; computing the ranking: {:.0f} %", 100 * stats.loop.settling),
            RankingError(stats.loop), base::Counted(stats.loop.pages, "page"),
            base::Counted(stats.counters[Counter::kSettled], "step")};
  }
  if (stats.loop.phase == node::Phase::kCorrecting) {
    return {"fetched all; correcting rounding errors of the ranking", RankingError(stats.loop),
            base::Counted(stats.loop.pages, "page")};
  }
  std::vector<std::string> parts;
  if (const std::string obstacle = HeldUpBy(stats); !obstacle.empty()) parts.push_back(obstacle);
  parts.push_back(fmt::format("{} fetched", base::Counted(PagesAnswered(stats), "page")));
  parts.push_back(PerSecond(rates.now));
  parts.push_back(fmt::format("{} to go", stats.loop.unread));
  if (left < absl::InfiniteDuration())
    parts.push_back(fmt::format("{} left", HumanTime(std::max(left, absl::ZeroDuration()))));
  if (Of(stats, VisitKind::kFailed) > 0)
    parts.push_back(fmt::format("{} failed", Of(stats, VisitKind::kFailed)));
  parts.push_back(fmt::format("{} known", stats.loop.pages));
  parts.push_back(fmt::format("{} in flight", stats.in_flight));
  parts.push_back(HumanBytes(stats.counters[Counter::kWireBytes]));
  parts.push_back("mean " + PerSecond(rates.mean));
  return parts;
}

absl::Duration TimeFor(uint64_t pages, const Rates& rates) {
  constexpr double kStandstill = 0.1;  // of the mean
  if (rates.now <= kStandstill * rates.mean) return absl::InfiniteDuration();
  return absl::Seconds(static_cast<double>(pages) / rates.now);
}

void RateMeter::Look(uint64_t requests, absl::Time now) {
  constexpr absl::Duration kLeast = absl::Milliseconds(400), kMean = absl::Seconds(5);
  const absl::Duration passed = now - then_;
  if (requests_then_ && passed < kLeast) return;
  if (requests_then_) {
    const uint64_t since = requests - std::min(requests, *requests_then_);
    const double rate = static_cast<double>(since) / absl::ToDoubleSeconds(passed);
    // Told from the first interval on.
    double& late = rates_.now;
    const double share = late == 0 ? 1 : std::min(1.0, absl::FDivDuration(passed, kMean));
    late += share * (rate - late);
    asked_ += since;
    rates_.mean = static_cast<double>(asked_) / absl::ToDoubleSeconds(now - first_);
  } else {
    first_ = now;
  }
  requests_then_ = requests;
  then_ = now;
}

ProgressLine::ProgressLine(const ProgressLimits& limits, bool quiet)
    : limits_(limits),
      quiet_(quiet),
      terminal_(ErrorIsTerminal()),
      started_(base::RealClock::Get().Steady()),
      shown_(started_) {}

ProgressLine::~ProgressLine() {
  if (!quiet_ && terminal_) ClearLine();
}

void ProgressLine::Show(const node::NodeStats& stats) {
  const absl::Time now = base::RealClock::Get().Steady();
  meter_.Look(stats.counters[Counter::kRequests], now);
  if (quiet_ || now - shown_ < (terminal_ ? kTerminalEvery : kLogEvery)) return;
  shown_ = now;
  const std::vector<std::string> parts = ProgressParts(stats, meter_.rates(), Left(stats));
  if (terminal_) {
    Redraw(Fit(parts, TerminalColumns() - 1));  // the last column would wrap on some
  } else {
    base::LogInfo("{}", Fit(parts, kLogColumns));
  }
}

absl::Duration ProgressLine::Left(const node::NodeStats& stats) const {
  uint64_t to_go = stats.loop.unread;
  const uint64_t most = stats.loop.pages_max;  // an operator may change it
  if (most > 0) to_go = std::min(to_go, most - std::min(most, PagesAnswered(stats)));
  absl::Duration left = TimeFor(to_go, meter_.rates());
  const absl::Duration passed = base::RealClock::Get().Steady() - started_;
  if (limits_.bytes > 0 && stats.counters[Counter::kWireBytes] > 0) {
    const double share = static_cast<double>(limits_.bytes) /
                             static_cast<double>(stats.counters[Counter::kWireBytes]) -
                         1;
    left = std::min(left, passed * std::max(0.0, share));
  }
  return std::min(left, limits_.time - passed);
}

}  // namespace opic::cli
