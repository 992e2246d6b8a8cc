#include "rpc/peer_session.h"

#include <algorithm>
#include <atomic>

#include "absl/time/clock.h"
#include "rpc/peer_wire.h"
#include "rpc/rpc_status.h"

namespace opic::rpc {
namespace {

uint64_t NextNumber() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

constexpr size_t kLettersWaitingMax = 64;

bool IsLetter(const cluster::Message& message) {
  return std::holds_alternative<schedule::LeaseLetter>(message);
}

}  // namespace

PeerSession::PeerSession(std::shared_ptr<PeerInbox> inbox, std::optional<NodeId> peer)
    : peer(peer), inbox_(std::move(inbox)), number_(NextNumber()) {}

void PeerSession::Send(cluster::Message message) {
  if (IsLetter(message)) {
    if (letters_waiting_ >= kLettersWaitingMax) return;
    ++letters_waiting_;
  }
  const bool replaces = !waiting_.empty() &&
                        std::holds_alternative<cluster::Acknowledgement>(waiting_.back()) &&
                        std::holds_alternative<cluster::Acknowledgement>(message);
  if (replaces) {
    waiting_.back() = std::move(message);
  } else {
    waiting_.push_back(std::move(message));
  }
  if (!writing_) WriteNext();
}

void PeerSession::WriteNext() {
  writing_ = !ended_ && !waiting_.empty();
  if (!writing_) return;
  if (IsLetter(waiting_.front())) --letters_waiting_;
  outgoing_.Clear();
  ToWire(std::move(waiting_.front()), &outgoing_);
  waiting_.pop_front();
  StartWriting(&outgoing_);
}

void PeerSession::ReadNext() {
  if (!ended_) StartReading(&incoming_);
}

std::optional<cluster::Message> PeerSession::TakeMessage() {
  return FromWire(std::move(incoming_));
}

void PeerSession::End(const absl::Status& why) {
  if (ended_) return;
  ended_ = true;
  ended_at_ = absl::Now();
  waiting_.clear();
  Close(why);
}

DialledSession::DialledSession(std::shared_ptr<PeerInbox> inbox, NodeId peer, v1::Peers::Stub& stub)
    : PeerSession(std::move(inbox), peer) {
  // A session has no deadline: keep-alive tells when the other end is gone.
  stub.async()->Channel(&context_, this);
  AddHold();  // calls are made outside of reactions
  StartRead(incoming());
  StartCall();
}

void DialledSession::OnDone(const grpc::Status& status) {
  end_ = FromGrpc(status);
  if (!Post(SessionEvent::What::kEnded)) delete this;
}

void DialledSession::Close(const absl::Status& why) {
  if (!why.ok()) context_.TryCancel();  // else the other end has, and tells why
  RemoveHold();
}

AcceptedSession::AcceptedSession(std::shared_ptr<PeerInbox> inbox,
                                 grpc::CallbackServerContext* context)
    : PeerSession(std::move(inbox), std::nullopt), context_(context) {
  const std::shared_ptr<const grpc::AuthContext> auth = context->auth_context();
  if (auth != nullptr && auth->IsPeerAuthenticated()) {
    for (const grpc::string_ref& name : auth->GetPeerIdentity())
      names_.emplace_back(name.data(), name.size());
  }
  if (!Post(SessionEvent::What::kOpened))
    End(absl::UnavailableError("the node is starting or stopping"));
}

void AcceptedSession::Admit() {
  StartSendInitialMetadata();
  ReadNext();
}

bool AcceptedSession::Shows(const std::string& name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

void AcceptedSession::OnDone() {
  {
    absl::MutexLock lock(&mu_);
    context_ = nullptr;
  }
  if (!Post(SessionEvent::What::kEnded)) delete this;
}

void AcceptedSession::Cut() {
  absl::MutexLock lock(&mu_);
  if (context_ != nullptr) context_->TryCancel();
}

// The last touch: this may be deleted at once.
void AcceptedSession::Close(const absl::Status& why) { Finish(ToGrpc(why)); }

}  // namespace opic::rpc
