// What needs somebody's attention is told by exit codes: a dead scheduler, too few descriptors, a
// log that was moved away.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/file.h"
#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

using support::Eventually;
using support::Process;

std::string Text(const std::string& path) { return base::ReadFile(path).value_or(""); }

// The address of the process that uses the folder.
std::string AddressIn(const std::string& folder) {
  std::string address;
  EXPECT_TRUE(Eventually(SampleCrawl::kPatience, [&] {
    address = Text(folder + "/node.address");
    return !address.empty();
  }));
  if (!address.empty()) address.pop_back();  // the end of its line
  return address;
}

TEST(AttentionTest, ADeadSchedulerIsReported) {
  SampleCrawl crawl(absl::Seconds(60));
  const std::string data = crawl.folder() + "/scheduler";
  Process scheduler({Program("opic-scheduler"), "--listen", "127.0.0.1:0", "--data", data},
                    {.output = crawl.folder() + "/scheduler.out"});
  const auto running = crawl.Start({"--scheduler", AddressIn(data)});
  const std::string node = AddressIn(crawl.data());
  const auto health = [&] { return RunProgram("opic", {"health", "--node", node}); };
  EXPECT_EQ(health().code, 0) << health().output;
  EXPECT_EQ(RunProgram("opic", {"status", "--data", crawl.data()}).code, 0);
  scheduler.Kill();
  ASSERT_TRUE(Eventually(SampleCrawl::kPatience, [&] { return health().code == 9; }))
      << health().output;
  EXPECT_NE(health().output.find("Page Scheduler does not answer"), std::string::npos);
  const Said status = RunProgram("opic", {"status", "--data", crawl.data()});
  EXPECT_EQ(status.code, 9) << status.output;
  EXPECT_NE(status.output.find("Page Scheduler does not answer"), std::string::npos);
  // As probes ask that would restart the node for it.
  EXPECT_EQ(RunProgram("opic", {"health", "--node", node, "--serving"}).code, 0);
  EXPECT_EQ(RunProgram("opic", {"health", "--data", crawl.data()}).code, 9);
}

TEST(AttentionTest, ASchedulerIsHealthyOfItsOwn) {
  const std::string data = FreshFolder() + "/scheduler";
  Process scheduler({Program("opic-scheduler"), "--listen", "127.0.0.1:0", "--data", data},
                    {.output = data + ".out"});
  const Said said = RunProgram("opic", {"health", "--node", AddressIn(data)});
  EXPECT_EQ(said.code, 0) << said.output;
}

// Else the sites would be blamed.
TEST(AttentionTest, TooFewDescriptorsAreRefusedAtTheStart) {
  const std::string folder = FreshFolder();
  const std::string command = "ulimit -n 160; exec " + Program("opic") +
                              " crawl http://127.0.0.1:1/ --allow-private --data " + folder +
                              "/data";
  Process crawl({"/bin/sh", "-c", command}, {.output = folder + "/out"});
  EXPECT_EQ(crawl.Wait(SampleCrawl::kPatience), 2) << crawl.output();
  EXPECT_NE(crawl.output().find("open files"), std::string::npos) << crawl.output();
  EXPECT_NE(crawl.output().find("160"), std::string::npos) << crawl.output();
}

// What is refused names a value that works.
TEST(AttentionTest, TheInFlightThatIsProposedIsTaken) {
  SampleCrawl crawl(absl::Milliseconds(5), 60, 5);
  const std::string limited = "ulimit -n 800; exec \"$@\"";
  const auto run = [&](const std::string& in_flight) {
    Words words = {"/bin/sh", "-c", limited, "sh", Program("opic")};
    for (const std::string& word : crawl.CrawlWords({"--in-flight", in_flight}))
      words.push_back(word);
    words.erase(std::find(words.begin(), words.end(), "--in-flight"),
                std::find(words.begin(), words.end(), "--in-flight") + 2);
    Process process(words, {.output = crawl.folder() + "/out"});
    const std::optional<int> code = process.Wait(SampleCrawl::kPatience);
    return Said{code.value_or(-1), process.output()};
  };
  const Said refused = run("256");
  EXPECT_EQ(refused.code, 2) << refused.output;
  const std::string before = "use --in-flight ";
  const size_t at = refused.output.find(before);
  ASSERT_NE(at, std::string::npos) << refused.output;
  const std::string proposed = std::to_string(std::stoi(refused.output.substr(at + before.size())));
  EXPECT_EQ(run(proposed).code, 0);
  EXPECT_EQ(run(std::to_string(std::stoi(proposed) + 1)).code, 2);
}

// logrotate moves the file and sends the signal.
TEST(HangUpTest, TheLogIsBegunAnewAndNothingEnds) {
  SampleCrawl crawl(absl::Milliseconds(50));
  const std::string log = crawl.folder() + "/log";
  Words words = crawl.CrawlWords({"--log-file", log});
  words.erase(std::find(words.begin(), words.end(), "--quiet"));
  words.insert(words.begin(), Program("opic"));
  Process process(words, {.output = crawl.folder() + "/out"});
  ASSERT_TRUE(crawl.AwaitPageHits(20));
  std::filesystem::rename(log, log + ".1");
  process.Signal(SIGHUP);
  ASSERT_TRUE(Eventually(SampleCrawl::kPatience,
                         [&] { return Text(log).find("SIGHUP") != std::string::npos; }));
  EXPECT_TRUE(process.running());
  process.Signal(SIGTERM);
  EXPECT_EQ(process.Wait(SampleCrawl::kPatience), 130) << process.output();
  EXPECT_NE(Text(log).find("info stopped"), std::string::npos) << Text(log);
  EXPECT_NE(Text(log + ".1").find("answering on"), std::string::npos);
}

// A terminal that is closed.
TEST(HangUpTest, ACrawlOutlivesItsTerminal) {
  SampleCrawl crawl(absl::Milliseconds(5), 200, 10);
  const auto process = crawl.Start();
  ASSERT_TRUE(crawl.AwaitPageHits(10));
  for (int times = 0; times < 3; ++times) process->Signal(SIGHUP);
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 0) << process->output();
}

TEST(HangUpTest, ASchedulerOutlivesItToo) {
  const std::string data = FreshFolder() + "/scheduler";
  Process scheduler({Program("opic-scheduler"), "--listen", "127.0.0.1:0", "--data", data},
                    {.output = data + ".out"});
  const std::string address = AddressIn(data);
  scheduler.Signal(SIGHUP);
  ASSERT_TRUE(Eventually(SampleCrawl::kPatience,
                         [&] { return scheduler.output().find("SIGHUP") != std::string::npos; }));
  scheduler.Signal(SIGTERM);
  EXPECT_EQ(scheduler.Wait(SampleCrawl::kPatience), 0) << scheduler.output();
  EXPECT_NE(scheduler.output().find("info stopped"), std::string::npos) << scheduler.output();
}

// Two sample webs have the same hosts, and other pages.
TEST(DemoTest, AFolderOfAnotherWebIsRefused) {
  const std::string folder = FreshFolder();
  const Words demo = {
      "demo",    "--data", folder + "/data", "--sample-hosts", "10", "--sample-pages", "300",
      "--delay", "1ms"};
  ASSERT_EQ(RunProgram("opic", demo).code, 0);
  Words other = demo;
  other[6] = "200";
  const Said said = RunProgram("opic", other);
  EXPECT_EQ(said.code, 3) << said.output;
  EXPECT_NE(said.output.find("--sample-pages 300"), std::string::npos) << said.output;
  EXPECT_EQ(said.output.find("mean error"), std::string::npos) << said.output;
  EXPECT_EQ(RunProgram("opic", demo).code, 0) << "the same web again";
}

}  // namespace
}  // namespace opic::scenarios
