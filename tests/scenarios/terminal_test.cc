// What a person sees at a terminal: a pseudoterminal of a width, and what was drawn on it.
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/file.h"
#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

class Terminal {
 public:
  static constexpr int kPatienceMs = 60'000;  // of silence

  Terminal(int columns, const Words& words) {
    winsize size = {};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = 24;
    pid_ = forkpty(&fd_, nullptr, nullptr, &size);
    EXPECT_GE(pid_, 0) << "no pseudo-terminal";
    if (pid_ != 0) return;
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  ~Terminal() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    if (fd_ >= 0) close(fd_);
  }
  void Signal(int signal) const {
    if (pid_ > 0) kill(pid_, signal);
  }
  // Until `words` were drawn, or the program has ended.
  const std::string& ReadUntil(const std::string& words) {
    char bytes[4096];
    while (words.empty() || drawn_.find(words) == std::string::npos) {
      pollfd ready = {fd_, POLLIN, 0};
      if (poll(&ready, 1, kPatienceMs) <= 0) break;
      const ssize_t got = read(fd_, bytes, sizeof(bytes));
      if (got <= 0) break;  // EIO: nobody has it open any more
      drawn_.append(bytes, static_cast<size_t>(got));
    }
    return drawn_;
  }
  const std::string& ReadAll() { return ReadUntil(""); }
  int Wait() {
    if (pid_ < 0) return -1;
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  std::string drawn_;
};

// What stood on lines that are drawn anew: after a carriage return, up to the next one.
std::vector<std::string> Redrawn(const std::string& drawn) {
  std::vector<std::string> lines;
  const std::string begin = "\r\033[K";
  for (size_t at = drawn.find(begin); at != std::string::npos; at = drawn.find(begin, at)) {
    at += begin.size();
    const std::string line = drawn.substr(at, drawn.find_first_of("\r\n", at) - at);
    if (line.find("fetched") != std::string::npos) lines.push_back(line);
  }
  return lines;
}

class TerminalTest : public testing::TestWithParam<int> {
 protected:
  Words CrawlWords(const Words& more = {}) const {
    Words words = crawl_.CrawlWords(more);
    words.erase(std::find(words.begin(), words.end(), "--quiet"));
    words.insert(words.begin(), Program("opic"));
    return words;
  }
  SampleCrawl crawl_{absl::Milliseconds(60)};
};

TEST_P(TerminalTest, TheProgressLineFits) {
  Terminal terminal(GetParam(), CrawlWords());
  const std::string drawn = terminal.ReadAll();
  EXPECT_EQ(terminal.Wait(), 0) << drawn;
  const std::vector<std::string> lines = Redrawn(drawn);
  EXPECT_GE(lines.size(), 2u) << drawn;
  for (const std::string& line : lines)
    EXPECT_LT(line.size(), static_cast<size_t>(GetParam())) << line;
  EXPECT_NE(drawn.find(" left"), std::string::npos) << "how long it will take: " << drawn;
  EXPECT_NE(drawn.find("opic top"), std::string::npos) << "what next: " << drawn;
}

INSTANTIATE_TEST_SUITE_P(Columns, TerminalTest, testing::Values(60, 80, 200));

using ControlCTest = TerminalTest;
TEST_P(ControlCTest, SaysHowLongAndWhatTheNextOneDoes) {
  Terminal terminal(GetParam(), CrawlWords());
  terminal.ReadUntil("to go");
  terminal.Signal(SIGINT);
  const std::string drawn = terminal.ReadAll();
  EXPECT_EQ(terminal.Wait(), 130) << drawn;
  EXPECT_NE(drawn.find("a second signal (Ctrl-C) ends it at once"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("to go on where it stands"), std::string::npos) << drawn;
}
INSTANTIATE_TEST_SUITE_P(Columns, ControlCTest, testing::Values(80));

using ColourTest = TerminalTest;
TEST_P(ColourTest, NoColorIsObeyed) {
  const auto drawn = [&] {
    Terminal terminal(GetParam(), CrawlWords({"--pages", "5", "--no-settle"}));
    const std::string all = terminal.ReadAll();
    terminal.Wait();
    return all;
  };
  setenv("TERM", "xterm-256color", 1);
  unsetenv("NO_COLOR");
  EXPECT_NE(drawn().find("\033[32m"), std::string::npos) << "green, of \"info\"";
  setenv("NO_COLOR", "1", 1);
  const std::string plain = drawn();
  unsetenv("NO_COLOR");
  EXPECT_EQ(plain.find("\033[3"), std::string::npos) << plain;
  EXPECT_NE(plain.find("info"), std::string::npos) << plain;
}
INSTANTIATE_TEST_SUITE_P(Columns, ColourTest, testing::Values(80));

// A line that is drawn again and again, and is gone in the end.
TEST(RankTerminalTest, ItsIterationsShareALine) {
  const std::string folder = FreshFolder();
  ASSERT_TRUE(base::WriteFileDurably(folder + "/list", "0 1\n1 0\n2 0\n2 1\n0 2\n").ok());
  Terminal terminal(60, {Program("opic"), "rank", folder + "/list", "--out", folder + "/ranks"});
  const std::string drawn = terminal.ReadAll();
  EXPECT_EQ(terminal.Wait(), 0) << drawn;
  EXPECT_NE(drawn.find("iteration 1, change"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("iteration 2, change"), std::string::npos) << drawn;
  EXPECT_EQ(std::count(drawn.begin(), drawn.end(), '\n'), 1) << drawn;  // of "3 pages, ..."
}

}  // namespace
}  // namespace opic::scenarios
