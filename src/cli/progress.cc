#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

#include "absl/time/clock.h"
#include "base/clock.h"
#include "base/log.h"

namespace opic::cli {
namespace {

using desk::Counter;

constexpr absl::Duration kTerminalEvery = absl::Milliseconds(500);
constexpr absl::Duration kLogEvery = absl::Minutes(1);

uint64_t Of(const node::NodeStats& stats, ledger::VisitKind kind) {
  return stats.loop.by_kind[static_cast<size_t>(kind)];
}

uint64_t Answered(const node::NodeStats& stats) {
  return Of(stats, ledger::VisitKind::kFetched) + Of(stats, ledger::VisitKind::kRedirect) +
         Of(stats, ledger::VisitKind::kGone);
}

double Millis(absl::Duration duration, uint64_t pages) {
  return pages == 0 ? 0 : absl::ToDoubleMilliseconds(duration) / static_cast<double>(pages);
}

}  // namespace

std::string HumanBytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1000 && unit < 4) value /= 1000, ++unit;
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string HumanTime(absl::Duration duration) {
  const int64_t seconds = absl::ToInt64Seconds(duration);
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

ProgressLine::ProgressLine(const ProgressLimits& limits, bool quiet)
    : limits_(limits),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      started_(base::RealClock::Get().Steady()),
      shown_(started_),
      rate_from_(started_) {}

ProgressLine::~ProgressLine() {
  if (!quiet_ && terminal_) fmt::print(stderr, "\n");
}

void ProgressLine::Show(const node::NodeStats& stats,
                        const std::optional<scheduler::SchedulerStatus>& scheduler) {
  const absl::Time now = base::RealClock::Get().Steady();
  if (quiet_ || now - shown_ < (terminal_ ? kTerminalEvery : kLogEvery)) return;
  shown_ = now;
  if (now - rate_from_ >= absl::Seconds(2)) {
    const double rate = static_cast<double>(stats.counters[Counter::kRequests] - requests_then_) /
                        absl::ToDoubleSeconds(now - rate_from_);
    rate_ = rate_ == 0 ? rate : 0.5 * (rate_ + rate);
    rate_from_ = now;
    requests_then_ = stats.counters[Counter::kRequests];
  }
  const std::string line = Line(stats, scheduler);
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
  } else {
    base::LogInfo("{}", line);
  }
}

std::string ProgressLine::Eta(const node::NodeStats& stats, double rate) const {
  absl::Duration left = absl::InfiniteDuration();
  if (limits_.pages > 0 && rate > 0) {
    const uint64_t to_go = limits_.pages - std::min(limits_.pages, Answered(stats));
    left = std::min(left, absl::Seconds(static_cast<double>(to_go) / rate));
  }
  const absl::Duration passed = base::RealClock::Get().Steady() - started_;
  if (limits_.bytes > 0 && stats.counters[Counter::kWireBytes] > 0) {
    const double share = static_cast<double>(limits_.bytes) /
                             static_cast<double>(stats.counters[Counter::kWireBytes]) -
                         1;
    left = std::min(left, passed * std::max(0.0, share));
  }
  left = std::min(left, limits_.time - passed);
  return left == absl::InfiniteDuration()
             ? ""
             : ", limit in " + HumanTime(std::max(left, absl::ZeroDuration()));
}

namespace {

// By ledger push, of the ranking.
std::string HowFarOff(const node::LoopStats& loop) {
  if (loop.restate_due) return "records of pages were lost: run `opic cluster recover`";
  if (loop.error_bound >= 2) return "error not known yet";
  return fmt::format("error at most {:.2g} %", 100 * loop.error_bound);
}

}  // namespace

std::string ProgressLine::Line(const node::NodeStats& stats,
                               const std::optional<scheduler::SchedulerStatus>& scheduler) const {
  if (stats.loop.phase == node::Phase::kSettling) {
    const bool push = stats.loop.method == importance::Method::kPush;
    const std::string far = push ? HowFarOff(stats.loop)
                                 : fmt::format("{:.0f} % of the window", 100 * stats.loop.settling);
    return fmt::format("settling: {}, {} visits, {} pages known", far,
                       stats.counters[Counter::kSettled], stats.loop.pages);
  }
  const uint64_t queued = scheduler ? scheduler->queued : stats.loop.ordered;
  return fmt::format(
      "{:.0f} pages/s, {} fetched, {} known, {} unread, {} queued, {} in flight, {} errors, {}{}",
      rate_, Answered(stats), stats.loop.pages, stats.loop.unread, queued, stats.in_flight,
      stats.counters[Counter::kNetworkErrors] + stats.counters[Counter::kHttpErrors],
      HumanBytes(stats.counters[Counter::kWireBytes]), Eta(stats, rate_));
}

std::string Summary(const node::NodeStats& stats, absl::Duration scheduler_cpu) {
  using ledger::VisitKind;
  const uint64_t pages = stats.counters[Counter::kRequests];
  std::string out = fmt::format(
      "pages      {} fetched, {} redirects, {} gone, {} failed, {} forbidden, {} out of scope, {} "
      "unread; {} known\n",
      Of(stats, VisitKind::kFetched), Of(stats, VisitKind::kRedirect), Of(stats, VisitKind::kGone),
      Of(stats, VisitKind::kFailed), Of(stats, VisitKind::kForbidden),
      Of(stats, VisitKind::kOutOfScope), stats.loop.unread, stats.loop.pages);
  if (stats.uptime == absl::ZeroDuration()) return out;  // at rest: nothing was done
  out +=
      fmt::format("requests   {} pages + {} robots.txt in {}, {:.1f} pages/s, {} received\n", pages,
                  stats.counters[Counter::kRobotsRequests], HumanTime(stats.uptime),
                  static_cast<double>(pages) / std::max(0.001, absl::ToDoubleSeconds(stats.uptime)),
                  HumanBytes(stats.counters[Counter::kWireBytes]));
  out += fmt::format("errors     {} network, {} HTTP, {} retried, {} bodies cut\n",
                     stats.counters[Counter::kNetworkErrors], stats.counters[Counter::kHttpErrors],
                     stats.counters[Counter::kTransient], stats.counters[Counter::kTooLarge]);
  if (stats.loop.method == importance::Method::kPush) {
    out += fmt::format("ranking    {}, {} settled visits\n", HowFarOff(stats.loop),
                       stats.counters[Counter::kSettled]);
  } else {
    out += fmt::format(
        "cash       clock {:.2f} supplies, {} settled visits, {:.1f} % on the virtual page\n",
        stats.loop.clock, stats.counters[Counter::kSettled], 100 * stats.loop.virtual_share);
  }
  const uint64_t own = stats.counters[Counter::kLinksOwn];
  if (const uint64_t away = stats.counters[Counter::kLinksAway]; away > 0) {
    out += fmt::format(
        "transfers  {} links paid, {:.0f} % on the same node; {:.1f} bytes a link to others\n",
        own + away, 100 * static_cast<double>(own) / static_cast<double>(own + away),
        static_cast<double>(stats.counters[Counter::kBatchBytes]) / static_cast<double>(away));
  }
  out += fmt::format(
      "CPU        {:.3f} ms a page: fetch {:.3f}, parse {:.3f}, ledger {:.3f}, scheduler {:.3f}\n",
      Millis(stats.fetch_cpu + stats.worker_cpu + stats.loop.cpu + scheduler_cpu, pages),
      Millis(stats.fetch_cpu, pages), Millis(stats.worker_cpu, pages),
      Millis(stats.loop.cpu, pages), Millis(scheduler_cpu, pages));
  out +=
      fmt::format("memory     {} peak, page table {}; written {} a page\n",
                  HumanBytes(stats.memory_bytes_peak), HumanBytes(stats.loop.table_bytes),
                  HumanBytes(pages == 0 ? 0 : stats.counters[Counter::kStoreBytesWritten] / pages));
  if (stats.calls_bytes_max > 0) {
    out += fmt::format("calls      may take {} of memory at most, whoever calls\n",
                       HumanBytes(stats.calls_bytes_max));
  }
  return out;
}

}  // namespace opic::cli
