// `opic`, and the services, run within the test, as a user calls them, and files for them to read.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"

namespace opic::cli {

struct Said {
  int code;
  std::string out, error;
};

// `words` begin with the name of the program.
inline Said RunMain(decltype(&OpicMain) main, std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = main(static_cast<int>(words.size()), arguments.data(), "");
  std::string out = testing::internal::GetCapturedStdout();
  return {code, std::move(out), testing::internal::GetCapturedStderr()};
}

inline Said Opic(std::vector<std::string> words) {
  words.insert(words.begin(), "opic");
  return RunMain(&OpicMain, std::move(words));
}

// A folder of its own for each test, empty at first.
class InOwnFolder : public testing::Test {
 protected:
  void SetUp() override {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "/opic_cli/" + test->test_suite_name() + "-" + test->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  // Its path.
  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string folder_;
};

}  // namespace opic::cli
