#include "http_status/board.h"

#include "absl/strings/str_cat.h"

namespace opic::http_status {

bool Board::Beat() {
  absl::MutexLock lock(&mu_);
  rests_.reset();
  beat_ = clock_.Steady();
  return beat_ >= reported_ + kReportEvery;
}

void Board::Tell(StatusReport report) {
  absl::MutexLock lock(&mu_);
  reported_ = clock_.Steady();
  report_ = std::move(report);
}

void Board::Rest(Reason why) {
  absl::MutexLock lock(&mu_);
  rests_ = std::move(why);
}

std::string Board::Metrics() const {
  absl::MutexLock lock(&mu_);
  return report_.metrics;
}

std::optional<Reason> Board::NotAlive() const {
  absl::MutexLock lock(&mu_);
  return NotAliveLocked();
}

std::vector<Reason> Board::NotReady() const {
  absl::MutexLock lock(&mu_);
  std::vector<Reason> reasons;
  if (std::optional<Reason> dead = NotAliveLocked()) reasons.push_back(*std::move(dead));
  if (rests_) reasons.push_back(*rests_);
  reasons.insert(reasons.end(), report_.not_ready.begin(), report_.not_ready.end());
  return reasons;
}

std::optional<Reason> Board::NotAliveLocked() const {
  if (rests_) return std::nullopt;
  const absl::Duration silence = clock_.Steady() - beat_;
  if (silence <= kSilenceMax) return std::nullopt;
  return Reason{"main_loop_silent",
                absl::StrCat("its main loop has not responded for ", absl::ToInt64Seconds(silence),
                             " s; see its log, and restart it if that goes on")};
}

}  // namespace opic::http_status
