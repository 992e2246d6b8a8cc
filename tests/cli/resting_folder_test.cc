// Commands on a data folder whose node is not there, or is just ending.
#include <gmock/gmock.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/exit_code.h"
#include "node/data_folder.h"
#include "rpc/node_services.h"
#include "rpc/server.h"
#include "tests/cli/program_run.h"
#include "tests/rpc/scripted_node.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;

// Of a crawl of one page, which could not be fetched.
class RestingFolder : public InOwnFolder {
 protected:
  void SetUp() override {
    InOwnFolder::SetUp();
    ASSERT_EQ(Opic({"crawl", "http://127.0.0.1:1/", "--data", data(), "--allow-private",
                    "--attempts", "1", "--delay", "0s", "--quiet"})
                  .code,
              kNothingFetched);
  }
  std::string data() const { return Path("data"); }
};

TEST_F(RestingFolder, WhoSteersNobodyIsToldWhatToDo) {
  const auto told = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "control");
    words.insert(words.end(), {"--data", data()});
    const Said said = Opic(words);
    EXPECT_EQ(said.code, kUnreachable);
    return said.error;
  };
  const std::string crawl = "`opic crawl --data " + data();
  EXPECT_THAT(told({"limits", "--pages", "0"}),
              HasSubstr("--pages (0: no limit) or --depth to the next " + crawl + "`"));
  EXPECT_THAT(told({"seed", "http://a.test/"}), HasSubstr("to the next " + crawl + " URL...`"));
  EXPECT_THAT(told({"resume"}), HasSubstr("start it (" + crawl + "`"));
  EXPECT_THAT(told({"stop"}), HasSubstr("no node uses the data folder"));
}

// A collector's job did not notice that the crawler had died.
TEST_F(RestingFolder, MetricsTellThatNothingRuns) {
  const Said said = Opic({"metrics", "--data", data()});
  EXPECT_EQ(said.code, kOk) << said.error;
  EXPECT_THAT(said.out, HasSubstr("\nopic_up 0\n"));
  EXPECT_THAT(said.out, HasSubstr("\nopic_pages 1\n"));
}

// "1 page, 0 links: 0 pages have wrong cash; largest error: 0 x the base".
TEST_F(RestingFolder, RestatingTellsThatAllIsRight) {
  const Said said = Opic({"restate", "--check", "--data", data()});
  EXPECT_EQ(said.code, kOk) << said.error;
  EXPECT_EQ(said.out, "1 page, 0 links: the stored cash of every page is right\n");
}

// "bytes of the cookies of 0 hosts".
TEST_F(RestingFolder, ThatThereAreNoCookiesIsSaid) {
  EXPECT_EQ(Opic({"cookies", "--data", data()}).out, "no cookies are kept here\n");
}

// It was only told that the folder is in use.
TEST_F(RestingFolder, WhoReadsARunningCrawlIsToldToAskItsNode) {
  const auto folder = node::DataFolder::Lock(data(), /*create=*/false);
  ASSERT_TRUE(folder.ok()) << folder.status();
  ASSERT_TRUE((*folder)->Announce("127.0.0.1:4711").ok());
  const Said said = Opic({"export", "--pages", "--data", data()});
  EXPECT_EQ(said.code, kFolderRefused);
  EXPECT_THAT(said.error, HasSubstr("give --node 127.0.0.1:4711 instead of --data"));
  // That of one node would be without the pages of the others.
  const Said several = Opic({"export", "--pages", "--data", data(), "--data", Path("other")});
  EXPECT_EQ(several.code, kFolderRefused);
  EXPECT_THAT(several.error, HasSubstr("give --cluster FILE instead of --data"));
}

// The address that was advised only said that it is an opic-scheduler.
TEST_F(RestingFolder, NobodyIsToldToReadPagesFromAScheduler) {
  const auto folder = node::DataFolder::Lock(Path("scheduler"), /*create=*/true);
  ASSERT_TRUE(folder.ok()) << folder.status();
  ASSERT_TRUE(std::filesystem::create_directory((*folder)->scheduler()));
  ASSERT_TRUE((*folder)->Announce("127.0.0.1:4711").ok());
  const Said said = Opic({"export", "--pages", "--data", Path("scheduler")});
  EXPECT_EQ(said.code, kFolderRefused);
  EXPECT_THAT(said.error, testing::Not(HasSubstr("give --")));
}

// The table was empty, and nothing was said.
TEST_F(RestingFolder, AHostWithoutPagesIsToldOf) {
  const Said said = Opic({"top", "--host", "nope.test", "--data", data()});
  EXPECT_EQ(said.code, kOk);
  EXPECT_EQ(said.error, "opic: no page of the host \"nope.test\" is known\n");
  EXPECT_EQ(Opic({"top", "--host", "127.0.0.1", "--data", data()}).error, "");
}

// "no page of the host "127.0.0.1" is known that is of this kind"; without a host nothing was said.
TEST_F(RestingFolder, AFilterThatNoPageMatchesIsNamed) {
  const auto told = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"top", "--data", data()});
    const Said said = Opic(words);
    EXPECT_EQ(said.code, kOk);
    return said.error;
  };
  EXPECT_EQ(told({"--host", "127.0.0.1", "--state", "fetched"}),
            "opic: no page of the host \"127.0.0.1\" matches --state fetched\n");
  EXPECT_EQ(told({"--category", "xml"}), "opic: no page matches --category xml\n");
  EXPECT_EQ(told({"--state", "gone", "--category", "xml"}),
            "opic: no page matches --state gone --category xml\n");
  EXPECT_EQ(told({"--state", "failed"}), "");
}

// Readers that have doubles alone rounded them.
TEST_F(RestingFolder, LargeNumbersAreStringsInJson) {
  const auto read = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--json", "--data", data()});
    return nlohmann::json::parse(Opic(words).out);
  };
  EXPECT_TRUE(read({"audit"})["cluster_id"].is_string());
  EXPECT_TRUE(read({"export", "--pages"})["cash"].is_string());  // a line: it knows one page
  EXPECT_TRUE(read({"top"})["pages"][0]["cash"].is_string());
}

// It ends when it is asked for its pages.
class EndingNode final : public rpc::ScriptedNode {
 public:
  absl::StatusOr<node::ExportedRows> ReadExport(const node::ExportPosition&) override {
    folder.reset();
    return absl::UnavailableError("it stops");
  }
  std::unique_ptr<node::DataFolder> folder;
};

// It was waited for, for a minute.
TEST_F(RestingFolder, HostsAreReadAtRestWhenTheNodeEndsMeanwhile) {
  EndingNode node;
  rpc::NodeServices services(node, {});
  const auto server = rpc::Server::Start("127.0.0.1:0", services.services());
  ASSERT_TRUE(server.ok()) << server.status();
  services.Open();
  auto folder = node::DataFolder::Lock(data(), /*create=*/false);
  ASSERT_TRUE(folder.ok()) << folder.status();
  node.folder = *std::move(folder);
  ASSERT_TRUE(node.folder->Announce((*server)->address()).ok());
  const Said said = Opic({"hosts", "--data", data(), "--patience", "3s"});
  EXPECT_EQ(said.code, kOk) << said.error;
  EXPECT_THAT(said.out, HasSubstr("127.0.0.1"));
  EXPECT_EQ(node.folder, nullptr);
  services.Stop();
  (*server)->Shutdown();
}

}  // namespace
}  // namespace opic::cli
