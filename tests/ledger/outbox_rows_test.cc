// What the books of the channels write into the outbox.
#include <gtest/gtest.h>

#include <algorithm>

#include "ledger/peers.h"
#include "tests/support/memory_store.h"

namespace opic::ledger {
namespace {

constexpr NodeId kSelf{0}, kPeer{1};

class OutboxRowsTest : public testing::Test {
 protected:
  void Seal(int batches) {
    for (int i = 0; i < batches; ++i) {
      peers_.Seal(kPeer, {Transfer{PageId(ShardId{1}, 1), cash::Amount(1)}}, /*epoch=*/0, {});
    }
    Write();
  }
  store::Batch Write() {
    store::Batch batch;
    peers_.WriteTo(batch);
    EXPECT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
    peers_.Committed();
    return batch;
  }
  size_t Rows() {
    size_t rows = 0;
    for (auto row = store_->Scan(store::Table::kOutbox, ""); row->Valid(); row->Next()) ++rows;
    return rows;
  }
  static bool DeletesARange(const store::Batch& batch) {
    const auto& all = batch.operations();
    return std::any_of(all.begin(), all.end(), [](const store::Batch::Operation& operation) {
      return operation.kind == store::Batch::Operation::kDeleteRange;
    });
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  Peers peers_{kSelf, /*nodes=*/2, /*cluster_id=*/7, /*batch_bytes_max=*/1 << 20,
               importance::Method::kWindow};
};

// A node with much to send sent a few batches a second: each was looked for among all ranges that
// the acknowledgements before it had deleted.
TEST_F(OutboxRowsTest, AnAcknowledgementDeletesRowByRow) {
  Seal(10);
  ASSERT_TRUE(peers_.Acknowledge(kPeer, 4).ok());
  EXPECT_FALSE(DeletesARange(Write()));
  EXPECT_EQ(Rows(), 6u);
}

TEST_F(OutboxRowsTest, ManyRowsAtOnceAreDeletedAsARange) {
  Seal(1500);
  ASSERT_TRUE(peers_.Acknowledge(kPeer, 1499).ok());
  EXPECT_TRUE(DeletesARange(Write()));
  EXPECT_EQ(Rows(), 1u);
}

}  // namespace
}  // namespace opic::ledger
