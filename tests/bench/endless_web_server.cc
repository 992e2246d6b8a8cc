// opic-modules: sample base
// A web of any size that is kept nowhere: each page is made from its number when it is asked for.
// What tests/bench/scale crawls.
//
//     endless_web_server [--hosts=5000] [--port=0]
//
// Host h has pages 0, 1, 2... without end, at http://hH.endless.test/N. Page N links to
//   - 6 pages of its host that nothing else leads to, 6N + 1 to 6N + 6: so 10^7 pages fetched make
//     6*10^7 known;
//   - 8 pages of its host with lower numbers, and 6 of any host, the lower the likelier: so
//     in-degrees of pages and of hosts follow a power law;
//   - where it is the front page, those of hosts 8h + 1 to 8h + 8: so all hosts can be reached.
// Pages have some 6 KB. There is no robots.txt.
#include <signal.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/rng.h"
#include "sample/answer.h"
#include "sample/http_server.h"
#include "sample/words.h"

namespace opic {
namespace {

constexpr absl::string_view kDomain = ".endless.test";
constexpr uint64_t kChildren = 6, kInside = 8, kOutside = 6, kFronts = 8;
constexpr uint64_t kPagesMax = uint64_t{1} << 40;  // of a host
// With a host power of 4 a crawl without delays stays on the first host, which has most cash.
constexpr double kPagePower = 4, kHostPower = 1.5;
constexpr int kSentencesOfAPage = 50;

struct Page {
  uint64_t host = 0, number = 0;
};

class EndlessWeb {
 public:
  explicit EndlessWeb(uint64_t hosts) : hosts_(hosts) {
    base::Rng rng(1);
    for (std::string& sentence : sentences_) {
      sentence = absl::StrCat("<p>", sample::Phrase(rng, sample::Charset::kUtf8, 14), ".</p>\n");
    }
  }

  sample::Answer AnswerTo(const sample::Request& request) const {
    Page page;
    absl::string_view host = request.host, path = request.target;
    host = host.substr(0, host.find(':'));
    if (!absl::ConsumePrefix(&host, "h") || !absl::ConsumeSuffix(&host, kDomain) ||
        !absl::SimpleAtoi(host, &page.host) || page.host >= hosts_ ||
        !absl::ConsumePrefix(&path, "/") ||
        !(path.empty() || absl::SimpleAtoi(path, &page.number)) || page.number >= kPagesMax) {
      return {404, {{"Content-Type", "text/plain"}}, "There is no such page.\n"};
    }
    return {200, {{"Content-Type", "text/html; charset=utf-8"}}, TextOf(page)};
  }

 private:
  std::string TextOf(Page page) const {
    base::Rng rng(base::Mix64(page.host) ^ page.number);
    std::string text = absl::StrCat("<!DOCTYPE html><html><head><title>Page ", page.number,
                                    "</title></head><body>\n");
    for (uint64_t n = 1; n <= kChildren; ++n) {
      AppendLink({page.host, kChildren * page.number + n}, text);
    }
    for (uint64_t n = 0; n < kInside; ++n) {
      AppendLink({page.host, DrawLow(rng, page.number + 1)}, text);
    }
    for (uint64_t n = 0; n < kOutside; ++n) {
      const uint64_t host = DrawLow(rng, hosts_, kHostPower);
      AppendLink({host, DrawLow(rng, 1000)}, text);
    }
    for (uint64_t n = 1; page.number == 0 && n <= kFronts; ++n) {
      if (kFronts * page.host + n < hosts_) AppendLink({kFronts * page.host + n, 0}, text);
    }
    for (int n = 0; n < kSentencesOfAPage; ++n) text += sentences_[rng.Below(sentences_.size())];
    return text += "</body></html>\n";
  }

  // Below n; the higher the power, the more are the lowest preferred.
  static uint64_t DrawLow(base::Rng& rng, uint64_t n, double power = kPagePower) {
    return static_cast<uint64_t>(static_cast<double>(n) * std::pow(rng.Uniform(), power));
  }

  static void AppendLink(Page page, std::string& text) {
    absl::StrAppend(&text, "<a href=\"http://h", page.host, kDomain, "/");
    if (page.number > 0) absl::StrAppend(&text, page.number);
    absl::StrAppend(&text, "\">Page ", page.number, "</a>\n");
  }

  const uint64_t hosts_;
  std::array<std::string, 4096> sentences_;
};

// False: it is not "NAME=NUMBER".
bool Read(absl::string_view argument, absl::string_view name, uint64_t& value) {
  return absl::ConsumePrefix(&argument, name) && absl::SimpleAtoi(argument, &value);
}

}  // namespace
}  // namespace opic

int main(int argc, char** argv) {
  uint64_t hosts = 5000, port = 0;
  for (int i = 1; i < argc; ++i) {
    if (!opic::Read(argv[i], "--hosts=", hosts) && !opic::Read(argv[i], "--port=", port)) {
      std::fprintf(stderr, "usage: endless_web_server [--hosts=5000] [--port=0]\n");
      return 2;
    }
  }
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const opic::EndlessWeb web(hosts);
  auto server = opic::sample::HttpServer::Start(
      "127.0.0.1", static_cast<uint16_t>(port),
      [&](const opic::sample::Request& request) { return web.AnswerTo(request); },
      [](opic::sample::Hit) {});
  if (!server.ok()) {
    std::fprintf(stderr, "endless_web_server: %s\n",
                 std::string(server.status().message()).c_str());
    return 1;
  }
  std::printf("seed http://h0.endless.test/\nconnect-to ::127.0.0.1:%d\n", (*server)->port());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ends, &signal);
  return 0;
}
