// One stream between this node and a peer, with the same rules at both ends: one message is read
// and one is written at a time, what waits to be written waits here.
//
// A session that ends when the inbox is closed deletes itself.
//
// Thread safety: gRPC's reactions, on its own threads, only post events; everything else is
// confined to the net's thread, which owns the session until its kEnded.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "cluster/messages.h"
#include "opic/v1/peer.grpc.pb.h"
#include "rpc/peer_inbox.h"

namespace opic::rpc {

// The cluster's secret, at one end. Each end draws a nonce and proves, by an HMAC of both, that it
// knows the secret: who accepts with its initial metadata, who dials with its Hello. So neither is
// shown it, and what was said to one is no use to another.
class PeerSecret {
 public:
  // Empty: there is none, and everything proves it.
  PeerSecret(std::string secret, NodeId self) : secret_(std::move(secret)), self_(self) {}
  bool none() const { return secret_.empty(); }
  bool SameAs(const PeerSecret& other) const { return secret_ == other.secret_; }
  NodeId self() const { return self_; }
  std::string ProofOfAccepting(NodeId acceptor, const std::string& dialler_nonce,
                               const std::string& acceptor_nonce) const;
  std::string ProofOfDialling(NodeId dialler, NodeId acceptor, const std::string& dialler_nonce,
                              const std::string& acceptor_nonce) const;

 private:
  const std::string secret_;
  const NodeId self_;
};

class PeerSession {
 public:
  PeerSession(std::shared_ptr<PeerInbox> inbox, std::optional<NodeId> peer);
  virtual ~PeerSession() = default;

  uint64_t number() const { return number_; }  // of all sessions of this process
  virtual bool dialled() const = 0;
  // Accepts the stream and reads its first message. Accepted sessions only.
  virtual void Admit() {}
  // Whether `name` stands in the certificate of the other end.
  virtual bool Shows(const std::string& name) const = 0;
  // The host at the other end of an accepted one.
  virtual std::string address() const { return ""; }
  // Why a dialled session has ended.
  virtual absl::Status end() const { return absl::OkStatus(); }

  // Whether the other end, which says it is this peer, has proved to know the secret. Dialled: once
  // it is open; accepted: once Hello was read.
  virtual bool KnowsSecret(NodeId peer) const = 0;

  // Who is at the other end; accepted: known when it has said Hello.
  std::optional<NodeId> peer;
  bool heard_hello = false, said_hello = false;
  bool opened = false, read_waits = false;  // of a dialled one
  absl::Time hello_deadline = absl::InfiniteFuture();

  // Writes it after those before. When several acknowledgements wait one after the other, only the
  // last is kept, with what the others tell of moves. Lease messages wait in bounded memory: those
  // that do not fit are lost.
  void Send(cluster::Message message);
  void WriteNext();  // after kWritten
  void ReadNext();
  // After kRead. Nothing: no peer would send that, or nobody its like before Hello.
  std::optional<cluster::Message> TakeMessage();
  // Nothing is read or written any more; kEnded follows. `why` is sent to the other end; ok: it has
  // ended the session itself. Idempotent.
  void End(const absl::Status& why);
  bool ended() const { return ended_; }
  absl::Time ended_at() const { return ended_at_; }
  // For a session that has ended here while its reason waits behind what the other end does not
  // read.
  virtual void Cut() {}

 protected:
  virtual void StartReading(v1::PeerMessage* message) = 0;
  // What was read is in `message` afterwards; false: it is too large, or no message.
  virtual bool Decode(v1::PeerMessage* message) = 0;
  // May take what the message says.
  virtual void StartWriting(v1::PeerMessage* message) = 0;
  virtual void Close(const absl::Status& why) = 0;

  // What is shown with the own Hello; empty: nothing.
  virtual std::string OwnProof() const { return ""; }
  const std::string& shown_proof() const { return shown_proof_; }

  bool Post(SessionEvent::What what) { return inbox_->Push(SessionEvent{this, what}); }
  // While nothing waits to be written next, nobody has to know at once.
  void PostWritten(bool ok) {
    if (!ok) return static_cast<void>(Post(SessionEvent::What::kBroken));
    inbox_->Push(SessionEvent{this, SessionEvent::What::kWritten},
                 [this] { return more_waits_.load(); });
  }
  v1::PeerMessage* incoming() { return &incoming_; }

 private:
  const std::shared_ptr<PeerInbox> inbox_;
  const uint64_t number_;
  v1::PeerMessage incoming_, outgoing_;
  std::string shown_proof_;  // with the message that was read last
  std::deque<cluster::Message> waiting_;
  std::atomic<bool> more_waits_ = false;  // waiting_ has some
  size_t lease_messages_waiting_ = 0;
  bool writing_ = false, ended_ = false;
  absl::Time ended_at_;
};

// The end that dials.
class DialledSession final : public PeerSession,
                             public grpc::ClientBidiReactor<v1::PeerMessage, v1::PeerMessage> {
 public:
  // Opens the stream and reads its first message.
  DialledSession(std::shared_ptr<PeerInbox> inbox, NodeId peer, v1::Peers::Stub& stub,
                 const PeerSecret& secret);
  bool dialled() const override { return true; }
  // The channel has asked for the peer's name already.
  bool Shows(const std::string&) const override { return true; }
  bool KnowsSecret(NodeId peer) const override;
  absl::Status end() const override { return end_; }

  void OnReadInitialMetadataDone(bool ok) override {
    if (ok) Post(SessionEvent::What::kOpened);
  }
  void OnReadDone(bool ok) override {
    Post(ok ? SessionEvent::What::kRead : SessionEvent::What::kBroken);
  }
  void OnWriteDone(bool ok) override { PostWritten(ok); }
  void OnDone(const grpc::Status& status) override;

 private:
  void StartReading(v1::PeerMessage* message) override { StartRead(message); }
  bool Decode(v1::PeerMessage*) override { return true; }
  void StartWriting(v1::PeerMessage* message) override { StartWrite(message); }
  void Close(const absl::Status& why) override;
  std::string OwnProof() const override;
  std::string Metadata(const char* key) const;  // by the other end's initial metadata

  const PeerSecret& secret_;
  const std::string nonce_;
  grpc::ClientContext context_;
  absl::Status end_;
};

// The end that was dialled, by anybody: what comes is looked at before it is decoded.
class AcceptedSession final : public PeerSession,
                              public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  AcceptedSession(std::shared_ptr<PeerInbox> inbox, grpc::CallbackServerContext* context,
                  const PeerSecret& secret);
  bool dialled() const override { return false; }
  void Admit() override;
  bool Shows(const std::string& name) const override;
  bool KnowsSecret(NodeId peer) const override;
  std::string address() const override { return address_; }

  void OnReadDone(bool ok) override {
    Post(ok ? SessionEvent::What::kRead : SessionEvent::What::kBroken);
  }
  void OnWriteDone(bool ok) override { PostWritten(ok); }
  void OnCancel() override { Post(SessionEvent::What::kBroken); }
  void OnDone() override;
  void Cut() override;

 private:
  void StartReading(v1::PeerMessage*) override { StartRead(&read_); }
  bool Decode(v1::PeerMessage* message) override;
  void StartWriting(v1::PeerMessage* message) override;
  void Close(const absl::Status& why) override;

  const PeerSecret& secret_;
  const std::string nonce_;
  std::string dialler_nonce_;
  grpc::ByteBuffer read_, written_;
  const std::string address_;
  std::vector<std::string> names_;  // in the certificate
  absl::Mutex mu_;
  grpc::CallbackServerContext* context_ ABSL_GUARDED_BY(mu_);  // null: gRPC has deleted it
};

}  // namespace opic::rpc
