// A hostile client beside a crawl: calls that are oversized, too many, slow, half open, forged and
// replayed. The nodes stay within the memory that they tell, the crawl comes to its end, and no
// unit is made.
//
// HOSTILE_SECONDS=60 is the long form, of an hour's worth of calls (5 by default); it also holds
// the crawl's rate to that without the client.
#include <arpa/inet.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "absl/synchronization/notification.h"
#include "opic/v1/peer.grpc.pb.h"
#include "rpc/node_client.h"
#include "rpc/peer_wire.h"
#include "rpc/server.h"
#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

absl::Duration Length() {
  const char* seconds = std::getenv("HOSTILE_SECONDS");
  return absl::Seconds(seconds == nullptr ? 5 : std::atof(seconds));
}

// Megabytes, as "VmRSS:" or "VmHWM:" of the process tell them.
double MemoryOf(const ClusterCrawl& crawl, int node) {
  const nlohmann::json status =
      nlohmann::json::parse(crawl.AskNode(node, "status", {"--local"}).answer, nullptr, false);
  return status.value("memory_bytes_peak", 0.0) / 1e6;
}

class HostileClient {
 public:
  explicit HostileClient(std::string address) : address_(std::move(address)) {}
  ~HostileClient() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  void Begin() {
    Run([this] { Oversized(); });
    Run([this] { Empty(); });
    Run([this] { Many(); });
    Run([this] { SilentStreams(); });
    Run([this] { HalfOpen(); });
    Run([this] { ForgedPeers(); });
    Run([this] { ForgedEpochs(); });
  }
  uint64_t calls() const { return calls_; }

 private:
  template <typename Work>
  void Run(Work work) {
    threads_.emplace_back([this, work] {
      while (!over_) work();
    });
  }
  // Bytes sent as a call of this method; nothing is awaited for long.
  void Call(const std::string& method, const std::string& bytes) {
    ++calls_;
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(2));
    grpc::GenericStub stub(rpc::ChannelTo(address_));
    const grpc::Slice slice(bytes);
    const grpc::ByteBuffer request(&slice, 1);
    grpc::ByteBuffer reply;
    absl::Notification done;
    stub.UnaryCall(&context, method, {}, &request, &reply, [&](grpc::Status) { done.Notify(); });
    done.WaitForNotification();
  }
  void Oversized() {
    Call("/opic.v1.Importance/BatchGet", std::string(60 << 20, 'x'));
    Call("/opic.v1.Control/AddSeeds", std::string(60 << 20, 'x'));
  }
  // Two bytes an empty string.
  void Empty() {
    std::string wire;
    for (int i = 0; i < 2'000'000; ++i) wire += std::string("\x0a\x00", 2);
    for (const char* method : {"/opic.v1.Importance/BatchGet", "/opic.v1.Control/AddSeeds",
                               "/opic.v1.Control/BeginCrawl"}) {
      Call(method, wire);
    }
  }
  void Many() {
    const auto client = rpc::NodeClient::To(address_, absl::Seconds(2));
    for (int i = 0; i < 100 && !over_; ++i, ++calls_) {
      client->Importance({std::string(100'000, 'u')}).status().IgnoreError();
      client->Stats().status().IgnoreError();
    }
  }
  using Stream = grpc::ClientReaderWriter<v1::PeerMessage, v1::PeerMessage>;
  void SilentStreams() {
    const auto stub = v1::Peers::NewStub(rpc::ChannelTo(address_));
    std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
    std::vector<std::unique_ptr<Stream>> streams;
    for (int i = 0; i < 100 && !over_; ++i, ++calls_) {
      contexts.push_back(std::make_unique<grpc::ClientContext>());
      streams.push_back(stub->Channel(contexts.back().get()));
    }
    Sleep(absl::Seconds(1));
    for (const auto& context : contexts) context->TryCancel();
    for (const auto& stream : streams) stream->Finish();
  }
  // A connection that says half of what it should.
  void HalfOpen() {
    std::vector<int> sockets;
    for (int i = 0; i < 100 && !over_; ++i, ++calls_) {
      const int fd = socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in to = {};
      to.sin_family = AF_INET;
      to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      to.sin_port =
          htons(static_cast<uint16_t>(std::atoi(address_.substr(address_.rfind(':') + 1).c_str())));
      if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0) {
        send(fd, "PRI * HTTP/2.0\r\n\r\nSM", 20, MSG_NOSIGNAL);
      }
      sockets.push_back(fd);
    }
    Sleep(absl::Seconds(1));
    for (int fd : sockets) close(fd);
  }
  // Says that it is node 0, and what it hears is said again.
  void ForgedPeers() {
    const auto stub = v1::Peers::NewStub(rpc::ChannelTo(address_));
    for (int i = 0; i < 20 && !over_; ++i, ++calls_) {
      cluster::Hello hello;
      hello.from = NodeId{0};
      hello.to = NodeId{1};
      hello.applied_cash = 1'000'000;
      v1::PeerMessage wire, heard;
      rpc::ToWire(hello, &wire);
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
      const auto stream = stub->Channel(&context);
      stream->Write(wire);
      while (stream->Read(&heard) && stream->Write(heard)) {
      }
      context.TryCancel();
      stream->Finish();
    }
  }
  void ForgedEpochs() {
    const auto client = rpc::NodeClient::To(address_, absl::Seconds(2));
    for (const uint64_t epoch : {uint64_t{1} << 62, uint64_t{1} << 61, uint64_t{1} << 40}) {
      ++calls_;
      EXPECT_FALSE(client->TakeCut(epoch).ok());
    }
    Sleep(absl::Milliseconds(10));
  }
  void Sleep(absl::Duration time) const {
    const absl::Time end = support::WallTime() + time;
    while (!over_ && support::WallTime() < end) support::ShortPause();
  }

  const std::string address_;
  std::atomic<bool> over_ = false;
  std::atomic<uint64_t> calls_ = 0;
  std::vector<std::thread> threads_;
};

// As `opic cluster init` makes it; without, who forges a Hello would be let in on loopback.
void MakeSecret(const ClusterCrawl& crawl) {
  const std::string secret = crawl.file() + ".secret";
  std::ofstream(secret) << std::string(32, 's');
  ASSERT_EQ(chmod(secret.c_str(), 0600), 0);
}

// Pages that two nodes fetch in Length(), one a second of each host at most.
size_t FetchedInTime(bool hostile) {
  ClusterCrawl crawl(2, absl::Seconds(1), 100 * 60, 60);
  MakeSecret(crawl);
  crawl.StartAll();
  std::unique_ptr<HostileClient> client;
  if (hostile) {
    client = std::make_unique<HostileClient>(crawl.address(1));
    client->Begin();
  }
  const std::unique_ptr<support::Process> watch = crawl.Watch();
  EXPECT_TRUE(crawl.sample().AwaitPageHits(60));  // it is on its way
  const size_t before = crawl.sample().PageHitCount();
  const absl::Time end = support::WallTime() + Length();
  while (support::WallTime() < end) support::ShortPause();
  return crawl.sample().PageHitCount() - before;
}

// The long form only: seconds are too short to tell rates apart.
TEST(HostileClientTest, ACrawlKeepsItsRate) {
  if (Length() < absl::Seconds(30)) GTEST_SKIP() << "HOSTILE_SECONDS=60 compares rates";
  KeepLittleOfWhatIsFreed();
  const size_t alone = FetchedInTime(/*hostile=*/false);
  const size_t beside = FetchedInTime(/*hostile=*/true);
  std::printf("%zu pages alone, %zu beside the hostile client\n", alone, beside);
  EXPECT_GE(static_cast<double>(beside), 0.9 * static_cast<double>(alone));
}

TEST(HostileClientTest, ACrawlIsDoneAsBeforeAndNoUnitIsMade) {
  KeepLittleOfWhatIsFreed();
  ClusterCrawl crawl(2, absl::Milliseconds(20));
  MakeSecret(crawl);
  crawl.StartAll();
  const double before = MemoryOf(crawl, 1);
  const nlohmann::json status =
      nlohmann::json::parse(crawl.AskNode(1, "status", {"--local"}).answer);
  const double budget = status.at("calls_bytes_max").get<double>() / 1e6;
  {
    HostileClient client(crawl.address(1));
    client.Begin();
    const std::unique_ptr<support::Process> watch = crawl.Watch();
    const absl::Time end = support::WallTime() + Length();
    while (support::WallTime() < end) support::ShortPause();
    EXPECT_TRUE(watch->Wait(SampleCrawl::kPatience).has_value()) << watch->output();
    const double peak = MemoryOf(crawl, 1);
    std::printf("%llu calls; %.0f MB before, %.0f MB at the peak; %.0f MB are told\n",
                static_cast<unsigned long long>(client.calls()), before, peak, budget);
    // What the crawl itself takes, too.
    EXPECT_LT(peak, before + budget + 100);
  }
  crawl.sample().ExpectReachableFetched();
  crawl.ExpectAuditIsExact();
}

}  // namespace
}  // namespace opic::scenarios
