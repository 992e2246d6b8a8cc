// --json: every command has it, and prints JSON and nothing else on its standard output.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/commands.h"
#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

// "cluster move": all commands.
std::set<std::string> Commands() {
  CLI::App opic;
  const std::vector<cli::Command> added = cli::AddAllCommands(opic);
  std::set<std::string> names;
  for (const CLI::App* command : opic.get_subcommands({})) {
    std::vector<const CLI::App*> leaves;
    for (const CLI::App* inner : command->get_subcommands({})) leaves.push_back(inner);
    if (leaves.empty()) leaves.push_back(command);
    for (const CLI::App* leaf : leaves) {
      EXPECT_NE(leaf->get_option_no_throw("--json"), nullptr) << leaf->get_name();
      names.insert(leaf == command ? leaf->get_name()
                                   : command->get_name() + " " + leaf->get_name());
    }
  }
  return names;
}

// Whole, or an object a line.
bool IsJson(const std::string& text) {
  if (nlohmann::json::accept(text)) return true;
  std::istringstream lines(text);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    if (!nlohmann::json::accept(line)) return false;
  }
  return count > 0;
}

// The words that stand behind `word`.
Words WordsAfter(const std::string& word, Words words) {
  words.erase(words.begin(), std::find(words.begin(), words.end(), word) + 1);
  return words;
}

class JsonTest : public testing::Test {
 protected:
  // Runs `opic WORDS --json`. `name`: of the command, as above.
  void Expect(const std::string& name, const Words& more, int code = 0) {
    asked_.insert(name);
    Words words;
    std::istringstream names(name);
    for (std::string word; names >> word;) words.push_back(word);
    words.insert(words.end(), more.begin(), more.end());
    words.push_back("--json");
    const Said said = RunProgram("opic", std::move(words));
    EXPECT_EQ(said.code, code) << name << ": " << said.output;
    EXPECT_TRUE(IsJson(said.answer)) << name << ": " << said.output;
  }
  void ExpectSampleWeb();
  void AskCrawlAtRest(const SampleCrawl& crawl);
  void SteerCrawl(const SampleCrawl& crawl);
  void SteerCluster(ClusterCrawl& crawl);

  const std::string folder_ = FreshFolder() + "-json";
  std::set<std::string> asked_;
};

// It serves until it is told to end.
void JsonTest::ExpectSampleWeb() {
  asked_.insert("sample-web");
  support::Process process(
      {Program("opic"), "sample-web", "--sample-pages", "20", "--sample-hosts", "2", "--json"},
      {.output = folder_ + "/serves"});
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return nlohmann::json::accept(process.output());
  })) << process.output();
  EXPECT_TRUE(nlohmann::json::parse(process.output()).at("seed").is_string());
  process.Signal(SIGTERM);
  EXPECT_EQ(process.Wait(SampleCrawl::kPatience), 0);
}

void JsonTest::AskCrawlAtRest(const SampleCrawl& crawl) {
  const Words data = {"--data", crawl.data()};
  const auto with = [&](Words words) {
    words.insert(words.end(), data.begin(), data.end());
    return words;
  };
  const std::string seed = crawl.web().seed_url();
  for (const char* name :
       {"status", "metrics", "top", "sites", "hosts", "audit", "verify", "compare"})
    Expect(name, data);
  Expect("top", with({"--domain", "sample.test", "--state", "fetched"}));
  Expect("cookies", data);
  Expect("importance", with({seed}));
  Expect("explain", with({seed}));
  Expect("explain", with({"http://nowhere.test/"}), 5);
  Expect("restate", with({"--check"}));
  Expect("export", with({"--pages"}));
  Expect("rank", with({"--top", "3", "--quiet"}));
  Expect("control", with({"block", "www.example.org"}));
  Expect("control", with({"unblock", "www.example.org"}));
  Expect("publish", with({"never", seed}));
  Expect("publish", with({"list"}));
}

void JsonTest::SteerCrawl(const SampleCrawl& crawl) {
  const auto with = [&](Words words) {
    words.insert(words.end(), {"--data", crawl.data()});
    return words;
  };
  Expect("explain", with({"--idle"}));
  Expect("watch", with({"-n", "3", "--times", "1", crawl.web().seed_url()}));
  Expect("calendar", with({}));
  Expect("publish", with({"every", "1h", crawl.web().seed_url()}));
  std::ifstream file(crawl.data() + "/node.address");
  std::string address;
  std::getline(file, address);
  Expect("health", {"--node", address});
  for (const Words& action :
       {Words{"pause"}, Words{"resume"}, Words{"seed", crawl.web().seed_url()},
        Words{"budget", "--rate", "300"}, Words{"limits", "--pages", "100000"},
        Words{"refresh", "--share", "0.5"}, Words{"host", "a.test", "--delay", "1s"},
        Words{"log", "--level", "info"}, Words{"show"}, Words{"stop"}})
    Expect("control", with(action));
}

void JsonTest::SteerCluster(ClusterCrawl& crawl) {
  const auto with = [&](Words words) {
    words.insert(words.end(), {"--cluster", crawl.file()});
    return words;
  };
  Expect("control", with({"pause"}));
  Expect("control", with({"resume"}));
  Expect("crawl", with({"--detach"}));
  Expect("crawl", with({}));
  Expect("cluster shards", with({}));
  Expect("cluster move", with({"0-3", "n1"}));
  Expect("cluster drain", with({"n1", "--at-once", "512"}));
  Expect("cluster balance", with({"--at-once", "512"}));
  Expect("cluster mend-epochs", with({}));
  Expect("cluster recover", with({}));
  crawl.Stop(1);
  Expect("cluster declare-lost", with({"n1", "--out", folder_ + "/next.json"}));
}

TEST_F(JsonTest, OfEveryCommand) {
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
  const std::string cluster = folder_ + "/cluster.json";
  Expect("cluster init", {"--nodes", "2", "--out", cluster});
  Expect("cluster certs", {"--cluster", cluster, "--out", folder_ + "/certs"});
  Expect("cluster add", {"c", "127.0.0.1:9", "--cluster", cluster, "--out", folder_ + "/3.json"});
  Expect("bench", {"--only", "opic", "--sample-pages", "100", "--rounds", "1"});
  ExpectSampleWeb();
  Expect("demo", {"--sample-pages", "100", "--sample-hosts", "5", "--data", folder_ + "/demo"});
  Expect("sim", {"figure2", "--sim-pages", "200", "--out", folder_});
  {
    SampleCrawl crawl(absl::Milliseconds(5), 80, 8);
    ASSERT_EQ(crawl.Crawl().code, 0);
    AskCrawlAtRest(crawl);
    Expect("crawl", WordsAfter("crawl", crawl.CrawlWords()));
    const auto process = crawl.Start({"--continuous", "--rate", "200"});
    // While nobody has the folder, a question is about the folder at rest.
    ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
      return std::filesystem::exists(crawl.data() + "/node.address") &&
             RunProgram("opic", {"status", "--data", crawl.data()}).code == 0;
    })) << process->output();
    SteerCrawl(crawl);
    EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 0) << process->output();
  }
  ClusterCrawl crawl(2, absl::Milliseconds(5), 80, 8);
  crawl.StartAll();
  ASSERT_EQ(crawl.Crawl().code, 0);
  SteerCluster(crawl);
  EXPECT_EQ(asked_, Commands()) << "a new command needs a line here";
}

}  // namespace
}  // namespace opic::scenarios
