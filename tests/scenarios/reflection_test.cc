// Who may be told of the services that a process has, asked as any gRPC client does.
#include "base/file.h"
#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

using support::Process;

// What a scheduler with these flags answers to "list_services: *", by grpc.reflection.v1alpha.
std::string ServicesTold(const Words& flags) {
  const std::string folder = FreshFolder();
  Words words = {Program("opic-scheduler"), "--listen", "127.0.0.1:0", "--data", folder + "/s"};
  words.insert(words.end(), flags.begin(), flags.end());
  Process scheduler(words, {.output = folder + "/scheduler.out"});
  std::string address;
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    const absl::StatusOr<std::string> told = base::ReadFile(folder + "/s/node.address");
    if (told.ok()) address = told->substr(0, told->find('\n'));
    return !address.empty();
  })) << scheduler.output();
  const std::string asked("\0\0\0\0\3\x3a\1*", 8);  // not compressed, three bytes
  EXPECT_TRUE(base::WriteFileDurably(folder + "/asked", asked).ok());
  Process curl(
      {"/usr/bin/curl", "--silent", "--http2-prior-knowledge", "--max-time", "20", "--include",
       "--header", "content-type: application/grpc", "--header", "te: trailers", "--data-binary",
       "@" + folder + "/asked",
       "http://" + address + "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"},
      {.output = folder + "/told"});
  EXPECT_EQ(curl.Wait(SampleCrawl::kPatience), 0) << curl.output();
  return curl.output();
}

TEST(ReflectionTest, HasASwitch) {
  EXPECT_NE(ServicesTold({}).find("opic.v1.Scheduler"), std::string::npos);
  const std::string none = ServicesTold({"--no-reflection"});
  EXPECT_EQ(none.find("opic.v1"), std::string::npos) << none;
  EXPECT_NE(none.find("grpc-status: 12"), std::string::npos) << none;  // unimplemented
}

}  // namespace
}  // namespace opic::scenarios
