// Whose cookies a store has, and how to be rid of them.
#include "desk/kept_cookies.h"

#include <gtest/gtest.h>

#include "tests/support/memory_store.h"

namespace opic::desk {
namespace {

void PutRow(store::Store& store, const std::string& key, const std::string& value) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, key, value);
  ASSERT_TRUE(store.Write(batch, store::Sync::kNo).ok());
}

TEST(KeptCookiesTest, HostsAreListedAndForgottenOneByOne) {
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  EXPECT_TRUE(HostsWithCookies(*store)->empty());
  PutRow(*store, "cookies/a.test", "12345");
  PutRow(*store, "cookies/b.test", "");  // damaged: it can be forgotten all the same
  PutRow(*store, "cookies0", "another row");
  const std::vector<CookieHost> hosts = *HostsWithCookies(*store);
  ASSERT_EQ(hosts.size(), 2u);
  EXPECT_EQ(hosts[0].host, "a.test");
  EXPECT_EQ(hosts[0].bytes, 5u);
  EXPECT_EQ(hosts[1].host, "b.test");
  const std::string b = "b.test", nobody = "nobody.test";
  ASSERT_TRUE(ForgetCookies(std::vector{b, nobody}, *store).ok());
  EXPECT_EQ(HostsWithCookies(*store)->size(), 1u);
  EXPECT_TRUE(*store->Get(store::Table::kMeta, "cookies0"));
}

}  // namespace
}  // namespace opic::desk
