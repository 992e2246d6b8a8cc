#include "tests/scenarios/cluster_crawl.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "absl/strings/str_cat.h"

namespace opic::scenarios {
namespace {

using support::Process;

constexpr char kAnswering[] = "answering on ";

bool CanListenOn(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool free = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return free;
}

// The map has to name ports before anybody listens. They are below those that the system gives to
// connections, so that none is taken while its node is restarted.
uint16_t FreePort(std::set<uint16_t>& taken) {
  std::random_device device;
  while (true) {
    const auto port = static_cast<uint16_t>(10'000 + device() % 20'000);
    if (CanListenOn(port) && taken.insert(port).second) return port;
  }
}

cluster::ShardMap MapOf(int nodes, url::ShardBy shard_by,
                        importance::Method method = importance::Method::kPush) {
  ledger::CharterRequest request;
  request.method = method;
  request.shard_by = shard_by;
  ledger::Charter charter = request.ApplyTo(ledger::Charter::ForNewCrawl());
  charter.cluster_id = std::random_device()() | 1;
  std::set<uint16_t> taken;
  std::vector<cluster::MemberNode> members;
  for (int n = 0; n < nodes; ++n) {
    members.push_back(
        {NodeAt(n), absl::StrCat("n", n), absl::StrCat("127.0.0.1:", FreePort(taken))});
  }
  return cluster::ShardMap::Even(charter, std::move(members));
}

}  // namespace

ClusterCrawl::ClusterCrawl(int nodes, absl::Duration delay, uint32_t pages, uint32_t hosts,
                           url::ShardBy shard_by, importance::Method method)
    : sample_(delay, pages, hosts),
      file_(sample_.folder() + "/cluster.json"),
      map_(MapOf(nodes, shard_by, method)),
      processes_(static_cast<size_t>(nodes)) {
  std::ofstream(file_) << map_->ToJson();
}

void ClusterCrawl::WriteAnotherMap(const std::string& file) {
  std::ofstream(file) << MapOf(2, url::ShardBy::kHost).ToJson();
}

std::string ClusterCrawl::data(int node) const {
  return absl::StrCat(sample_.folder(), "/n", node);
}

const std::string& ClusterCrawl::address(int node) const {
  return map_->node(NodeAt(node)).address;
}

Words ClusterCrawl::NodeWords(int node, const std::string& data, const Words& more) const {
  Words words = {"--cluster",      file_,
                 "--node",         absl::StrCat("n", node),
                 "--data",         data,
                 "--connect-to",   sample_.web().connect_to(),
                 "--delay",        absl::FormatDuration(sample_.delay()),
                 "--in-flight",    std::to_string(SampleCrawl::kInFlight),
                 "--allow-private"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void ClusterCrawl::StartProcess(int number, Words words, int times) {
  words.insert(words.begin(), Program("opic-node"));
  auto& process = processes_[static_cast<size_t>(number)];
  process = std::make_unique<Process>(
      std::move(words),
      Process::Options{.output = absl::StrCat(data(number), "-run", ++runs_, ".out")});
  const auto answers = [&] {
    int count = 0;
    const std::string said = process->output();
    for (size_t at = said.find(kAnswering); at != said.npos; at = said.find(kAnswering, at + 1))
      ++count;
    return count;
  };
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience,
                                  [&] { return answers() >= times || !process->running(); }));
  ASSERT_TRUE(process->running()) << process->output();
}

void ClusterCrawl::Start(int node, const Words& more) {
  StartProcess(node, NodeWords(node, data(node), more), 1);
}

void ClusterCrawl::StartHere(const Words& more) {
  Words words = NodeWords(0, sample_.folder(), more);
  words.insert(words.end(), {"--nodes-here", absl::StrCat(nodes())});
  StartProcess(0, std::move(words), nodes());
}

void ClusterCrawl::StartAll(const Words& more) {
  for (int node = 0; node < nodes(); ++node) Start(node, more);
}

void ClusterCrawl::Stop(int node) {
  process(node).Signal(SIGTERM);
  ASSERT_EQ(process(node).Wait(SampleCrawl::kPatience), 0) << process(node).output();
}

void ClusterCrawl::Add() {
  std::set<uint16_t> taken;
  const std::string name = absl::StrCat("n", nodes());
  const std::string next = file_ + ".next";
  const Said said =
      RunProgram("opic", {"cluster", "add", name, absl::StrCat("127.0.0.1:", FreePort(taken)),
                          "--cluster", file_, "--out", next});
  ASSERT_EQ(said.code, 0) << said.output;
  std::filesystem::rename(next, file_);
  const absl::StatusOr<cluster::ShardMap> map = cluster::ShardMap::Read(file_);
  ASSERT_TRUE(map.ok()) << map.status();
  map_ = *map;
  processes_.emplace_back();
}

std::unique_ptr<Process> ClusterCrawl::BeginMoves(Words words) {
  words.insert(words.begin(), {Program("opic"), "cluster"});
  words.insert(words.end(), {"--cluster", file_, "--patience", "20s"});
  return std::make_unique<Process>(
      std::move(words),
      Process::Options{.output = absl::StrCat(sample_.folder(), "/move", ++moves_, ".out")});
}

std::vector<ClusterCrawl::ShardShown> ClusterCrawl::Shards() const {
  const Said said =
      RunProgram("opic", {"cluster", "shards", "--cluster", file_, "--json", "--patience", "20s"});
  const nlohmann::json shown = nlohmann::json::parse(said.answer, nullptr, false);
  std::vector<ShardShown> shards;
  if (!shown.is_object()) return shards;
  for (const auto& shard : shown["shards"]) {
    shards.push_back({shard.value("node", ""), shard.value("state", ""), shard.value("pages", 0u)});
  }
  return shards;
}

std::map<std::string, int> ClusterCrawl::ShardsByNode() const {
  std::map<std::string, int> counts;
  for (const ShardShown& shard : Shards()) ++counts[shard.node];
  return counts;
}

std::optional<int> ClusterCrawl::AwaitTheMiddle(Process& moves) const {
  const size_t length = moves.output().size();  // a line tells how many are there
  ptrdiff_t in_motion = 0;
  const bool found = support::Eventually(SampleCrawl::kPatience, [&] {
    const auto shards = Shards();
    in_motion = std::count_if(shards.begin(), shards.end(),
                              [](const auto& shard) { return shard.state != "resting"; });
    return in_motion > 0 || moves.output().size() > length || !moves.running();
  });
  if (!found || !moves.running()) return std::nullopt;
  return static_cast<int>(in_motion);
}

Words ClusterCrawl::OrderWords(const Words& more) const {
  Words words = {"crawl",   "--cluster",   file_,    sample_.web().seed_url(),
                 "--scope", sample_.scope, "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::unique_ptr<Process> ClusterCrawl::Watch(const Words& more) const {
  Words words = OrderWords(more);
  words.insert(words.begin(), Program("opic"));
  return std::make_unique<Process>(std::move(words),
                                   Process::Options{.output = sample_.folder() + "/watch.out"});
}

Said ClusterCrawl::AskNode(int node, const std::string& command, const Words& more) const {
  Words words = {command, "--node", address(node), "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return RunProgram("opic", std::move(words), {.output = sample_.folder() + "/asked.out"});
}

nlohmann::json ClusterCrawl::Ask(const std::string& command, const Words& more) const {
  const Said said = AskNode(0, command, more);
  EXPECT_EQ(said.code, 0) << command << ": " << said.output;
  return JsonOf(said);
}

void ClusterCrawl::ExpectAWholeCrawl() {
  const Said said = Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  sample_.ExpectReachableFetched();
  sample_.ExpectPolite();
  ExpectFetchedByOwners();
  ExpectAuditIsExact();
  EXPECT_EQ(Ask("status")["unread"], 0);
  EXPECT_EQ(TopOverlap(10), 10);
}

// A node that was just started answers when it has recovered.
void ClusterCrawl::ExpectAuditIsExact() const {
  constexpr int kPartial = 7;
  Said said;
  support::Eventually(absl::Seconds(60), [&] {
    said = AskNode(0, "audit");
    return said.code != kPartial;
  });
  EXPECT_EQ(said.code, 0) << said.output;
  const nlohmann::json audit = JsonOf(said);
  ASSERT_FALSE(audit.is_discarded());
  EXPECT_EQ(audit.value("difference", "none"), "0") << audit;
  EXPECT_EQ(audit.value("expected", "none"), "1000000000000000000") << audit;
}

bool ClusterCrawl::ExpectAuditIsNotWrong(int asked) const {
  return IsAuditWhole(AskNode(asked, "audit", {"--patience", "20s"}));
}

bool IsAuditWhole(const Said& said) {
  const nlohmann::json audit = nlohmann::json::parse(said.answer, nullptr, false);
  if (!audit.is_object()) return false;  // nobody there, or torn by restarts
  for (const auto& node : audit.value("nodes", nlohmann::json::array()))
    EXPECT_EQ(node.value("difference", "none"), "0") << audit;
  if (audit.contains("missing_nodes") && !audit["missing_nodes"].empty()) return false;
  EXPECT_EQ(audit.value("difference", "none"), "0") << audit;
  EXPECT_EQ(audit.value("expected", "none"), "1000000000000000000") << audit;
  return true;
}

std::vector<std::string> ClusterCrawl::Fetched(int node) const {
  std::vector<std::string> urls;
  std::ifstream log(data(node) + "/fetches.jsonl");
  for (std::string line; std::getline(log, line);) {
    const nlohmann::json fetch = nlohmann::json::parse(line, nullptr, false);
    if (!fetch.is_discarded()) urls.push_back(fetch.value("url", ""));  // the last before a kill
  }
  return urls;
}

void ClusterCrawl::ExpectFetchedByOwners() const {
  const ledger::Charter charter = map_->CharterOf(NodeId{0});
  const url::UrlHash hash(charter.shard_by, charter.shards);
  for (int node = 0; node < nodes(); ++node) {
    const std::vector<std::string> fetched = Fetched(node);
    EXPECT_FALSE(fetched.empty()) << "a node without a page";
    for (const std::string& text : fetched) {
      const std::optional<url::Url> url = url::Parse(text);
      ASSERT_TRUE(url.has_value()) << text;
      const bool on_loan =
          charter.shard_by == url::ShardBy::kUrl && url->path_and_query() == "/robots.txt";
      if (on_loan) continue;
      EXPECT_EQ(map_->OwnerOf(hash.PageOf(*url).shard()).value, node) << text;
    }
  }
}

int ClusterCrawl::TopOverlap(size_t count) const {
  std::set<std::string> exact;
  for (const sample::RankedPage& page : sample_.web().exact_ranks()) {
    if (exact.size() < count) exact.insert(page.url);
  }
  int both = 0;
  const nlohmann::json top = Ask("top", {"--count", std::to_string(count)});
  for (const auto& page : top["pages"])
    both += static_cast<int>(exact.count(page.value("url", "")));
  return both;
}

}  // namespace opic::scenarios
