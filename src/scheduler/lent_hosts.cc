#include "scheduler/lent_hosts.h"

#include <algorithm>

#include "base/check.h"
#include "schedule/lease_message.h"

namespace opic::scheduler {

void LentHosts::Request(Host* host, NodeId node, absl::Time sent, absl::Time now, absl::Time free) {
  std::unique_ptr<Entry>& entry = entries_[host];
  if (entry == nullptr) {
    entry = std::make_unique<Entry>();
    entry->host = host;
  }
  const auto known =
      std::find_if(entry->requests.begin(), entry->requests.end(),
                   [&](const LeaseRequest& request) { return request.node == node; });
  if (known != entry->requests.end()) {
    known->sent = sent;
    known->heard = now;
    return;
  }
  entry->requests.push_back({node, sent, now});
  if (!entry->loan && entry->requests.size() == 1) due_.Set(entry.get(), free);
}

bool LentHosts::Return(Host* host, NodeId node, uint64_t id) {
  const auto found = entries_.find(host);
  if (found == entries_.end() || !found->second->loan) return false;
  const Loan& loan = *found->second->loan;
  if (loan.node != node || loan.id != id) return false;
  End(*found->second);
  return true;
}

void LentHosts::End(Entry& entry) {
  entry.loan.reset();
  --out_;
  due_.Remove(&entry);
}

bool LentHosts::Free(Host* host, absl::Time free) {
  const auto found = entries_.find(host);
  if (found == entries_.end() || found->second->loan) return false;
  Entry* entry = found->second.get();
  if (!entry->requests.empty()) {
    due_.Set(entry, free);
    return false;
  }
  due_.Remove(entry);
  entries_.erase(found);
  return true;
}

LentHosts::Due LentHosts::NextDue(absl::Time now) {
  if (next() > now) return {};
  Entry* entry = due_.first();
  const bool lapsed = entry->loan.has_value();
  if (lapsed) End(*entry);
  return {entry->host, lapsed};
}

std::optional<LentHosts::Grant> LentHosts::Lend(Host* host, absl::Time now, absl::Time lapses) {
  Entry& entry = *entries_.at(host);
  OPIC_CHECK(!entry.loan) << "a host is lent twice";
  while (!entry.requests.empty() &&
         entry.requests.front().heard + schedule::kLeaseRequestLifetime < now) {
    entry.requests.pop_front();
  }
  if (entry.requests.empty()) return std::nullopt;
  const LeaseRequest request = entry.requests.front();
  entry.requests.pop_front();
  entry.loan = Loan{request.node, next_id_++};
  ++out_;
  due_.Set(&entry, lapses);
  return Grant{request.node, entry.loan->id, request.sent};
}

void LentHosts::ForgetRequests(std::optional<NodeId> node) {
  for (const auto& [host, entry] : entries_) {
    std::erase_if(entry->requests,
                  [&](const LeaseRequest& request) { return !node || request.node == *node; });
  }
}

void LentHosts::ForgetRequests(absl::FunctionRef<bool(const Host&)> gone) {
  for (const auto& [host, entry] : entries_) {
    if (gone(*host)) entry->requests.clear();
  }
}

std::vector<Host*> LentHosts::EndLoansOf(NodeId node) {
  std::vector<Host*> ended;
  for (const auto& [host, entry] : entries_) {
    if (!entry->loan || entry->loan->node != node) continue;
    End(*entry);
    ended.push_back(entry->host);
  }
  // So that a simulation can be repeated.
  std::sort(ended.begin(), ended.end(),
            [](const Host* a, const Host* b) { return a->name < b->name; });
  return ended;
}

bool LentHosts::AnyOut(absl::FunctionRef<bool(const Host&)> of) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const auto& entry) { return entry.second->loan && of(*entry.first); });
}

void LentHosts::ForEach(absl::FunctionRef<void(Host*)> visit) const {
  for (const auto& [host, entry] : entries_) visit(entry->host);
}

}  // namespace opic::scheduler
