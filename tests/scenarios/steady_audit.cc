#include "tests/scenarios/steady_audit.h"

#include "absl/time/clock.h"
#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

constexpr absl::Duration kEvery = absl::Seconds(1);

}  // namespace

SteadyAudit::SteadyAudit(const std::string& cluster, const std::string& folder)
    : cluster_(cluster), folder_(folder), thread_([this] {
        while (!stopped_) {
          const absl::Time next = support::WallTime() + kEvery;
          Ask();
          while (!stopped_ && support::WallTime() < next) support::ShortPause();
        }
      }) {}

void SteadyAudit::Stop() {
  stopped_ = true;
  if (thread_.joinable()) thread_.join();
}

void SteadyAudit::Ask() {
  ++asked_;
  const Said said =
      RunProgram("opic", {"audit", "--cluster", cluster_, "--json", "--patience", "5s"},
                 {.output = folder_ + "/steady_audit.out"});
  whole_ += IsAuditWhole(said) ? 1 : 0;
}

}  // namespace opic::scenarios
