// The causes of failures: what is counted, kept and told must be the same.
#include "desk/failure.h"

#include <gtest/gtest.h>

#include <set>

#include "ledger/rows.h"

namespace opic::desk {
namespace {

TEST(FailureTest, EveryCauseSurvivesItsRow) {
  for (const bool of_robots : {false, true}) {
    for (int number = 1; number < kFailures; ++number) {
      const PageFailure failure{static_cast<Failure>(number), of_robots};
      const uint16_t status = RowStatusOf(failure);
      EXPECT_GT(status, 0);
      EXPECT_LT(status, 100) << "an HTTP status begins there";
      const PageFailure read = FailureInRow(status);
      EXPECT_EQ(read.cause, failure.cause);
      EXPECT_EQ(read.of_robots, of_robots);
    }
  }
}

TEST(FailureTest, AnHttpStatusIsNoFailure) {
  for (int status : {0, 18, 49, 50, 68, 99, 100, 200, 404, 503, 999, 65535})
    EXPECT_EQ(FailureInRow(status).cause, Failure::kNone) << status;
}

TEST(FailureTest, EveryCauseHasACounterAndWordsOfItsOwn) {
  std::set<std::string> sentences, names, keys;
  for (int number = 1; number < kFailures; ++number) {
    const auto failure = static_cast<Failure>(number);
    sentences.insert(Describe({failure}));
    names.insert(std::string(ShortName(failure)));
    const std::string_view key = kCounterKeys[static_cast<size_t>(CounterOf(failure))];
    EXPECT_EQ(key.substr(0, 9), "failures.") << key;
    keys.insert(std::string(key));
  }
  EXPECT_EQ(sentences.size(), static_cast<size_t>(kFailures - 1));
  EXPECT_EQ(names.size(), sentences.size());
  EXPECT_EQ(keys.size(), sentences.size());
  EXPECT_EQ(Describe({Failure::kDns, true}).find("its robots.txt could not be read: "), 0u);
}

// 404 is an answer.
TEST(FailureTest, StatusesThatAskToComeBackAreFailuresOfTheServer) {
  fetch::Response response;
  for (const auto& [status, failure] : {std::pair(200, Failure::kNone),
                                        {404, Failure::kNone},
                                        {410, Failure::kNone},
                                        {429, Failure::kServer},
                                        {500, Failure::kServer},
                                        {503, Failure::kServer}}) {
    response.status = status;
    EXPECT_EQ(FailureOf(response), failure) << status;
  }
}

// One sentence for all of them did not say what to look for.
TEST(FailureTest, EveryKindOfBrokenAnswerIsAFailureOfItsOwn) {
  using fetch::Error;
  fetch::Response response;
  for (const auto& [error, failure] : {std::pair(Error::kNoAnswer, Failure::kNoAnswer),
                                       {Error::kCut, Failure::kCut},
                                       {Error::kReset, Failure::kReset},
                                       {Error::kGarbage, Failure::kBadAnswer},
                                       {Error::kBadHeader, Failure::kBadHeader},
                                       {Error::kHeaderTooLarge, Failure::kHeaderTooLarge},
                                       {Error::kBadChunks, Failure::kBadChunks},
                                       {Error::kBadEncoding, Failure::kBadEncoding}}) {
    response.error = error;
    EXPECT_EQ(FailureOf(response), failure) << Name(error);
  }
}

}  // namespace
}  // namespace opic::desk
