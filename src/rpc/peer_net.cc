#include "rpc/peer_net.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "absl/random/random.h"
#include "absl/strings/match.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/log_part.h"
#include "rpc/local_session.h"
#include "rpc/peer_session.h"
#include "rpc/server.h"

namespace opic::rpc {
namespace {

constexpr absl::Duration kRetryFirst = absl::Milliseconds(100);
constexpr absl::Duration kRetryMax = absl::Seconds(2);
// A session that lasted as long was no failure: the next is dialled at once.
constexpr absl::Duration kGoodSession = absl::Seconds(5);
constexpr absl::Duration kStartPatience = absl::Seconds(15);  // with peers that were never there
constexpr absl::Duration kHelloPatience = absl::Seconds(20);
constexpr absl::Duration kStrangerPatience = absl::Seconds(5);
// What has ended here and is not taken note of at the other end is cut off.
constexpr absl::Duration kEndPatience = absl::Milliseconds(500);
constexpr absl::Duration kStopPatience = absl::Seconds(1);
constexpr size_t kStrangersMax = 64, kStrangersOfAddressMax = 32;

absl::Time Now() { return base::RealClock::Get().Steady(); }

class PeersService final : public v1::Peers::WithRawCallbackMethod_Channel<v1::Peers::Service> {
 public:
  PeersService(std::shared_ptr<PeerInbox> inbox, const PeerSecret& secret)
      : inbox_(std::move(inbox)), secret_(secret) {}
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Channel(
      grpc::CallbackServerContext* context) override {
    return new AcceptedSession(inbox_, context, secret_);
  }

 private:
  const std::shared_ptr<PeerInbox> inbox_;
  const PeerSecret& secret_;
};

}  // namespace

class PeerNet::Impl {
 public:
  Impl(std::vector<cluster::MemberNode> nodes, NodeId self, std::optional<TlsIdentity> tls,
       Callbacks callbacks, const std::string& secret, std::shared_ptr<LocalPeers> here)
      : self_(self),
        secret_{secret, self},
        here_(std::move(here)),
        named_(tls.has_value()),
        callbacks_(std::move(callbacks)) {
    for (cluster::MemberNode& node : nodes) {
      OPIC_CHECK(node.id.value == peers_.size()) << "nodes out of order";
      Peer peer;
      if (self < node.id) {
        peer.stub = v1::Peers::NewStub(ChannelTo(node.address, tls, node.name));
      }
      peer.node = std::move(node);
      peers_.push_back(std::move(peer));
    }
    OPIC_CHECK(self.value < peers_.size());
  }

  grpc::Service* service() { return &service_; }

  void Start() {
    inbox_->Open();
    if (here_) here_->Enter(peers_[self_.value].node.address, inbox_, secret_);
    started_ = Now();
    thread_ = std::thread(base::OfThisPart([this] { Loop(); }));
  }
  void Send(NodeId to, cluster::Message message) { inbox_->Push(ToPeer{to, std::move(message)}); }
  void Disconnect(NodeId peer) { inbox_->Push(EndOf{peer}); }
  void Stop() {
    if (stop_called_.exchange(true) || !thread_.joinable()) return;
    if (here_) here_->Leave(peers_[self_.value].node.address);
    inbox_->Push(EndOfAll{});
    thread_.join();
  }

 private:
  struct Peer {
    cluster::MemberNode node;
    std::unique_ptr<v1::Peers::Stub> stub;  // of those that this node dials
    PeerSession* session = nullptr;
    bool connected = false;  // on_connected was called
    bool complained = false;
    bool heard = false;    // it has said Hello, in any session
    bool awaited = false;  // the log says that it is not there yet,
    bool missed = false;   // or that it is away
    absl::Time connected_at, dial_at = absl::InfinitePast();
    absl::Duration retry = kRetryFirst;
  };

  void Loop() {
    while (!stopping_ || (!sessions_.empty() && Now() < give_up_at_)) {
      for (PeerEvent& event : inbox_->PopAll(Patience())) {
        std::visit([this](auto& value) { Take(std::move(value)); }, event);
      }
      if (!stopping_) DialWhoIsDue();
      EndSilentSessions();
    }
    ReleaseRemaining();
  }

  absl::Duration Patience() const {
    if (stopping_) return absl::Milliseconds(50);
    absl::Time wake = Now() + absl::Milliseconds(500);
    for (const Peer& peer : peers_) {
      if (peer.stub && peer.session == nullptr) wake = std::min(wake, peer.dial_at);
    }
    return std::max(absl::ZeroDuration(), wake - Now());
  }

  void DialWhoIsDue() {
    const absl::Time now = Now();
    for (Peer& peer : peers_) {
      if (!peer.stub || peer.session != nullptr || now < peer.dial_at) continue;
      std::unique_ptr<PeerSession> session = Dial(peer);
      session->hello_deadline = now + kHelloPatience;
      peer.session = session.get();
      sessions_[peer.session] = std::move(session);
    }
  }

  std::unique_ptr<PeerSession> Dial(const Peer& peer) {
    std::unique_ptr<PeerSession> local;
    if (here_) local = here_->Dial(peer.node, peers_[self_.value].node.name, inbox_, secret_);
    if (local != nullptr) return local;
    return std::make_unique<DialledSession>(inbox_, peer.node.id, *peer.stub, secret_);
  }

  void EndSilentSessions() {
    const absl::Time now = Now();
    for (auto& [session, owned] : sessions_) {
      if (session->ended() && now - session->ended_at() > kEndPatience) session->Cut();
      if (!session->ended() && !session->heard_hello && session->hello_deadline < now)
        End(*session, absl::DeadlineExceededError("no Hello was said"));
    }
  }

  void Take(SessionEvent event) {
    PeerSession& session = *event.session;
    switch (event.what) {
      case SessionEvent::What::kOpened:
        return session.dialled() ? TakeConnected(session) : TakeStranger(session);
      case SessionEvent::What::kRead:
        return TakeMessage(session);
      case SessionEvent::What::kWritten:
        return session.WriteNext();
      case SessionEvent::What::kBroken:
        return End(session, absl::OkStatus());
      case SessionEvent::What::kEnded:
        return TakeEnded(session);
    }
  }

  void TakeConnected(PeerSession& session) {
    if (session.ended()) return;
    session.opened = true;
    if (!session.KnowsSecret(*session.peer)) {
      Peer& peer = peers_[session.peer->value];
      if (!std::exchange(peer.complained, true))
        base::LogError("node {}: {}", peer.node.name, std::string(NoSecret().message()));
      return End(session, NoSecret());
    }
    BeginWith(*session.peer);
    if (session.read_waits) TakeMessage(session);
  }

  static absl::Status NoSecret() {
    return absl::PermissionDeniedError(
        "it does not know this cluster's secret: give all nodes the same file, which stands beside "
        "the cluster's and ends with .secret");
  }

  void TakeStranger(PeerSession& session) {
    const std::string address = session.address();
    if (!stopping_) MakeRoomFor(address);
    sessions_[&session].reset(&session);
    if (stopping_) {
      session.End(absl::UnavailableError("the node is stopping"));
    } else if (named_ && !ShowsAnyDialler(session)) {
      session.End(absl::PermissionDeniedError("its certificate names no node that dials this one"));
    } else {
      session.hello_deadline = Now() + kStrangerPatience;
      session.Admit();
    }
  }

  bool ShowsAnyDialler(const PeerSession& session) const {
    return std::any_of(peers_.begin(), peers_.begin() + self_.value,
                       [&](const Peer& peer) { return session.Shows(peer.node.name); });
  }

  // Puts out the oldest stranger of that address, or of all, when there are too many.
  void MakeRoomFor(const std::string& address) {
    PeerSession* oldest = nullptr;
    PeerSession* oldest_there = nullptr;
    size_t all = 0, there = 0;
    const auto older = [](const PeerSession* a, PeerSession* b) {
      return a == nullptr || b->number() < a->number();
    };
    for (auto& [session, owned] : sessions_) {
      if (session->dialled() || session->heard_hello || session->ended()) continue;
      ++all;
      if (older(oldest, session)) oldest = session;
      if (session->address() != address) continue;
      ++there;
      if (older(oldest_there, session)) oldest_there = session;
    }
    const absl::Status why = absl::ResourceExhaustedError("too many that have not said Hello");
    if (there >= kStrangersOfAddressMax) {
      oldest_there->End(why);
    } else if (all >= kStrangersMax) {
      oldest->End(why);
    }
  }

  void TakeMessage(PeerSession& session) {
    if (session.ended()) return;
    // The other end's proof comes with the opening.
    session.read_waits = session.dialled() && !session.opened;
    if (session.read_waits) return;
    std::optional<cluster::Message> message = session.TakeMessage();
    const absl::Status refusal = message
                                     ? Check(session, *message)
                                     : absl::InvalidArgumentError("a message that cannot be read");
    if (!refusal.ok()) {
      base::LogWarning("a session with {} is ended: {}",
                       session.peer ? peers_[session.peer->value].node.name : "a stranger",
                       std::string(refusal.message()));
      return End(session, refusal);
    }
    if (!std::exchange(session.heard_hello, true) && !session.dialled()) {
      session.peer = std::get<cluster::Hello>(*message).from;
      TakePlace(session);
    }
    NoteHeard(peers_[session.peer->value]);
    BeginWith(*session.peer);
    callbacks_.on_message(
        *session.peer, *std::move(message),
        [inbox = inbox_, number = session.number()] { inbox->Push(ReadOn{number}); });
  }

  // Why no peer would send this now; ok when one would.
  absl::Status Check(const PeerSession& session, const cluster::Message& message) const {
    const auto* hello = std::get_if<cluster::Hello>(&message);
    if (hello == nullptr) {
      return session.heard_hello ? absl::OkStatus()
                                 : absl::InvalidArgumentError("it does not begin with Hello");
    }
    if (session.heard_hello) return absl::InvalidArgumentError("it says Hello again");
    if (session.dialled()) {
      return hello->from == *session.peer
                 ? absl::OkStatus()
                 : absl::InvalidArgumentError("another node answers at its address");
    }
    if (!(hello->from < self_))
      return absl::InvalidArgumentError("it is not a node that dials this one");
    if (!session.KnowsSecret(hello->from)) return NoSecret();
    const std::string& name = peers_[hello->from.value].node.name;
    if (named_ && !session.Shows(name))
      return absl::PermissionDeniedError("its certificate does not name " + name);
    return absl::OkStatus();
  }

  // The newer session of a peer is the one that lives: the older may not have noticed its end yet.
  void TakePlace(PeerSession& session) {
    Peer& peer = peers_[session.peer->value];
    if (peer.session != nullptr)
      End(*peer.session, absl::AbortedError("a newer session has begun"));
    peer.session = &session;
  }

  // A first message may overtake the event that its session is open.
  void BeginWith(NodeId id) {
    Peer& peer = peers_[id.value];
    if (std::exchange(peer.connected, true)) return;
    peer.complained = false;
    peer.connected_at = Now();
    callbacks_.on_connected(id);
  }

  void End(PeerSession& session, const absl::Status& why) {
    session.End(why);
    Detach(session);
  }

  void Detach(const PeerSession& session) {
    if (!session.peer || peers_[session.peer->value].session != &session) return;
    Peer& peer = peers_[session.peer->value];
    peer.session = nullptr;
    const bool was_connected = std::exchange(peer.connected, false);
    const absl::Time now = Now();
    if (was_connected && now - peer.connected_at >= kGoodSession) peer.retry = kRetryFirst;
    peer.dial_at = now + peer.retry * absl::Uniform(random_, 0.5, 1.0);
    peer.retry = std::min(peer.retry * 2, kRetryMax);
    if (was_connected && !stopping_) callbacks_.on_disconnected(peer.node.id);
  }

  void TakeEnded(PeerSession& session) {
    if (session.dialled() && !stopping_) PrintError(session);
    End(session, absl::OkStatus());
    sessions_.erase(&session);
  }

  // Once for each time that a peer is away.
  void PrintError(const PeerSession& session) {
    Peer& peer = peers_[session.peer->value];
    if (session.end().ok() || absl::IsCancelled(session.end())) return;
    if (MayStartYet(peer, session.end())) {
      if (!std::exchange(peer.awaited, true))
        base::LogInfo("node {} at {} is not there yet; trying again", peer.node.name,
                      peer.node.address);
      return;
    }
    if (std::exchange(peer.complained, true)) return;
    peer.missed = true;
    base::LogWarning("node {} at {}: {}; trying again", peer.node.name, peer.node.address,
                     std::string(session.end().message()));
  }

  // The nodes of a cluster are started one after the other. A failure of TLS will not end by
  // itself.
  bool MayStartYet(const Peer& peer, const absl::Status& end) const {
    return !peer.heard && Now() < started_ + kStartPatience && absl::IsUnavailable(end) &&
           !absl::StrContains(end.message(), "andshake");
  }

  void NoteHeard(Peer& peer) {
    peer.heard = true;
    if (std::exchange(peer.missed, false)) base::LogInfo("node {} is there again", peer.node.name);
  }

  void Take(ToPeer out) {
    // A scheduler may write to a node of the cluster that it worked for before.
    if (out.to.value >= peers_.size() || out.to == self_) return;
    Peer& peer = peers_[out.to.value];
    if (!peer.connected || peer.session->ended()) return;
    PeerSession& session = *peer.session;
    // What was meant for the session before is dropped: nobody waits for it any more.
    const bool hello = std::holds_alternative<cluster::Hello>(out.message);
    if (hello == session.said_hello) return;
    session.said_hello = true;
    session.Send(std::move(out.message));
  }

  void Take(EndOf out) {
    OPIC_CHECK(out.peer.value < peers_.size()) << "no peer";
    PeerSession* session = peers_[out.peer.value].session;
    if (session != nullptr)
      End(*session, absl::AbortedError("the other end has ended the session"));
  }

  void Take(ReadOn next) {
    for (auto& [session, owned] : sessions_) {
      if (session->number() == next.session_number) return session->ReadNext();
    }
  }

  void Take(EndOfAll) {
    stopping_ = true;
    give_up_at_ = Now() + kStopPatience;
    for (auto& [session, owned] : sessions_)
      session->End(absl::UnavailableError("the node is stopping"));
  }

  // Of a session that has ended, and could not say so since the inbox is closed, nothing is left
  // but its other events. One that has just come waits for an answer, and the last event is that of
  // a session that waits to be deleted.
  bool IsThere(const SessionEvent& event) const {
    return event.what == SessionEvent::What::kEnded ||
           (event.what == SessionEvent::What::kOpened && !sessions_.contains(event.session));
  }

  // What has not ended by now deletes itself when the server does.
  void ReleaseRemaining() {
    inbox_->Close();
    for (PeerEvent& event : inbox_->PopAll(absl::ZeroDuration())) {
      const auto* of_session = std::get_if<SessionEvent>(&event);
      if (of_session != nullptr && IsThere(*of_session)) Take(*of_session);
    }
    for (auto& [session, owned] : sessions_) static_cast<void>(owned.release());
  }

  const NodeId self_;
  const PeerSecret secret_;
  const std::shared_ptr<LocalPeers> here_;  // null: this is the only net of the process
  const bool named_;                        // peers show certificates
  const Callbacks callbacks_;
  const std::shared_ptr<PeerInbox> inbox_ = std::make_shared<PeerInbox>(/*open=*/false);
  PeersService service_{inbox_, secret_};
  std::atomic<bool> stop_called_ = false;
  std::thread thread_;
  // Of the thread.
  std::vector<Peer> peers_;  // by number; this node's own entry is not used
  std::map<PeerSession*, std::unique_ptr<PeerSession>> sessions_;
  bool stopping_ = false;
  absl::Time started_, give_up_at_;
  absl::BitGen random_;
};

std::shared_ptr<LocalPeers> NewLocalPeers() { return std::make_shared<LocalPeers>(); }

PeerNet::PeerNet(std::vector<cluster::MemberNode> nodes, NodeId self,
                 std::optional<TlsIdentity> tls, Callbacks callbacks, const std::string& secret,
                 std::shared_ptr<LocalPeers> here)
    : impl_(std::make_unique<Impl>(std::move(nodes), self, std::move(tls), std::move(callbacks),
                                   secret, std::move(here))) {}
PeerNet::~PeerNet() { Stop(); }
grpc::Service* PeerNet::service() { return impl_->service(); }
void PeerNet::Start() { impl_->Start(); }
void PeerNet::Send(NodeId to, cluster::Message message) { impl_->Send(to, std::move(message)); }
void PeerNet::Disconnect(NodeId peer) { impl_->Disconnect(peer); }
void PeerNet::Stop() { impl_->Stop(); }

}  // namespace opic::rpc
