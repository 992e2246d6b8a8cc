// A node's answers for tests of the services that give them.
#pragma once

#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "node/answers.h"

namespace opic::rpc {

// Answers as told.
class ScriptedAnswers final : public node::Answers {
 public:
  absl::StatusOr<std::vector<node::PageImportance>> Importance(
      const std::vector<std::string>& urls) override {
    std::vector<node::PageImportance> pages;
    for (const std::string& url : urls) {
      if (url == "nonsense") return absl::InvalidArgumentError("\"nonsense\" is no URL");
      node::PageImportance page = page_;
      page.url = url;
      pages.push_back(page);
    }
    return pages;
  }
  absl::StatusOr<TopPages> Top(size_t count) override {
    TopPages top;
    top.pages.resize(count, page_);
    top.known = 123;
    top.clock = 4.5;
    top.error_bound = 0.25;
    return top;
  }
  absl::StatusOr<node::Audit> TakeAudit() override { return audit_; }
  absl::StatusOr<node::NodeStats> Stats() override {
    if (hold != nullptr) hold->WaitForNotification();
    return stats_;
  }

  node::PageImportance page_{.known = true,
                             .importance = 0.125,
                             .relative = 2.5,
                             .age = 0.5,
                             .state = "fetched",
                             .visits = 7,
                             .fetches = 2,
                             .links = 11,
                             .http_status = 200,
                             .fetched_at = 1'700'000'000,
                             .depth = 3,
                             .cash = cash::Amount(99)};
  node::Audit audit_;
  node::NodeStats stats_;
  absl::Notification* hold = nullptr;
};

}  // namespace opic::rpc
