#include "node/data_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace opic::node {
namespace {

class DataFolderTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(path_); }
  std::unique_ptr<DataFolder> Lock() {
    auto folder = DataFolder::Lock(path_, /*create=*/true);
    EXPECT_TRUE(folder.ok()) << folder.status();
    return folder.ok() ? *std::move(folder) : nullptr;
  }
  const std::string path_ = testing::TempDir() + "/opic_data_folder_test/" +
                            testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(DataFolderTest, AFolderIsMadeOnlyWhenAskedFor) {
  EXPECT_TRUE(absl::IsNotFound(DataFolder::Lock(path_, /*create=*/false).status()));
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_NE(Lock(), nullptr);
  EXPECT_TRUE(std::filesystem::is_directory(path_));
}

TEST_F(DataFolderTest, AFolderHasOneUser) {
  auto user = Lock();
  EXPECT_TRUE(absl::IsFailedPrecondition(DataFolder::Lock(path_, true).status()));
  user.reset();
  EXPECT_TRUE(DataFolder::Lock(path_, true).ok());
}

TEST_F(DataFolderTest, APathThatCannotBeAFolderIsRefused) {
  std::filesystem::create_directories(path_);
  std::ofstream(path_ + "/file") << "x";
  EXPECT_FALSE(DataFolder::Lock(path_ + "/file/data", true).ok());
}

TEST_F(DataFolderTest, TheUserIsFoundWhileItHoldsTheFolder) {
  auto user = Lock();
  ASSERT_TRUE(user->Announce("127.0.0.1:4711").ok());
  const auto address = AddressOfRunningNode(path_);
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(*address, "127.0.0.1:4711");
  user.reset();
  EXPECT_TRUE(absl::IsNotFound(AddressOfRunningNode(path_).status()));
  EXPECT_FALSE(std::filesystem::exists(path_ + "/node.address"));
}

TEST_F(DataFolderTest, AUserThatHasNotSpokenYetIsUnavailable) {
  const auto user = Lock();
  EXPECT_TRUE(absl::IsUnavailable(AddressOfRunningNode(path_).status()));
}

TEST_F(DataFolderTest, NoFolderHasNoUser) {
  EXPECT_TRUE(absl::IsNotFound(AddressOfRunningNode(path_).status()));
}

// A killed process leaves its address behind, but not its lock.
TEST_F(DataFolderTest, TheAddressOfAKilledProcessIsNotBelieved) {
  Lock().reset();
  std::ofstream(path_ + "/node.address") << "127.0.0.1:4711\n";
  EXPECT_TRUE(absl::IsNotFound(AddressOfRunningNode(path_).status()));
  const auto next = Lock();
  EXPECT_TRUE(absl::IsUnavailable(AddressOfRunningNode(path_).status()));
}

}  // namespace
}  // namespace opic::node
