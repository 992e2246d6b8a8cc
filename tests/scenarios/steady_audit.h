// `opic audit` about every second, beside a test that does something else to the cluster.
//
// Thread safety: a thread of its own asks; the counts are read after Stop.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace opic::scenarios {

class SteadyAudit {
 public:
  // `cluster` is the file of the shard map, read anew for every question; answers are written into
  // `folder`.
  SteadyAudit(const std::string& cluster, const std::string& folder);
  ~SteadyAudit() { Stop(); }
  SteadyAudit(const SteadyAudit&) = delete;
  SteadyAudit& operator=(const SteadyAudit&) = delete;

  // An answer that was wrong has failed the test.
  void Stop();
  int asked() const { return asked_; }
  int whole() const { return whole_; }  // answers of all nodes; the others were partial

 private:
  void Ask();

  const std::string cluster_, folder_;
  std::atomic<bool> stopped_ = false;
  int asked_ = 0, whole_ = 0;
  std::thread thread_;
};

}  // namespace opic::scenarios
