// A file that an option names and that cannot be opened is a wrong value, which no restart heals.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "cli/exit_code.h"
#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;

constexpr int kCannotBeTried = 77;
constexpr uid_t kNobody = 65534;

using UnreadableFileTest = InOwnFolder;

std::vector<std::vector<std::string>> CommandsOnFile(const std::string& file) {
  return {{"crawl", "--config", file},
          {"crawl", "--seed-file", file, "--check-config"},
          {"crawl", "--cluster", file},
          {"rank", file},
          {"cluster", "init", "--nodes", "1", "--out", file}};
}

std::vector<std::vector<std::string>> CommandsThatRead(const std::string& file) {
  return {
      {"crawl", "--config", file},
      {"crawl", "--seed-file", file, "--check-config"},
      {"crawl", "http://127.0.0.1/", "--hosts-file", file, "--check-config"},
      {"crawl", "http://127.0.0.1/", "--auth-file", file, "--check-config"},
      {"crawl", "http://127.0.0.1/", "--proxy-file", file, "--check-config"},
      {"status", "--node", "127.0.0.1:1", "--token-file", file},
      {"status", "--node", "127.0.0.1:1", "--tls-ca", file, "--tls-cert", file, "--tls-key", file},
      {"compare", "--truth", file},
      {"compare", "--truth", file, "--check-config"},
      {"cluster", "shards", "--cluster", file}};
}

// Root may open everything. In a process of its own, which ends with the exit code.
[[noreturn]] void OpicAsNobody(std::vector<std::string> words) {
  if (::getuid() == 0 && ::setuid(kNobody) != 0) {
    std::perror("it cannot be tried");
    ::_exit(kCannotBeTried);
  }
  words.insert(words.begin(), "opic");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::_exit(OpicMain(static_cast<int>(words.size()), arguments.data()));
}

bool IsUsageOrUntried(int status) {
  return WIFEXITED(status) &&
         (WEXITSTATUS(status) == kUsage || WEXITSTATUS(status) == kCannotBeTried);
}

// These were "data folder refused" (3).
TEST_F(UnreadableFileTest, BehindAFile) {
  for (const auto& words : CommandsOnFile(Write("plain", "") + "/x")) {
    const Said said = Opic(words);
    EXPECT_EQ(said.code, kUsage) << words[1];
    EXPECT_THAT(said.error, HasSubstr("plain/x")) << words[1];
    EXPECT_THAT(said.error, HasSubstr("Not a directory")) << words[1];
  }
}

// These were 1, after which systemd starts a service again for ever.
TEST_F(UnreadableFileTest, WhereItIsNotPermitted) {
  std::filesystem::create_directories(Path("closed"));
  const std::string file = Write("closed/x", "");
  ASSERT_EQ(::chmod(Path("closed").c_str(), 0), 0);
  for (const auto& words : CommandsOnFile(file))
    EXPECT_EXIT(OpicAsNobody(words), IsUsageOrUntried, "Permission denied|cannot be tried")
        << words[1];
  ASSERT_EQ(::chmod(Path("closed").c_str(), 0700), 0);
}

// Half of these were 2.
TEST_F(UnreadableFileTest, WhatIsNotThereIsNotFound) {
  for (const auto& words : CommandsThatRead(Path("none"))) {
    const Said said = Opic(words);
    EXPECT_EQ(said.code, kNotFound) << testing::PrintToString(words);
    EXPECT_THAT(said.error, HasSubstr("cannot open " + Path("none") + ": No such file"));
  }
}

}  // namespace
}  // namespace opic::cli
