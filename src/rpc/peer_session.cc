#include "rpc/peer_session.h"

#include <algorithm>
#include <atomic>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "certs/mac.h"
#include "rpc/frugal_message.h"
#include "rpc/limits.h"
#include "rpc/peer_wire.h"
#include "rpc/rpc_status.h"

namespace opic::rpc {
namespace {

uint64_t NextNumber() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

constexpr size_t kLeaseMessagesWaitingMax = 64;
constexpr char kNonceKey[] = "opic-nonce", kProofKey[] = "opic-proof";
constexpr size_t kNonceBytes = 16;
// Of one message: a word about every shard, or a lease message.
constexpr size_t kFieldsMax = (1 << 16) + 64;

// "ipv4:10.0.0.1:4711" without the port.
std::string HostOfPeer(const std::string& peer) { return peer.substr(0, peer.rfind(':')); }

bool IsLeaseMessage(const cluster::Message& message) {
  return std::holds_alternative<schedule::LeaseMessage>(message);
}

// Watermarks and sums of the newer one say all; a move and a demand are told once, by either.
void KeepWhatIsToldOnce(cluster::Acknowledgement older, cluster::Acknowledgement& newer) {
  if (!newer.demand) newer.demand = older.demand;
  if (newer.placements.empty()) {
    newer.placements = std::move(older.placements);
    return;
  }
  absl::flat_hash_set<uint32_t> named;
  for (const ledger::Placement& placement : newer.placements) named.insert(placement.shard.value);
  for (const ledger::Placement& placement : older.placements) {
    if (!named.contains(placement.shard.value)) newer.placements.push_back(placement);
  }
}

}  // namespace

PeerSession::PeerSession(std::shared_ptr<PeerInbox> inbox, std::optional<NodeId> peer)
    : peer(peer), inbox_(std::move(inbox)), number_(NextNumber()) {}

void PeerSession::Send(cluster::Message message) {
  if (IsLeaseMessage(message)) {
    if (lease_messages_waiting_ >= kLeaseMessagesWaitingMax) return;
    ++lease_messages_waiting_;
  }
  auto* newer = std::get_if<cluster::Acknowledgement>(&message);
  auto* older =
      waiting_.empty() ? nullptr : std::get_if<cluster::Acknowledgement>(&waiting_.back());
  if (newer != nullptr && older != nullptr) {
    KeepWhatIsToldOnce(std::move(*older), *newer);
    waiting_.pop_back();
  }
  waiting_.push_back(std::move(message));
  more_waits_ = true;
  if (!writing_) WriteNext();
}

void PeerSession::WriteNext() {
  writing_ = !ended_ && !waiting_.empty();
  if (!writing_) return;
  if (IsLeaseMessage(waiting_.front())) --lease_messages_waiting_;
  outgoing_.Clear();
  if (std::holds_alternative<cluster::Hello>(waiting_.front())) outgoing_.set_proof(OwnProof());
  ToWire(std::move(waiting_.front()), &outgoing_);
  waiting_.pop_front();
  more_waits_ = !waiting_.empty();
  StartWriting(&outgoing_);
}

void PeerSession::ReadNext() {
  if (!ended_) StartReading(&incoming_);
}

std::optional<cluster::Message> PeerSession::TakeMessage() {
  if (!Decode(&incoming_)) return std::nullopt;
  shown_proof_ = std::move(*incoming_.mutable_proof());
  return FromWire(std::move(incoming_));
}

void PeerSession::End(const absl::Status& why) {
  if (ended_) return;
  ended_ = true;
  ended_at_ = base::RealClock::Get().Steady();
  waiting_.clear();
  Close(why);
}

std::string PeerSecret::ProofOfAccepting(NodeId acceptor, const std::string& dialler_nonce,
                                         const std::string& acceptor_nonce) const {
  return certs::Mac(
      secret_, absl::StrCat("accept ", acceptor.value, " ", dialler_nonce, " ", acceptor_nonce));
}

std::string PeerSecret::ProofOfDialling(NodeId dialler, NodeId acceptor,
                                        const std::string& dialler_nonce,
                                        const std::string& acceptor_nonce) const {
  return certs::Mac(secret_, absl::StrCat("dial ", dialler.value, " ", acceptor.value, " ",
                                          dialler_nonce, " ", acceptor_nonce));
}

DialledSession::DialledSession(std::shared_ptr<PeerInbox> inbox, NodeId peer, v1::Peers::Stub& stub,
                               const PeerSecret& secret)
    : PeerSession(std::move(inbox), peer),
      secret_(secret),
      nonce_(secret.none() ? "" : certs::RandomHex(kNonceBytes)) {
  if (!secret_.none()) context_.AddMetadata(kNonceKey, nonce_);
  // A session has no deadline: keep-alive tells when the other end is gone.
  stub.async()->Channel(&context_, this);
  AddHold();  // calls are made outside of reactions
  StartRead(incoming());
  StartCall();
}

std::string DialledSession::Metadata(const char* key) const {
  const auto& metadata = context_.GetServerInitialMetadata();
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : std::string(found->second.data(), found->second.size());
}

bool DialledSession::KnowsSecret(NodeId acceptor) const {
  if (secret_.none()) return true;
  const std::string proof = secret_.ProofOfAccepting(acceptor, nonce_, Metadata(kNonceKey));
  return certs::Same(absl::BytesToHexString(proof), Metadata(kProofKey));
}

std::string DialledSession::OwnProof() const {
  if (secret_.none() || !opened) return "";
  return secret_.ProofOfDialling(secret_.self(), *peer, nonce_, Metadata(kNonceKey));
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
                                 grpc::CallbackServerContext* context, const PeerSecret& secret)
    : PeerSession(std::move(inbox), std::nullopt),
      secret_(secret),
      nonce_(secret.none() ? "" : certs::RandomHex(kNonceBytes)),
      address_(HostOfPeer(context->peer())),
      context_(context) {
  const std::shared_ptr<const grpc::AuthContext> auth = context->auth_context();
  if (auth != nullptr && auth->IsPeerAuthenticated()) {
    for (const grpc::string_ref& name : auth->GetPeerIdentity())
      names_.emplace_back(name.data(), name.size());
  }
  const auto nonce = context->client_metadata().find(kNonceKey);
  if (nonce != context->client_metadata().end())
    dialler_nonce_.assign(nonce->second.data(), nonce->second.size());
  if (!Post(SessionEvent::What::kOpened))
    End(absl::UnavailableError("the node is starting or stopping"));
}

void AcceptedSession::Admit() {
  if (!secret_.none()) {
    absl::MutexLock lock(&mu_);
    if (context_ != nullptr) {
      const std::string proof = secret_.ProofOfAccepting(secret_.self(), dialler_nonce_, nonce_);
      context_->AddInitialMetadata(kNonceKey, nonce_);
      context_->AddInitialMetadata(kProofKey, absl::BytesToHexString(proof));
    }
  }
  StartSendInitialMetadata();
  ReadNext();
}

bool AcceptedSession::KnowsSecret(NodeId dialler) const {
  return secret_.none() ||
         certs::Same(shown_proof(),
                     secret_.ProofOfDialling(dialler, secret_.self(), dialler_nonce_, nonce_));
}

bool AcceptedSession::Shows(const std::string& name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

bool AcceptedSession::Decode(v1::PeerMessage* message) {
  message->Clear();
  const size_t bytes_max = heard_hello ? kMessageBytesMax : kHelloBytesMax;
  const absl::Status parsed = ParseNestedFrugally(read_, bytes_max, kFieldsMax, message);
  read_.Clear();
  return parsed.ok();
}

void AcceptedSession::StartWriting(v1::PeerMessage* message) {
  written_ = Serialize(*message);
  StartWrite(&written_);
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
