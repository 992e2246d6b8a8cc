// Implements a part of desk/order_desk.h. Which answers count, and what becomes of orders when this
// node has no network.
#include <utility>

#include "desk/order_desk.h"
#include "desk/page_answer.h"
#include "fetch/knock.h"

namespace opic::desk {

void OrderDesk::WatchNetwork(const fetch::Options& fetch) {
  if (!fetch.proxy.empty()) return;
  NetworkGuard::Callbacks callbacks;
  callbacks.knock = [fetch, time = options_.network.knock_time](const Place& place,
                                                                const std::atomic<bool>& stop) {
    return fetch::Knock(fetch, place.host, place.port, time, stop);
  };
  callbacks.may_knock = [this](const std::string& host) { return !blocked_ || !blocked_(host); };
  callbacks.changed = [this] {
    if (network_changed_) network_changed_();
  };
  network_ = std::make_unique<NetworkGuard>(options_.network, clock_, std::move(callbacks));
}

void OrderDesk::OnResponse(fetch::Response response) {
  Job job = TakeJob(response.ticket);
  if (response.error == fetch::Error::kStopped) return;
  if (IsPutOff(response)) return PutOff(job, response);
  auto answered = std::make_shared<Answered>(Answered{std::move(job), std::move(response)});
  if (!network_) return TakeAnswer(std::move(answered));
  const Place place = PlaceOf(*answered->job.asked);
  const fetch::Response& its_response = answered->response;
  using Whose = NetworkGuard::Whose;
  network_->Take(place, its_response, [this, answered = std::move(answered)](Whose whose) mutable {
    if (whose == Whose::kHosts) return TakeAnswer(std::move(answered));
    if (whose == Whose::kNobodys) counters_.Add(Counter::kNoNetwork);
    PutOff(answered->job, answered->response);
  });
}

// What is not judged yet is not waited for, here and when nothing more is asked for.
void OrderDesk::Pause(bool paused, PausedBy by) {
  const auto bit = static_cast<uint8_t>(by);
  if (paused) {
    paused_by_.fetch_or(bit);
  } else {
    paused_by_.fetch_and(static_cast<uint8_t>(~bit));
  }
  if (paused && network_) network_->LetGo();
}

void OrderDesk::AskNoMore() {
  asks_no_more_ = true;
  if (network_) network_->LetGo();
}

std::optional<NetworkWatch::Loss> OrderDesk::network_loss() const {
  return network_ ? network_->loss() : std::nullopt;
}

}  // namespace opic::desk
