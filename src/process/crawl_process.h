// One crawler process, assembled: data folder, node, Page Scheduler (inside, or elsewhere), RPC
// server, and in a cluster the way to the peers. `opic crawl`, `opic demo` and `opic-node` run it;
// the order of starting and stopping is written here.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "gateway/gateway.h"
#include "node/node.h"
#include "rpc/cluster_answers.h"
#include "rpc/node_services.h"
#include "rpc/peer_net.h"
#include "rpc/restating_watch.h"
#include "rpc/scheduler_relay.h"
#include "rpc/scheduler_service.h"
#include "rpc/scheduler_session.h"
#include "rpc/server.h"
#include "rpc/tls.h"
#include "rpc/tls_renewal.h"
#include "scheduler/scheduler.h"
#include "store/store.h"

namespace opic::process {

inline constexpr char kWithPeers[] = "with-peers";  // an address for operators

struct ProcessOptions {
  std::string data;
  std::string listen = "127.0.0.1:0";  // of the RPC services
  // Addresses for questions and for operators alone. Empty: `listen` is for questions too, and for
  // operators where it is loopback; elsewhere they have the data folder's socket. kWithPeers:
  // operators are heard at `listen` wherever that is.
  std::string listen_questions, listen_control;
  std::string http_questions;             // ADDRESS:PORT of questions over HTTP; empty: none
  std::optional<rpc::TlsIdentity> tls;    // of the services and towards the peers
  bool insecure_listen = false;           // beyond loopback without `tls`
  rpc::Tokens tokens;                     // of callers; without them and `tls` everybody may call
  std::string secret;                     // of the cluster, which peers prove to know; may be empty
  std::shared_ptr<rpc::LocalPeers> here;  // all nodes of this process; null: there is one
  std::string scheduler;  // address of an opic-scheduler; empty: inside this process
  node::CrawlOptions crawl;
  scheduler::Options scheduling;
  base::Clock* clock = &base::RealClock::Get();
};

// What Start refuses by the options alone, without a look at the data folder or an address.
absl::Status CheckOptions(const ProcessOptions& options);

// Thread safety: confined to one thread, but for node() (see Node).
class CrawlProcess {
 public:
  static absl::StatusOr<std::unique_ptr<CrawlProcess>> Start(const ProcessOptions& options);
  ~CrawlProcess();  // as Stop()

  node::Node& node() { return *node_; }
  const std::string& address() const { return server_->address(); }
  // Tells of the scheduler inside this process; nothing when it is elsewhere.
  std::optional<scheduler::SchedulerStatus> scheduler_status() const;
  absl::Duration scheduler_cpu() const;
  // Null: no questions over HTTP.
  const gateway::Gateway* gateway() const { return gateway_.get(); }

  // Asked for over RPC: the owner should drain and stop.
  bool stop_requested() const { return node_->stop_requested(); }
  // Not serving from now on (rpc/health.h), and no new fetches; waits until those under way are
  // recorded, at most `patience`.
  void Drain(absl::Duration patience);
  // Ends everything and saves. Idempotent; the first failure is returned.
  absl::Status Stop();

 private:
  CrawlProcess() = default;
  // The steps of Start, in this order. JoinCluster and WatchRounding come before Listen, AddSurface
  // and AnswerHttp after it. `gate` is that of the address that peers call.
  absl::Status OpenNode(const ProcessOptions& options);
  absl::Status ReachScheduler(const ProcessOptions& options, const rpc::Gate& gate);
  absl::Status Listen(const ProcessOptions& options, const rpc::Gate& gate);
  absl::Status StartParts();
  std::unique_ptr<rpc::SchedulerSession> NewLink();
  // Listens for calls of some roles.
  absl::Status AddSurface(const std::string& listen, const rpc::Gate& gate,
                          const ProcessOptions& options);
  absl::Status AnswerHttp(const rpc::Gate& gate, const ProcessOptions& options);
  void JoinCluster(const node::Membership& membership, const ProcessOptions& options);
  std::shared_ptr<node::RunningNode> Own();
  std::unique_ptr<rpc::NodeServices> Services(const rpc::Gate& gate);
  void WatchRounding(const ProcessOptions& options);

  std::unique_ptr<node::DataFolder> folder_;
  std::unique_ptr<rpc::TlsRenewal> renewal_;  // null: there are no certificates
  std::unique_ptr<store::Store> scheduler_store_;
  std::unique_ptr<rpc::SchedulerService> scheduler_;          // null: it is elsewhere
  std::shared_ptr<grpc::Channel> to_scheduler_;               // then
  std::vector<std::unique_ptr<rpc::SchedulerRelay>> relays_;  // then, one for each address
  std::unique_ptr<node::Node> node_;
  std::unique_ptr<rpc::PeerNet> peers_;           // null: in no cluster
  std::unique_ptr<rpc::ClusterAnswers> cluster_;  // likewise
  std::unique_ptr<rpc::NodeServices> services_;
  rpc::RestatedNodes restated_;                 // this one and its peers
  std::unique_ptr<rpc::RestatingWatch> watch_;  // null: another node's, or windows
  std::unique_ptr<rpc::Server> server_;
  // The scheduler's calls for whoever `gate` lets in: of the one inside, or passed on.
  grpc::Service* SchedulerCalls(const rpc::Gate& gate);
  struct Surface {
    std::unique_ptr<rpc::NodeServices> services;
    std::unique_ptr<rpc::Server> server;
  };
  // Without a server, which needs its `services`.
  Surface NewSurface(const rpc::Gate& gate, std::vector<grpc::Service*>* services);
  std::vector<Surface> surfaces_;              // beside `server_`
  std::unique_ptr<gateway::Gateway> gateway_;  // to one of them
  std::unique_ptr<rpc::SchedulerSession> link_;
  bool stopped_ = false;
  absl::Status stop_status_;
};

}  // namespace opic::process
