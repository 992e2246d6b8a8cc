#include "cli/patiently.h"

#include <gtest/gtest.h>

#include <vector>

namespace opic::cli {
namespace {

// A node whose answers are written down; after them it answers.
class PatientlyTest : public testing::Test {
 protected:
  absl::Status Ask(Patience patience) {
    patience.pause = absl::ZeroDuration();
    patience.waiting = [this](const absl::Status& why) { told_.emplace_back(why.message()); };
    return AskPatiently(
        [this] {
          ++questions_;
          if (answers_.empty()) return absl::OkStatus();
          const absl::Status answer = answers_.front();
          answers_.erase(answers_.begin());
          return answer;
        },
        patience);
  }

  std::vector<absl::Status> answers_;
  int questions_ = 0;
  std::vector<std::string> told_;
};

TEST_F(PatientlyTest, ANodeThatIsAwayIsAskedAgain) {
  answers_ = {absl::UnavailableError("refused"), absl::DeadlineExceededError("no answer"),
              absl::ResourceExhaustedError("too many questions")};
  EXPECT_TRUE(Ask({}).ok());
  EXPECT_EQ(questions_, 4);
  EXPECT_TRUE(told_.empty());  // all that took no time
}

TEST_F(PatientlyTest, AWaitIsToldOnce) {
  answers_ = {absl::UnavailableError("refused"), absl::UnavailableError("starting")};
  EXPECT_TRUE(Ask({.told_after = absl::ZeroDuration()}).ok());
  EXPECT_EQ(told_, std::vector<std::string>{"refused"});
}

TEST_F(PatientlyTest, PatienceEnds) {
  answers_ = {absl::UnavailableError("away"), absl::UnavailableError("away")};
  EXPECT_TRUE(absl::IsUnavailable(Ask({.most = absl::ZeroDuration()})));
  EXPECT_EQ(questions_, 1);
  EXPECT_TRUE(told_.empty());  // the error says it
}

TEST_F(PatientlyTest, ARefusalIsAnAnswer) {
  answers_ = {absl::PermissionDeniedError("this needs the role operator")};
  EXPECT_TRUE(absl::IsPermissionDenied(Ask({})));
  EXPECT_EQ(questions_, 1);
}

TEST_F(PatientlyTest, WhatIsGivenUpIsNotAskedFor) {
  EXPECT_TRUE(absl::IsCancelled(Ask({.given_up = [] { return true; }})));
  EXPECT_EQ(questions_, 0);
}

}  // namespace
}  // namespace opic::cli
