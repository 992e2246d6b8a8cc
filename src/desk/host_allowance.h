// Whether a host may be asked for another page, as far as its budget goes: what the order desk
// needs to know of whoever counts (node/host_budgets.h).
//
// A page that was never asked for before is *begun* with its request, and counts from then on, so
// that pages which are answered and not recorded yet are not forgotten.
//
// Thread safety: synchronised inside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/ids.h"

namespace opic::desk {

class HostAllowance {
 public:
  virtual ~HostAllowance() = default;
  // Why nothing is to be asked of the host, in words ("9 of 9 pages of a.test"), at most
  // schedule::kOverBudgetBytesMax; empty: it may be asked. An error is one of reading.
  virtual absl::StatusOr<std::string> OverBudget(std::string_view host) = 0;
  // The same for a page that was never asked for; when it may be, it is begun.
  virtual absl::StatusOr<std::string> Begin(PageId page, std::string_view host) = 0;
  // The scheduler was told that the host is past its budget. What it was told of other budgets
  // meanwhile may have come to it before; then it is told that again.
  virtual void ToldOverBudget(std::string_view host) = 0;
  // The page is no longer under way: nothing was asked, it will be asked for once more, or it is
  // handled. What was begun of it and not recorded is given back. For a page that was not begun,
  // this and the next do nothing.
  virtual void GiveBack(PageId page) = 0;
  // It was answered for good, with so many bytes.
  virtual void Received(PageId page, uint64_t bytes) = 0;
};

}  // namespace opic::desk
