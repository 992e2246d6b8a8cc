#include "rpc/local_session.h"

#include <utility>

#include "base/check.h"

namespace opic::rpc {

class LocalSession::Pipe {
 public:
  enum End { kDialled, kAccepted };

  void Join(End end, LocalSession* session) {
    absl::MutexLock lock(&mu_);
    ends_[end].session = session;
  }
  void Opened() {
    absl::MutexLock lock(&mu_);
    if (LocalSession* dialled = ends_[kDialled].session) dialled->Post(SessionEvent::What::kOpened);
  }
  void Read(End end, v1::PeerMessage* message) {
    absl::MutexLock lock(&mu_);
    ends_[end].reads_into = message;
    Deliver(end);
  }
  // Takes what the message says.
  void Write(End from, v1::PeerMessage* message) {
    absl::MutexLock lock(&mu_);
    const End to = OtherThan(from);
    if (ends_[to].session == nullptr) return ends_[from].session->PostWritten(false);
    ends_[to].under_way.emplace().Swap(message);
    Deliver(to);
  }
  // False: nobody takes note of the end.
  bool Close(End end, const absl::Status& why) {
    absl::MutexLock lock(&mu_);
    LocalSession* const session = std::exchange(ends_[end].session, nullptr);
    if (end == kAccepted) refusal_ = why;
    if (LocalSession* other = ends_[OtherThan(end)].session)
      other->Post(SessionEvent::What::kBroken);
    return session->Post(SessionEvent::What::kEnded);
  }
  absl::Status refusal() {
    absl::MutexLock lock(&mu_);
    return refusal_;
  }

 private:
  struct OneEnd {
    LocalSession* session = nullptr;  // null: not there yet, or it has ended
    v1::PeerMessage* reads_into = nullptr;
    std::optional<v1::PeerMessage> under_way;  // to this end
  };
  static End OtherThan(End end) { return end == kDialled ? kAccepted : kDialled; }

  void Deliver(End to) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    OneEnd& end = ends_[to];
    if (end.session == nullptr || end.reads_into == nullptr || !end.under_way) return;
    std::exchange(end.reads_into, nullptr)->Swap(&*end.under_way);
    end.under_way.reset();
    end.session->Post(SessionEvent::What::kRead);
    if (LocalSession* writer = ends_[OtherThan(to)].session) writer->PostWritten(true);
  }

  absl::Mutex mu_;
  OneEnd ends_[2] ABSL_GUARDED_BY(mu_);
  absl::Status refusal_ ABSL_GUARDED_BY(mu_);  // of the end that was dialled
};

LocalSession::LocalSession(std::shared_ptr<PeerInbox> inbox, std::optional<NodeId> peer,
                           std::shared_ptr<Pipe> pipe, std::string other_name, bool same_secret)
    : PeerSession(std::move(inbox), peer),
      peer_at_first_(peer),
      pipe_(std::move(pipe)),
      other_name_(std::move(other_name)),
      same_secret_(same_secret) {
  pipe_->Join(dialled() ? Pipe::kDialled : Pipe::kAccepted, this);
}

void LocalSession::Admit() {
  pipe_->Opened();
  ReadNext();
}

absl::Status LocalSession::end() const { return pipe_->refusal(); }

void LocalSession::StartReading(v1::PeerMessage* message) {
  message->Clear();
  pipe_->Read(dialled() ? Pipe::kDialled : Pipe::kAccepted, message);
}

void LocalSession::StartWriting(v1::PeerMessage* message) {
  pipe_->Write(dialled() ? Pipe::kDialled : Pipe::kAccepted, message);
}

// The net whose end this is takes note while its inbox is open: it is entered among the nets of the
// process after that was opened, and leaves before all its sessions are ended.
void LocalSession::Close(const absl::Status& why) {
  const bool noted = pipe_->Close(dialled() ? Pipe::kDialled : Pipe::kAccepted, why);
  OPIC_CHECK(noted) << "a session within the process ends after its net";
}

void LocalPeers::Enter(const std::string& address, std::shared_ptr<PeerInbox> inbox,
                       const PeerSecret& secret) {
  absl::MutexLock lock(&mu_);
  nets_.erase(address);
  nets_.emplace(address, Net{std::move(inbox), secret});
}

void LocalPeers::Leave(const std::string& address) {
  absl::MutexLock lock(&mu_);
  nets_.erase(address);
}

std::unique_ptr<PeerSession> LocalPeers::Dial(const cluster::MemberNode& acceptor,
                                              const std::string& dialler,
                                              std::shared_ptr<PeerInbox> inbox,
                                              const PeerSecret& secret) {
  absl::MutexLock lock(&mu_);
  const auto found = nets_.find(acceptor.address);
  if (found == nets_.end()) return nullptr;
  const Net& net = found->second;
  const bool same_secret = net.secret.SameAs(secret);
  const auto pipe = std::make_shared<LocalSession::Pipe>();
  auto dialled = std::make_unique<LocalSession>(std::move(inbox), acceptor.id, pipe, acceptor.name,
                                                same_secret);
  dialled->ReadNext();
  // Its net's, once it has taken note.
  auto accepted =
      std::make_unique<LocalSession>(net.inbox, std::nullopt, pipe, dialler, same_secret);
  if (!accepted->Arrive()) return nullptr;
  static_cast<void>(accepted.release());
  return dialled;
}

}  // namespace opic::rpc
