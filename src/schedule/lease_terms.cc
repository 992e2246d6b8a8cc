#include "schedule/lease_terms.h"

#include <algorithm>

namespace opic::schedule {

void LeaseTerms::OnRequests(absl::Time sent, absl::Time now) {
  std::erase_if(passed_, [&](const auto& request) { return request.second + kLeaseTerm < now; });
  // Of two that a clock put back has given the same name, the first.
  passed_.try_emplace(sent, now);
}

void LeaseTerms::OnLease(const HostLease& lease, absl::Time now) {
  const auto passed = passed_.find(lease.requested);
  if (passed == passed_.end()) return;  // too long ago
  if (ends_.size() >= forget_at_) ForgetOver(now);
  ends_[lease.host] = passed->second + std::min(lease.term, kLeaseTerm) + kOrderPatience;
}

bool LeaseTerms::MayAsk(const std::string& host, absl::Time now) const {
  const auto end = ends_.find(host);
  return end != ends_.end() && now < end->second;
}

void LeaseTerms::ForgetOver(absl::Time now) {
  absl::erase_if(ends_, [&](const auto& end) { return end.second <= now; });
  forget_at_ = std::max<size_t>(1024, 2 * ends_.size());
}

}  // namespace opic::schedule
