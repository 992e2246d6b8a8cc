// opic-modules: node ledger store page_table url cash base
// What the top of the ranking costs a node that knows many pages, on RocksDB in a temporary folder:
//
//     top_bench [--pages=10000000] [--visited=300000] [--count=1000] [--rounds=200] [--folder=/tmp]
//
// `pages` are known, links go to some of them much more often than to others, and `visited` have
// been read. The first question walks over everything. Before each of the others 64 pages are
// read and 64 settled, so that the ranking has changed. The last answer is compared with a walk's.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "base/rng.h"
#include "node/answers.h"
#include "node/great_pages.h"

namespace opic::node {
namespace {

struct Setting {
  uint64_t pages = 10'000'000, visited = 300'000, count = 1000, rounds = 200;
  std::string folder = std::filesystem::temp_directory_path();
};

constexpr uint64_t kGroup = 64;
constexpr int kLinks = 20;

void Check(const absl::Status& status) { OPIC_CHECK(status.ok()) << status.ToString(); }

class Bench {
 public:
  explicit Bench(const Setting& setting)
      : setting_(setting), folder_(setting.folder + "/opic_top_bench-" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
    store_ = store::OpenRocksStore(folder_ + "/store", store::RocksOptions()).value();
    ledger::Charter charter = ledger::Charter::ForNewCrawl();
    charter.cluster_id = 1;
    ledger_ = ledger::Ledger::Open({}, *store_, &charter).value();
    great_ = std::make_unique<GreatPages>(*ledger_, *store_);
  }
  ~Bench() {
    great_.reset();
    ledger_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Run() {
    Discover();
    while (next_ < setting_.visited) Read(1024);
    std::printf("%lu pages known, %lu read, the best %lu asked for\n", setting_.pages,
                setting_.visited, setting_.count);
    Tell("the first, which walks", {Ask(great_.get())});
    std::vector<Took> took;
    for (uint64_t round = 0; round < setting_.rounds; ++round) {
      Read(kGroup);
      Settle();
      took.push_back(Ask(great_.get()));
    }
    Tell("the others", took);
    const std::vector<PageImportance> quick = std::move(top_);
    Tell("a walk", {Ask(nullptr)});
    OPIC_CHECK(quick.size() == top_.size()) << "the answers differ";
    for (size_t i = 0; i < quick.size(); ++i)
      OPIC_CHECK(quick[i].url == top_[i].url) << "the answers differ at " << i;
  }

 private:
  struct Took {
    double all = 0, longest_step = 0;  // ms
  };

  static PageId Page(uint64_t n) {
    const uint64_t draw = base::Mix64(n + 1);
    return PageId(ShardAt(draw % 1024), draw >> 19);
  }
  static std::string UrlOf(uint64_t n) {
    return "http://www.example-host.org/folder/page-" + std::to_string(n);
  }
  // Few pages have most of the links.
  uint64_t Linked() {
    return static_cast<uint64_t>(static_cast<double>(setting_.pages) * std::pow(rng_.Uniform(), 4));
  }

  void Discover() {
    for (uint64_t begin = 0; begin < setting_.pages; begin += 10'000) {
      std::vector<ledger::Link> pages;
      for (uint64_t n = begin; n < std::min(setting_.pages, begin + 10'000); ++n)
        pages.push_back({Page(n), UrlOf(n)});
      ledger_->Seed(pages);
      Check(ledger_->Commit().status());
    }
  }
  void Read(uint64_t count) {
    std::vector<ledger::Visit> visits;
    for (uint64_t i = 0; i < count; ++i) {
      ledger::Visit& visit = visits.emplace_back();
      visit.page = Page(next_++ * 7'919 % setting_.pages);
      visit.at = 1'700'000'000;
      for (int link = 0; link < kLinks; ++link) {
        const uint64_t to = Linked();
        visit.links.push_back({Page(to), UrlOf(to)});
      }
    }
    Check(ledger_->Record(visits));
    Check(ledger_->Commit().status());
  }
  void Settle() {
    std::vector<PageId> pages;
    for (uint64_t i = 0; i < kGroup; ++i)
      pages.push_back(Page(rng_.Below(next_) * 7'919 % setting_.pages));
    std::sort(pages.begin(), pages.end());
    pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
    Check(ledger_->Settle(pages));
    Check(ledger_->Commit().status());
  }
  Took Ask(GreatPages* great) {
    Took took;
    const absl::Time begin = absl::Now();
    auto top = AnswerTop(
        *ledger_, *store_, {setting_.count},
        [&](absl::FunctionRef<absl::Status()> step) {
          const absl::Time step_begin = absl::Now();
          const absl::Status status = step();
          took.longest_step =
              std::max(took.longest_step, absl::ToDoubleMilliseconds(absl::Now() - step_begin));
          return status;
        },
        great);
    Check(top.status());
    took.all = absl::ToDoubleMilliseconds(absl::Now() - begin);
    top_ = std::move(top->pages);
    return took;
  }
  static double Quantile(std::vector<Took> took, double share, double Took::*of) {
    std::sort(took.begin(), took.end(),
              [of](const Took& a, const Took& b) { return a.*of < b.*of; });
    return took[static_cast<size_t>(share * static_cast<double>(took.size() - 1))].*of;
  }
  static void Tell(const char* what, const std::vector<Took>& took) {
    std::printf("%-24s p50 %8.1f ms, p99 %8.1f ms; of the ledger's thread at once %6.1f ms\n", what,
                Quantile(took, 0.5, &Took::all), Quantile(took, 0.99, &Took::all),
                Quantile(took, 1, &Took::longest_step));
    std::fflush(stdout);
  }

  const Setting setting_;
  const std::string folder_;
  base::Rng rng_{1};
  uint64_t next_ = 0;  // to be read
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<GreatPages> great_;
  std::vector<PageImportance> top_;
};

}  // namespace
}  // namespace opic::node

int main(int argc, char** argv) {
  opic::node::Setting setting;
  const auto number = [&](const char* argument, const char* name, uint64_t& value) {
    if (std::strncmp(argument, name, std::strlen(name)) == 0)
      value = std::strtoull(argument + std::strlen(name), nullptr, 10);
  };
  for (int i = 1; i < argc; ++i) {
    number(argv[i], "--pages=", setting.pages);
    number(argv[i], "--visited=", setting.visited);
    number(argv[i], "--count=", setting.count);
    number(argv[i], "--rounds=", setting.rounds);
    if (std::strncmp(argv[i], "--folder=", 9) == 0) setting.folder = argv[i] + 9;
  }
  opic::node::Bench(setting).Run();
  return 0;
}
