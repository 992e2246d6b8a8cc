#include "node/data_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/synchronization/notification.h"
#include "base/disk_failure.h"

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
  ASSERT_TRUE(user->Announce("127.0.0.1:4711").ok());
  const absl::Status refused = DataFolder::Lock(path_, true).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_TRUE(refused.message().find("which answers at 127.0.0.1:4711") != std::string::npos);
  user.reset();
  EXPECT_TRUE(DataFolder::Lock(path_, true).ok());
}

TEST_F(DataFolderTest, APathThatCannotBeAFolderIsRefused) {
  std::filesystem::create_directories(path_);
  std::ofstream(path_ + "/file") << "x";
  EXPECT_FALSE(DataFolder::Lock(path_ + "/file/data", true).ok());
}

TEST_F(DataFolderTest, FoldersAboveItAreMadeAndANameThatNoDiskTakesIsRefused) {
  EXPECT_TRUE(DataFolder::Lock(path_ + "/above/other/data/", true).ok());
  const std::string long_name = path_ + "/" + std::string(300, 'x') + "/data";
  const absl::Status refused = DataFolder::Lock(long_name, true).status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_FALSE(DataFolder::Look(long_name).ok());
}

// Neither is a wrong name: the one is refused, the other a disk that takes nothing.
TEST_F(DataFolderTest, AFolderThatMayNotBeMadeIsRefused) {
  const absl::Status refused = DataFolder::Lock("/sys/opic-data", true).status();  // for root, too
  EXPECT_TRUE(absl::IsFailedPrecondition(refused) || base::IsDiskFailure(refused)) << refused;
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

TEST_F(DataFolderTest, ManyMayLookAtOnceButNotWhileItIsInUse) {
  auto user = Lock();
  EXPECT_TRUE(absl::IsFailedPrecondition(DataFolder::Look(path_).status()));
  user.reset();
  const auto first = DataFolder::Look(path_), second = DataFolder::Look(path_);
  EXPECT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(second.ok()) << second.status();
  EXPECT_TRUE(absl::IsNotFound(AddressOfRunningNode(path_).status()));
}

// A crawl that starts while somebody asks about the folder.
TEST_F(DataFolderTest, WhoTakesItWaitsForThoseThatLook) {
  Lock().reset();
  auto looks = DataFolder::Look(path_);
  ASSERT_TRUE(looks.ok()) << looks.status();
  EXPECT_TRUE(
      absl::IsFailedPrecondition(DataFolder::Lock(path_, false, absl::Milliseconds(50)).status()));
  absl::Notification locked;
  std::thread taker([&] {
    EXPECT_NE(Lock(), nullptr);
    locked.Notify();
  });
  EXPECT_FALSE(locked.WaitForNotificationWithTimeout(absl::Milliseconds(50)));
  looks->reset();
  taker.join();
}

// It told of a file that cannot be opened.
TEST_F(DataFolderTest, ALookAtAnotherFolderSaysThatThereIsNoCrawl) {
  std::filesystem::create_directories(path_);
  const absl::Status status = DataFolder::Look(path_).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_TRUE(status.message().find("there is no crawl in " + path_) != std::string::npos);
}

TEST_F(DataFolderTest, ALookChangesNothing) {
  EXPECT_TRUE(absl::IsNotFound(DataFolder::Look(path_).status()));
  EXPECT_FALSE(std::filesystem::exists(path_));
  Lock().reset();
  std::ofstream(path_ + "/node.address") << "127.0.0.1:4711\n";
  EXPECT_TRUE(DataFolder::Look(path_).ok());
  EXPECT_TRUE(std::filesystem::exists(path_ + "/node.address"));
}

}  // namespace
}  // namespace opic::node
