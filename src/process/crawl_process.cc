#include "process/crawl_process.h"

#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "fetch/validate.h"
#include "http/address.h"
#include "process/open_files.h"
#include "process/scheduler_store.h"
#include "rpc/scheduler_client.h"
#include "rpc/tls_in_force.h"

namespace opic::process {
namespace {

constexpr char kHttpQuestions[] = "--http-questions";
// Restating takes some 40 bytes a page (ledger/restating.h), or twice that while they are gathered.
// At the end of a crawl the memory for bodies is free.
constexpr uint64_t kRestatedPageBytes = 100;

// A scheduler on this machine speaks plain text, as cli/scheduler_main.cc says.
std::optional<rpc::TlsIdentity> TlsTowards(const std::string& scheduler,
                                           const std::optional<rpc::TlsIdentity>& tls) {
  return rpc::IsLoopback(scheduler) ? std::nullopt : tls;
}

rpc::Gate GateOf(const ProcessOptions& options) {
  std::set<std::string> nodes;
  if (options.crawl.membership) {
    for (const cluster::MemberNode& node : options.crawl.membership->map.nodes())
      nodes.insert(node.name);
  }
  return rpc::Gate(options.tls.has_value(), std::move(nodes), options.tokens);
}

absl::Status CheckWithPeers(const ProcessOptions& options) {
  if (options.listen_control != kWithPeers || rpc::IsLoopback(options.listen) || options.tls ||
      !options.tokens.empty())
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--listen-control ", kWithPeers, " would give operator rights to anyone who can reach ",
      options.listen, ": give TLS files or a --token-file, or leave it out"));
}

// The address for operators alone; empty: they are heard where the peers are.
absl::StatusOr<std::string> ControlListen(const ProcessOptions& options,
                                          const node::DataFolder& folder) {
  const bool loopback = rpc::IsLoopback(options.listen);
  if (options.listen_control == kWithPeers) return "";
  if (!options.listen_control.empty() || loopback) return options.listen_control;
  const std::string socket = folder.control();
  if (socket.size() >= sizeof(sockaddr_un::sun_path)) {
    return absl::InvalidArgumentError("the path " + socket +
                                      " is too long for a socket: say where operators are heard "
                                      "with --listen-control, or use another data folder");
  }
  return "unix:" + socket;
}

absl::Status CheckHttpQuestions(const ProcessOptions& options,
                                const rpc::ServerSecurity& security) {
  if (options.http_questions.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const http::Address address,
                   http::ParseAddress(options.http_questions, kHttpQuestions));
  RETURN_IF_ERROR(rpc::CheckListening(address.ToText(), security));
  if (!options.tls || !options.tokens.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(kHttpQuestions,
                   " of a node with certificates needs a --token-file with a line \"reader "
                   "TOKEN\": over HTTP callers show a token, not a certificate"));
}

// The names by which callers may address this node; nothing: any, because they show a token.
std::optional<std::set<std::string>> NamesWithoutTokens(const ProcessOptions& options) {
  if (!options.tokens.empty()) return std::nullopt;
  std::set<std::string> names;
  if (!options.crawl.membership) return names;
  const cluster::MemberNode& own = options.crawl.membership->own();
  names.insert(absl::AsciiStrToLower(own.name));
  names.insert(absl::AsciiStrToLower(own.address.substr(0, own.address.rfind(':'))));
  return names;
}

uint64_t PeersOf(const ProcessOptions& options) {
  return options.crawl.membership ? options.crawl.membership->map.nodes().size() : 0;
}

}  // namespace

absl::Status CheckOptions(const ProcessOptions& options) {
  RETURN_IF_ERROR(RaiseOpenFiles(options.crawl.fetch.in_flight_max, PeersOf(options)));
  RETURN_IF_ERROR(fetch::Validate(options.crawl.fetch));
  RETURN_IF_ERROR(CheckWithPeers(options));
  const rpc::ServerSecurity security{.tls = options.tls, .insecure = options.insecure_listen};
  for (const std::string& listen :
       {options.listen, options.listen_questions,
        options.listen_control == kWithPeers ? "" : options.listen_control})
    RETURN_IF_ERROR(rpc::CheckListening(listen, security));
  return CheckHttpQuestions(options, security);
}

absl::StatusOr<std::unique_ptr<CrawlProcess>> CrawlProcess::Start(const ProcessOptions& given) {
  RETURN_IF_ERROR(CheckOptions(given));
  ProcessOptions options = given;
  std::unique_ptr<CrawlProcess> process(new CrawlProcess());
  ASSIGN_OR_RETURN(process->folder_, node::DataFolder::Lock(options.data, /*create=*/true));
  ASSIGN_OR_RETURN(process->renewal_, rpc::TlsRenewal::Follow(options.tls));
  RETURN_IF_ERROR(process->OpenNode(options));
  ASSIGN_OR_RETURN(const std::string control, ControlListen(options, *process->folder_));
  const rpc::Gate gate = GateOf(options);
  const rpc::Gate of_peers =
      gate.Between(options.listen_questions.empty() ? rpc::Role::kStranger : rpc::Role::kNode,
                   control.empty() ? rpc::Role::kOperator : rpc::Role::kNode);
  RETURN_IF_ERROR(process->ReachScheduler(options, of_peers));
  if (options.crawl.membership) process->JoinCluster(*options.crawl.membership, options);
  process->WatchRounding(options);
  RETURN_IF_ERROR(process->Listen(options, of_peers));
  RETURN_IF_ERROR(process->AddSurface(
      options.listen_questions, gate.Between(rpc::Role::kStranger, rpc::Role::kReader), options));
  RETURN_IF_ERROR(process->AddSurface(
      control, gate.Between(rpc::Role::kOperator, rpc::Role::kOperator), options));
  RETURN_IF_ERROR(
      process->AnswerHttp(gate.Between(rpc::Role::kStranger, rpc::Role::kReader), options));
  process->server_->SetServing(false);  // it listens, and has nothing to say yet
  RETURN_IF_ERROR(process->StartParts());
  return process;
}

absl::Status CrawlProcess::OpenNode(const ProcessOptions& options) {
  if (options.scheduler.empty()) {
    // Before the node changes anything.
    RETURN_IF_ERROR(CheckScheduler(folder_->scheduler()));
  }
  node::CrawlOptions crawl = options.crawl;
  crawl.fetches_most = static_cast<uint32_t>(
      std::min<uint64_t>(crawl.fetches_most, FetchesWithinOpenFiles(PeersOf(options))));
  ASSIGN_OR_RETURN(node_, node::Node::Open(crawl, *folder_, *options.clock));
  return absl::OkStatus();
}

absl::Status CrawlProcess::ReachScheduler(const ProcessOptions& options, const rpc::Gate& gate) {
  if (!options.scheduler.empty()) {
    to_scheduler_ = rpc::ChannelTo(options.scheduler, TlsTowards(options.scheduler, options.tls));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(
      scheduler_,
      OpenScheduler(folder_->scheduler(), options.scheduling, &scheduler_store_, *options.clock,
                    {.inside = true, .gate = gate, .trail = &node_->trail()}));
  return absl::OkStatus();
}

absl::Status CrawlProcess::Listen(const ProcessOptions& options, const rpc::Gate& gate) {
  services_ = Services(gate);
  std::vector<grpc::Service*> services = services_->services();
  services.push_back(scheduler_ ? scheduler_->service() : SchedulerCalls(gate));
  if (peers_) services.push_back(peers_->service());
  ASSIGN_OR_RETURN(server_,
                   rpc::Server::Start(options.listen, services,
                                      {.tls = options.tls, .insecure = options.insecure_listen}));
  return absl::OkStatus();
}

std::unique_ptr<rpc::SchedulerSession> CrawlProcess::NewLink() {
  node::Node* node = node_.get();
  rpc::SchedulerCallbacks callbacks{
      [node] { node->OnSession(); },
      [node](schedule::ToNode message) { node->OnMessage(std::move(message)); }};
  if (scheduler_) return scheduler_->Within(std::move(callbacks));
  return std::make_unique<rpc::SchedulerClient>(to_scheduler_, std::move(callbacks));
}

absl::Status CrawlProcess::StartParts() {
  link_ = NewLink();
  std::function<bool(NodeId)> answers;
  if (cluster_) {
    answers = [cluster = cluster_.get()](NodeId peer) { return cluster->IsThere(peer); };
  }
  RETURN_IF_ERROR(node_->Start(*link_, peers_.get(), std::move(answers)));
  link_->Start();
  if (peers_) peers_->Start();
  services_->Open();
  for (const Surface& surface : surfaces_) surface.services->Open();
  server_->SetServing(true);
  RETURN_IF_ERROR(folder_->Announce(server_->address()));
  if (watch_) watch_->Start();
  return absl::OkStatus();
}

absl::Status CrawlProcess::AddSurface(const std::string& listen, const rpc::Gate& gate,
                                      const ProcessOptions& options) {
  if (listen.empty()) return absl::OkStatus();
  std::vector<grpc::Service*> services;
  Surface surface = NewSurface(gate, &services);
  ASSIGN_OR_RETURN(surface.server,
                   rpc::Server::Start(listen, services,
                                      {.tls = options.tls, .insecure = options.insecure_listen}));
  base::LogInfo("also answering on {}", surface.server->address());
  surfaces_.push_back(std::move(surface));
  return absl::OkStatus();
}

// Callers show no certificates there: the gate goes by tokens.
absl::Status CrawlProcess::AnswerHttp(const rpc::Gate& gate, const ProcessOptions& options) {
  if (options.http_questions.empty()) return absl::OkStatus();
  std::vector<grpc::Service*> services;
  Surface surface = NewSurface(gate, &services);
  ASSIGN_OR_RETURN(surface.server, rpc::Server::StartWithin(services));
  gateway::GatewayOptions gateway{
      .names = NamesWithoutTokens(options),
      .admit = [gate](std::string_view shown) { return gate.AdmitToken(shown); }};
  ASSIGN_OR_RETURN(gateway.address, http::ParseAddress(options.http_questions, kHttpQuestions));
  if (options.tls) {
    gateway.tls = [identity = *options.tls] {
      const rpc::TlsIdentity now = rpc::NowOf(identity);
      return http::Certificate{now.certificate, now.key};
    };
  }
  const bool everybody = options.tokens.empty() && !gateway.address.IsLoopback();
  surfaces_.push_back(std::move(surface));
  ASSIGN_OR_RETURN(gateway_, gateway::Gateway::Start(
                                 gateway, surfaces_.back().server->Within(gateway::kReplyBytesMax),
                                 *options.clock));
  base::LogInfo("questions as JSON at {}://{}/opic.v1.Importance/Top",
                options.tls ? "https" : "http", gateway_->address().ToText());
  if (everybody) {
    base::LogWarning("anybody who can reach {} may ask questions: there is no --token-file",
                     gateway_->address().ToText());
  }
  return absl::OkStatus();
}

CrawlProcess::Surface CrawlProcess::NewSurface(const rpc::Gate& gate,
                                               std::vector<grpc::Service*>* services) {
  Surface surface{Services(gate), nullptr};
  *services = surface.services->services();
  services->push_back(SchedulerCalls(gate));
  return surface;
}

grpc::Service* CrawlProcess::SchedulerCalls(const rpc::Gate& gate) {
  if (scheduler_) return scheduler_->AddSurface(gate);
  relays_.push_back(std::make_unique<rpc::SchedulerRelay>(to_scheduler_, gate, &node_->trail()));
  return relays_.back()->service();
}

void CrawlProcess::JoinCluster(const node::Membership& membership, const ProcessOptions& options) {
  node::Node* node = node_.get();
  peers_ = std::make_unique<rpc::PeerNet>(
      membership.map.nodes(), membership.self, options.tls,
      rpc::PeerNet::Callbacks{
          [node](NodeId peer) { node->OnPeerConnected(peer); },
          [node](NodeId peer) { node->OnPeerDisconnected(peer); },
          [node](NodeId peer, cluster::Message message, std::function<void()> read_next) {
            node->OnPeerMessage(peer, std::move(message), std::move(read_next));
          }},
      options.secret, options.here);
  rpc::ClusterMembers members = rpc::MembersOf(membership.map, membership.self, Own(), options.tls,
                                               rpc::BestOf(options.tokens));
  restated_.assign(members.begin(), members.end());
  cluster_ = std::make_unique<rpc::ClusterAnswers>(
      membership.map, membership.self, std::move(members), [node] { return node->Owners(); });
}

std::shared_ptr<node::RunningNode> CrawlProcess::Own() {
  return {&node_->operations(), [](node::RunningNode*) {}};
}

// One node of a cluster sees to it for all.
void CrawlProcess::WatchRounding(const ProcessOptions& options) {
  if (node_->charter().method != importance::Method::kPush) return;
  if (options.crawl.membership && options.crawl.membership->self != NodeId{0}) return;
  if (!options.crawl.membership) restated_ = {Own()};
  rpc::RestatingWatchOptions watch{.error_max = options.crawl.error_max};
  if (options.crawl.settle && !options.crawl.refresh.on())
    watch.finished_pages_max = options.crawl.memory.bodies() / kRestatedPageBytes;
  watch_ = std::make_unique<rpc::RestatingWatch>(restated_, watch);
  node_->AskBeforeFinishing([watch = watch_.get()](bool over) { return watch->MayFinish(over); });
}

std::unique_ptr<rpc::NodeServices> CrawlProcess::Services(const rpc::Gate& gate) {
  return std::make_unique<rpc::NodeServices>(
      node_->operations(), rpc::NodeServices::Options{
                               .cluster = cluster_.get(), .gate = gate, .trail = &node_->trail()});
}

CrawlProcess::~CrawlProcess() { Stop().IgnoreError(); }

std::optional<scheduler::SchedulerStatus> CrawlProcess::scheduler_status() const {
  if (!scheduler_) return std::nullopt;
  return scheduler_->status();
}

absl::Duration CrawlProcess::scheduler_cpu() const {
  return scheduler_ ? scheduler_->cpu() : absl::ZeroDuration();
}

void CrawlProcess::Drain(absl::Duration patience) {
  server_->SetServing(false);
  node_->StopFetching();
  base::Clock& clock = base::RealClock::Get();
  const absl::Time deadline = clock.Steady() + patience;
  while (node_->stats().in_progress > 0 && clock.Steady() < deadline)
    absl::SleepFor(absl::Milliseconds(20));
}

// Outside in: no more questions, no more from the peers, the node, then the scheduler with the
// outcomes it heard.
absl::Status CrawlProcess::Stop() {
  if (stopped_) return stop_status_;
  stopped_ = true;
  if (watch_) watch_->Stop();
  for (const Surface& surface : surfaces_) surface.services->Stop();
  if (services_) services_->Stop();
  if (peers_) peers_->Stop();
  if (node_) stop_status_.Update(node_->Stop());
  if (link_) link_->Stop();
  if (scheduler_) stop_status_.Update(scheduler_->Stop());
  gateway_.reset();
  for (const Surface& surface : surfaces_) surface.server->Shutdown();
  if (server_) server_->Shutdown();
  return stop_status_;
}

}  // namespace opic::process
