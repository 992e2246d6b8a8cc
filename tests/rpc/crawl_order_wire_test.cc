// What a node is to crawl, on the wire: all of it can be read, or nothing is begun.
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
    publication.set_treatment("never");
    publication.set_target("host");
    publication.set_of("a.test");
    publication.set_given(1'700'000'000);
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
}

// It was dropped, and the answer was OK.
TEST_F(CrawlOrderWireTest, ATreatmentOfAnotherReleaseIsRefused) {
  wire_.mutable_publications(0)->set_treatment("weekly");
  EXPECT_EQ(Refusal(), "the publication 7 of \"a.test\": there is no treatment \"weekly\"");
}

TEST_F(CrawlOrderWireTest, SoIsATarget) {
  wire_.mutable_publications(0)->set_target("galaxy");
  EXPECT_EQ(Refusal(), "the publication 7 of \"a.test\": there is no target \"galaxy\"");
}

// Neither what is well said before it nor after it counts.
TEST_F(CrawlOrderWireTest, OneOfManyIsEnough) {
  const v1::Publication good = wire_.publications(0);
  *wire_.add_publications() = good;
  *wire_.add_publications() = good;
  wire_.mutable_publications(1)->clear_treatment();
  EXPECT_EQ(Refusal(), "the publication 7 of \"a.test\": there is no treatment \"\"");
}

}  // namespace
}  // namespace opic::rpc
