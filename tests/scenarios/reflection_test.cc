// Whether a server tells its protocol to whoever asks.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "absl/synchronization/notification.h"
#include "base/file.h"
#include "rpc/server.h"
#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

// The protocol's call takes a stream; an empty one ends well where there is such a service.
grpc::StatusCode AskForTheProtocol(const Words& words) {
  const std::string data = FreshFolder() + "/scheduler";
  Words all = {Program("opic-scheduler"), "--listen", "127.0.0.1:0", "--data", data};
  all.insert(all.end(), words.begin(), words.end());
  support::Process scheduler(all, {.output = data + ".out"});
  std::string address;
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    address = base::ReadFile(data + "/node.address").value_or("");
    return !address.empty();
  }));
  if (address.empty()) return grpc::StatusCode::UNKNOWN;
  address.pop_back();  // the end of its line
  grpc::GenericStub stub(rpc::ChannelTo(address));
  grpc::ClientContext context;
  const grpc::Slice empty("");
  const grpc::ByteBuffer request(&empty, 1);
  grpc::ByteBuffer reply;
  absl::Notification done;
  grpc::Status status;
  stub.UnaryCall(&context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", {},
                 &request, &reply, [&](grpc::Status ended) {
                   status = std::move(ended);
                   done.Notify();
                 });
  done.WaitForNotification();
  return status.error_code();
}

TEST(ReflectionTest, CanBeTurnedOff) {
  EXPECT_NE(AskForTheProtocol({}), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(AskForTheProtocol({"--no-reflection"}), grpc::StatusCode::UNIMPLEMENTED);
}

}  // namespace
}  // namespace opic::scenarios
