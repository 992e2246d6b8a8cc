#include "scheduler/metrics_text.h"

#include "base/metric.h"

namespace opic::scheduler {

std::string MetricsText(const SchedulerStatus& status, absl::Duration cpu) {
  std::string text;
  const auto add = [&text](const std::string& name, std::string_view type, std::string_view meaning,
                           auto value) {
    base::Metric(text, "opic_scheduler_" + name, type, meaning).Add({}, static_cast<double>(value));
  };
  add("queued_pages", "gauge", "Pages that wait for their turn", status.queued);
  add("withheld_pages", "gauge", "Queued pages on hosts that are blocked or past their budgets",
      status.withheld);
  add("queued_on_disk_pages", "gauge", "Queued pages that are on disk", status.queued_on_disk);
  add("fetches_in_flight", "gauge", "Fetches that were ordered and have not ended",
      status.in_flight);
  add("hosts", "gauge", "Hosts that are known", status.hosts);
  add("hosts_ready", "gauge", "Hosts that may be asked now", status.hosts_ready);
  add("hosts_given_up", "gauge", "Hosts that are asked nothing for a day", status.hosts_given_up);
  add("exhausted", "gauge", "1 while the node has nothing left to fetch", status.exhausted);
  add("orders_total", "counter", "Fetches ordered", status.orders);
  add("outcomes_total", "counter", "Fetches that ended", status.outcomes);
  add("transient_total", "counter", "Of those, failed and tried again", status.transient);
  add("postponed_total", "counter", "Of those, put off for a robots.txt", status.postponed);
  add("cpu_seconds_total", "counter", "Processor time of the scheduler",
      absl::ToDoubleSeconds(cpu));
  return text;
}

}  // namespace opic::scheduler
