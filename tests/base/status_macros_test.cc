#include "base/status_macros.h"

#include <gtest/gtest.h>

#include <memory>

#include "absl/strings/cord.h"

namespace opic::base {
namespace {

absl::Status Twice(const absl::Status& first, int& steps) {
  RETURN_IF_ERROR(first);
  ++steps;
  return absl::OkStatus();
}

absl::StatusOr<int> Sum(absl::StatusOr<std::unique_ptr<int>> a, absl::StatusOr<int> b) {
  ASSIGN_OR_RETURN(const std::unique_ptr<int> one, std::move(a));
  ASSIGN_OR_RETURN(const int other, b);
  return *one + other;
}

TEST(StatusMacrosTest, AnErrorEndsTheFunctionAsItIs) {
  int steps = 0;
  EXPECT_EQ(Twice(absl::NotFoundError("no row"), steps), absl::NotFoundError("no row"));
  EXPECT_EQ(steps, 0);
  EXPECT_TRUE(Twice(absl::OkStatus(), steps).ok());
  EXPECT_EQ(steps, 1);
}

TEST(StatusMacrosTest, AValueIsMovedOutTwiceInOneFunction) {
  EXPECT_EQ(*Sum(std::make_unique<int>(1), 2), 3);
  EXPECT_EQ(Sum(std::make_unique<int>(1), absl::DataLossError("b")).status(),
            absl::DataLossError("b"));
  EXPECT_EQ(Sum(absl::DataLossError("a"), 2).status(), absl::DataLossError("a"));
}

TEST(StatusMacrosTest, ContextKeepsCodeAndPayloads) {
  absl::Status status = absl::DataLossError("a row is damaged");
  status.SetPayload("kind", absl::Cord("disk"));
  const absl::Status wider = WithContext(status, "opening /data");
  EXPECT_TRUE(absl::IsDataLoss(wider));
  EXPECT_EQ(wider.message(), "opening /data: a row is damaged");
  EXPECT_EQ(wider.GetPayload("kind"), absl::Cord("disk"));
  EXPECT_TRUE(WithContext(absl::OkStatus(), "opening /data").ok());
}

}  // namespace
}  // namespace opic::base
