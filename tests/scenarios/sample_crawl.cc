#include "tests/scenarios/sample_crawl.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/support/own_path.h"

namespace opic::scenarios {
namespace {

using support::Process;

// Clocks of two processes, and a request read a moment before the clock is asked.
constexpr absl::Duration kClockSlack = absl::Milliseconds(1);

bool IsRobots(const sample::Hit& hit) { return hit.target == "/robots.txt"; }

std::map<std::string, std::vector<sample::Hit>> ByHost(std::vector<sample::Hit> hits) {
  std::sort(hits.begin(), hits.end(),
            [](const auto& a, const auto& b) { return a.start_us < b.start_us; });
  std::map<std::string, std::vector<sample::Hit>> by_host;
  for (sample::Hit& hit : hits) by_host[hit.host].push_back(std::move(hit));
  return by_host;
}

// On a busy machine any node may be waited for.
std::string WithoutWaits(const std::string& output) {
  std::vector<std::string> lines = absl::StrSplit(output, '\n');
  std::erase_if(
      lines, [](const std::string& line) { return absl::StartsWith(line, "opic: waiting for "); });
  return absl::StrJoin(lines, "\n");
}

std::string FolderOfTest() { return support::OwnPath("scenario"); }

}  // namespace

std::string FreshFolder() {
  const std::string folder = FolderOfTest();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

std::string Program(const std::string& name) { return std::string(OPIC_PROGRAMS) + "/" + name; }

void KeepLittleOfWhatIsFreed() {
  const char* others = std::getenv("ASAN_OPTIONS");
  const std::string options = others == nullptr ? "" : std::string(others) + ":";
  setenv("ASAN_OPTIONS", (options + "quarantine_size_mb=8").c_str(), /*overwrite=*/1);
}

Said RunProgram(const std::string& program, Words words, Process::Options options) {
  if (options.output.empty()) options.output = FolderOfTest() + ".said";
  if (options.errors.empty()) options.errors = options.output + ".errors";
  std::filesystem::create_directories(std::filesystem::path(options.output).parent_path());
  words.insert(words.begin(), Program(program));
  Process process(std::move(words), std::move(options));
  const std::optional<int> code = process.Wait(SampleCrawl::kPatience);
  const std::string answer = process.output();
  return {code.value_or(-1), answer + WithoutWaits(process.errors()), answer};
}

nlohmann::json JsonOf(const Said& said) {
  try {
    return nlohmann::json::parse(said.answer);
  } catch (const nlohmann::json::parse_error& error) {
    ADD_FAILURE() << error.what() << "\n" << said.output;
    return nlohmann::json(nlohmann::json::value_t::discarded);
  }
}

base::Rng RandomOfRun() {
  const int seed = testing::UnitTest::GetInstance()->random_seed();
  std::printf("random seed %d: --gtest_random_seed=%d\n", seed, seed);
  std::fflush(stdout);  // also of a run that is killed
  return base::Rng(static_cast<uint64_t>(seed));
}

int64_t MonotonicMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

SampleCrawl::SampleCrawl(absl::Duration delay, uint32_t pages, uint32_t hosts)
    : SampleCrawl(delay, {.pages = pages, .hosts = hosts}, base::RealClock::Get()) {}

SampleCrawl::SampleCrawl(absl::Duration delay, const sample::Options& options, base::Clock& clock)
    : delay_(delay), folder_(FreshFolder()) {
  auto web = sample::SampleWeb::Start(options, clock);
  if (web.ok()) {
    web_ = *std::move(web);
  } else {
    ADD_FAILURE() << web.status();
  }
}

Words SampleCrawl::CrawlWords(const Words& more) const {
  Words words = {"crawl",           web_->seed_url(),
                 "--data",          data(),
                 "--scope",         scope,
                 "--connect-to",    web_->connect_to(),
                 "--delay",         absl::FormatDuration(delay_),
                 "--in-flight",     std::to_string(kInFlight),
                 "--allow-private", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::unique_ptr<Process> SampleCrawl::Start(const Words& more, Process::Options options) {
  Words words = CrawlWords(more);
  words.insert(words.begin(), Program("opic"));
  options.output = absl::StrCat(folder_, "/run", ++runs_, ".out");
  return std::make_unique<Process>(std::move(words), std::move(options));
}

Said SampleCrawl::Crawl(const Words& more, Process::Options options) {
  const std::unique_ptr<Process> process = Start(more, std::move(options));
  const std::optional<int> code = process->Wait(kPatience);
  return {code.value_or(-1), process->output()};
}

nlohmann::json SampleCrawl::Ask(const std::string& command, const Words& more) const {
  Words words = {command, "--data", data(), "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Said said =
      RunProgram("opic", std::move(words), {.output = folder_ + "/" + command + ".out"});
  EXPECT_EQ(said.code, 0) << command << ": " << said.output;
  return JsonOf(said);
}

std::vector<std::string> SampleCrawl::ActsInTrail() const {
  std::ifstream file(data() + "/audit.jsonl");
  std::vector<std::string> acts;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json act = nlohmann::json::parse(line);
    if (act.at("result") == "OK")
      acts.push_back(
          absl::StrCat(std::string(act.at("act")), " by ", std::string(act.at("holder"))));
  }
  return acts;
}

void SampleCrawl::ExpectAuditIsExact() const {
  const nlohmann::json audit = Ask("audit");
  EXPECT_EQ(audit.value("difference", "none"), "0") << audit;
  EXPECT_EQ(audit.value("expected", "none"), "1000000000000000000") << audit;
}

std::map<std::string, int> SampleCrawl::PageHits() const {
  std::map<std::string, int> pages;
  for (const sample::Hit& hit : web_->hits()) {
    if (!IsRobots(hit) && hit.status != 0) ++pages[absl::StrCat("http://", hit.host, hit.target)];
  }
  return pages;
}

size_t SampleCrawl::PageHitCount() const {
  size_t count = 0;
  for (const auto& [url, hits] : PageHits()) count += static_cast<size_t>(hits);
  return count;
}

bool SampleCrawl::AwaitPageHits(size_t count) const {
  return support::Eventually(kPatience, [&] { return PageHitCount() >= count; });
}

void SampleCrawl::ExpectReachableFetched(int repeats_max) const {
  std::set<std::string> fetched;
  int repeats = 0;
  for (const auto& [url, hits] : PageHits()) {
    fetched.insert(url);
    repeats += hits - 1;
  }
  const std::vector<std::string> reachable = web_->reachable();
  EXPECT_EQ(fetched, std::set<std::string>(reachable.begin(), reachable.end()));
  EXPECT_LE(repeats, repeats_max);
}

void SampleCrawl::ExpectPolite() const {
  const int64_t pause = absl::ToInt64Microseconds(delay_ - kClockSlack);
  for (const auto& [host, hits] : ByHost(web_->hits())) {
    for (size_t i = 1; i < hits.size(); ++i) {
      EXPECT_GE(hits[i].start_us, hits[i - 1].end_us) << "two at once: " << host;
      // The server may see the end late; the start it sees never after the client's end.
      EXPECT_GE(hits[i].start_us - hits[i - 1].start_us, pause) << "too soon: " << host;
    }
  }
}

void SampleCrawl::ExpectHostsWaitedSince(int64_t since_us) const {
  const int64_t allowed = since_us + absl::ToInt64Microseconds(delay_ - kClockSlack);
  for (const sample::Hit& hit : web_->hits()) {
    EXPECT_TRUE(hit.start_us <= since_us || hit.start_us >= allowed) << hit.host << hit.target;
  }
}

}  // namespace opic::scenarios
