// What a node is to crawl, on the wire: all of it can be read, or nothing is begun.
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include "opic/v1/control.pb.h"
#include "rpc/restating_wire.h"

namespace opic::rpc {
namespace {

class CrawlOrderWireTest : public testing::Test {
 protected:
  CrawlOrderWireTest() {
    v1::Publication& publication = *wire_.add_publications();
    publication.set_id(7);
    publication.set_treatment(v1::TREATMENT_NEVER);
    publication.set_target(v1::PUBLICATION_TARGET_HOST);
    publication.set_of("a.test");
    publication.mutable_given()->set_seconds(1'700'000'000);
  }
  std::string Refusal() const {
    const absl::Status status = FromWire(wire_).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  }
  v1::BeginCrawlRequest wire_;
};

TEST_F(CrawlOrderWireTest, APublicationIsRead) {
  const auto order = FromWire(wire_);
  ASSERT_TRUE(order.ok()) << order.status();
  ASSERT_EQ(order->publications.size(), 1u);
  EXPECT_EQ(order->publications[0].of, "a.test");
  EXPECT_EQ(order->publications[0].given, 1'700'000'000);
}

// It was dropped, and the answer was OK.
TEST_F(CrawlOrderWireTest, ATreatmentOfAnotherReleaseIsRefused) {
  wire_.mutable_publications(0)->set_treatment(static_cast<v1::Treatment>(99));
  EXPECT_EQ(Refusal(),
            "the publication 7 of \"a.test\": treatment: there is none with the number 99");
}

TEST_F(CrawlOrderWireTest, SoIsATarget) {
  wire_.mutable_publications(0)->set_target(static_cast<v1::PublicationTarget>(99));
  EXPECT_EQ(Refusal(), "the publication 7 of \"a.test\": target: there is none with the number 99");
}

TEST_F(CrawlOrderWireTest, SoIsAScopeAndAUseOfTraps) {
  wire_.set_scope(static_cast<v1::CrawlScope>(99));
  EXPECT_EQ(Refusal(), "scope: there is none with the number 99");
  wire_.set_scope(v1::CRAWL_SCOPE_ANY);
  wire_.set_traps(static_cast<v1::TrapUse>(99));
  EXPECT_EQ(Refusal(), "traps: there is none with the number 99");
}

// Neither what is well said before it nor after it counts.
TEST_F(CrawlOrderWireTest, OneOfManyIsEnough) {
  const v1::Publication good = wire_.publications(0);
  *wire_.add_publications() = good;
  *wire_.add_publications() = good;
  wire_.mutable_publications(1)->clear_treatment();
  EXPECT_EQ(Refusal(), "the publication 7 of \"a.test\": there is no treatment \"\"");
}

node::CrawlOrder FullOrder() {
  node::CrawlOrder order{.seeds = {"http://a/"}, .scope = "domain", .traps = "skip"};
  order.hosts.push_back({{.name = "a.test", .blocked = true, .delay = absl::Milliseconds(1'500)},
                         absl::FromUnixMicros(1'764'000'000'123'456),
                         "anna"});
  order.publications.push_back({.id = 7,
                                .treatment = refresh::Treatment::kEvery,
                                .amount = 60,
                                .target = refresh::Target::kDomain,
                                .of = "a.test",
                                .given = 1'700'000'000,
                                .until = 1'800'000'000});
  return order;
}

void ExpectFull(const absl::StatusOr<node::CrawlOrder>& order) {
  const node::CrawlOrder full = FullOrder();
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(order->scope, full.scope);
  EXPECT_EQ(order->traps, full.traps);
  ASSERT_EQ(order->hosts.size(), 1u);
  EXPECT_EQ(order->hosts[0].since, full.hosts[0].since);
  EXPECT_EQ(order->hosts[0].rule.delay, full.hosts[0].rule.delay);
  EXPECT_EQ(order->publications, full.publications);
}

// What 0.1.0 says besides, in fields that are reserved now.
google::protobuf::UnknownFieldSet& Besides(google::protobuf::Message& wire) {
  return *wire.GetReflection()->MutableUnknownFields(&wire);
}

template <typename Wire>
void ExpectReadOfEither() {
  Wire wire;
  ToWire(FullOrder(), &wire);
  ExpectFull(FromWire(wire));
  Besides(wire).AddLengthDelimited(2, "host");                      // scope
  Besides(wire).AddLengthDelimited(12, "off");                      // traps
  Besides(*wire.mutable_hosts(0)).AddVarint(2, 1);                  // since
  Besides(*wire.mutable_hosts(0)->mutable_rule()).AddVarint(4, 1);  // delay
  google::protobuf::UnknownFieldSet& published = Besides(*wire.mutable_publications(0));
  published.AddLengthDelimited(2, "never");  // treatment
  published.AddLengthDelimited(4, "url");    // target
  published.AddVarint(7, 1);                 // given
  published.AddVarint(8, 1);                 // until
  Wire read;
  ASSERT_TRUE(read.ParseFromString(wire.SerializeAsString()));
  ExpectFull(FromWire(read));
}

// Of an order nothing may be missing while a cluster is upgraded, whoever gives it to whom.
TEST(OrderOfTwoReleasesTest, IsRead) {
  ExpectReadOfEither<v1::BeginCrawlRequest>();
  ExpectReadOfEither<v1::CrawlOrderResponse>();
}

TEST(OrderOfTwoReleasesTest, WordsBesidesDoNotCount) {
  v1::BeginCrawlRequest wire, read;
  Besides(wire).AddLengthDelimited(2, "host");
  Besides(wire).AddLengthDelimited(12, "off");
  ASSERT_TRUE(read.ParseFromString(wire.SerializeAsString()));
  const auto order = FromWire(read);
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_EQ(order->scope, "");
  EXPECT_EQ(order->traps, "");
}

// The fields of the two have the same numbers.
TEST(OrderOfTwoReleasesTest, IsTheSameOnTheWireWhicheverWay) {
  v1::BeginCrawlRequest given;
  v1::CrawlOrderResponse told;
  ToWire(FullOrder(), &given);
  ToWire(FullOrder(), &told);
  EXPECT_EQ(given.SerializeAsString(), told.SerializeAsString());
}

}  // namespace
}  // namespace opic::rpc
