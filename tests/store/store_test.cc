// What every store promises, in memory and in RocksDB alike.
#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/value_tail.h"
#include "tests/store/opened_store.h"
#include "tests/support/memory_store.h"

namespace opic::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StoreTest : public testing::TestWithParam<const char*> {
 protected:
  StoreTest() {
    if (GetParam() == std::string("memory")) {
      store_ = NewMemoryStore();
    } else {
      auto opened = OpenRocksStore(FreshFolder(), SmallRocks());
      EXPECT_TRUE(opened.ok()) << opened.status();
      store_ = *std::move(opened);
    }
  }
  std::optional<std::string> Get(Table table, std::string_view key) {
    auto value = store_->Get(table, key);
    EXPECT_TRUE(value.ok()) << value.status();
    return *value;
  }
  void Write(const Batch& batch) { ASSERT_TRUE(store_->Write(batch, Sync::kYes).ok()); }

  std::unique_ptr<Store> store_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, StoreTest, testing::Values("memory", "rocks"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(StoreTest, WhatIsPutIsReadAndWhatIsNotIsAbsent) {
  Put(*store_, Table::kPage, "a", "1");
  EXPECT_EQ(Get(Table::kPage, "a"), "1");
  EXPECT_EQ(Get(Table::kPage, "b"), std::nullopt);
}

TEST_P(StoreTest, KeysAndValuesMayBeAnyBytes) {
  const std::string key("\0\xff\n", 3), value("\0\0", 2);
  Put(*store_, Table::kMeta, key, value);
  Put(*store_, Table::kMeta, "empty", "");
  EXPECT_EQ(Get(Table::kMeta, key), value);
  EXPECT_EQ(Get(Table::kMeta, "empty"), "");
}

TEST_P(StoreTest, TablesAreApart) {
  for (int i = 0; i < kTableCount; ++i) {
    Put(*store_, static_cast<Table>(i), "key", std::to_string(i));
  }
  for (int i = 0; i < kTableCount; ++i) {
    EXPECT_EQ(Get(static_cast<Table>(i), "key"), std::to_string(i));
  }
}

TEST_P(StoreTest, ABatchChangesSeveralTablesInItsOrder) {
  Put(*store_, Table::kPage, "gone", "1");
  Batch batch;
  batch.Put(Table::kPage, "a", "first");
  batch.Put(Table::kPage, "a", "second");
  batch.Delete(Table::kPage, "gone");
  batch.Delete(Table::kHistory, "b");
  batch.Put(Table::kHistory, "b", "kept");
  Write(batch);
  EXPECT_EQ(Get(Table::kPage, "a"), "second");
  EXPECT_EQ(Get(Table::kPage, "gone"), std::nullopt);
  EXPECT_EQ(Get(Table::kHistory, "b"), "kept");
}

TEST_P(StoreTest, DeletingARangeSparesItsEnd) {
  for (const char* key : {"a", "b", "c", "d"}) Put(*store_, Table::kJournal, key, "x");
  Batch batch;
  batch.DeleteRange(Table::kJournal, "b", "d");
  Write(batch);
  EXPECT_THAT(KeysFrom(*store_, Table::kJournal, ""), ElementsAre("a", "d"));
}

TEST_P(StoreTest, AnEmptyRangeDeletesNothing) {
  Put(*store_, Table::kJournal, "b", "x");
  Batch batch;
  batch.DeleteRange(Table::kJournal, "b", "b");
  Write(batch);
  EXPECT_THAT(KeysFrom(*store_, Table::kJournal, ""), ElementsAre("b"));
}

TEST_P(StoreTest, MultiGetAnswersInTheOrderOfTheKeys) {
  Put(*store_, Table::kHistory, "a", "1");
  Put(*store_, Table::kHistory, "c", "3");
  std::vector<std::optional<std::string>> values(7, "left over");
  ASSERT_TRUE(store_->MultiGet(Table::kHistory, {"c", "b", "a", "c"}, &values).ok());
  EXPECT_THAT(values, ElementsAre("3", std::nullopt, "1", "3"));
  ASSERT_TRUE(store_->MultiGet(Table::kHistory, {}, &values).ok());
  EXPECT_THAT(values, IsEmpty());
}

std::string WithTail(std::string value, std::string_view tail) {
  AppendTail(value, tail);
  return value;
}

Batch NewTail(const std::string& key, const std::string& tail) {
  Batch batch;
  batch.ReplaceTail(Table::kHistory, key, tail);
  return batch;
}

TEST_P(StoreTest, AValueKeepsItsHeadAndGetsTheLastTail) {
  Put(*store_, Table::kHistory, "a", WithTail("head of a, ", "old"));
  Put(*store_, Table::kHistory, "b", WithTail("head of b, ", "old"));
  Batch batch = NewTail("a", "first");
  batch.ReplaceTail(Table::kHistory, "a", std::string(300, 'x'));
  Write(batch);
  EXPECT_EQ(Get(Table::kHistory, "a"), WithTail("head of a, ", std::string(300, 'x')));
  Write(NewTail("a", ""));
  Write(NewTail("b", "last"));
  std::vector<std::optional<std::string>> values;
  ASSERT_TRUE(store_->MultiGet(Table::kHistory, {"b", "a"}, &values).ok());
  EXPECT_THAT(values, ElementsAre(WithTail("head of b, ", "last"), WithTail("head of a, ", "")));
  EXPECT_EQ(store_->Scan(Table::kHistory, "a")->value(), WithTail("head of a, ", ""));
}

TEST_P(StoreTest, APutAfterATailIsTheWholeValue) {
  Put(*store_, Table::kHistory, "a", WithTail("head", "old"));
  Batch batch = NewTail("a", "tail");
  batch.Put(Table::kHistory, "a", WithTail("other", "one"));
  batch.ReplaceTail(Table::kHistory, "a", "two");
  Write(batch);
  EXPECT_EQ(Get(Table::kHistory, "a"), WithTail("other", "two"));
  batch.Clear();
  batch.DeleteRange(Table::kHistory, "a", "b");
  Write(batch);
  EXPECT_EQ(Get(Table::kHistory, "a"), std::nullopt);
}

TEST(ValueTail, IsSplitOffOrRefused) {
  const std::string value = WithTail("head", "tail");
  EXPECT_EQ(value, std::string("headtail\4\0", 10));
  EXPECT_EQ(SplitTail(value)->head, "head");
  EXPECT_EQ(SplitTail(value)->tail, "tail");
  EXPECT_EQ(SplitTail(WithTail("", ""))->tail, "");
  EXPECT_FALSE(SplitTail("").has_value());
  EXPECT_FALSE(SplitTail("x").has_value());
  EXPECT_FALSE(SplitTail(std::string("ab\3\0", 4)).has_value());
}

TEST_P(StoreTest, AScanBeginsAtTheFirstKeyNotBelow) {
  for (const char* key : {"b", "a", "d"}) Put(*store_, Table::kPage, key, key);
  EXPECT_THAT(KeysFrom(*store_, Table::kPage, "b"), ElementsAre("b", "d"));
  EXPECT_THAT(KeysFrom(*store_, Table::kPage, "c"), ElementsAre("d"));
  EXPECT_THAT(KeysFrom(*store_, Table::kPage, "e"), IsEmpty());
}

TEST_P(StoreTest, ACursorIsASnapshot) {
  Put(*store_, Table::kPage, "a", "old");
  Put(*store_, Table::kPage, "b", "old");
  const std::unique_ptr<Cursor> cursor = store_->Scan(Table::kPage, "");
  Batch batch;
  batch.Put(Table::kPage, "a", "new");
  batch.Delete(Table::kPage, "b");
  batch.Put(Table::kPage, "c", "new");
  Write(batch);
  std::string seen;
  for (; cursor->Valid(); cursor->Next()) {
    seen.append(cursor->key()).append("=").append(cursor->value()).append(" ");
  }
  EXPECT_EQ(seen, "a=old b=old ");
  EXPECT_TRUE(cursor->status().ok());
}

TEST_P(StoreTest, ABatchKnowsWhatItHolds) {
  Batch batch;
  EXPECT_TRUE(batch.empty());
  batch.Put(Table::kPage, "key", "value");
  EXPECT_EQ(batch.bytes(), 8u);
  batch.Clear();
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.bytes(), 0u);
}

}  // namespace
}  // namespace opic::store
