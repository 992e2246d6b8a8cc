#include "rpc/error_info.h"

#include <gmock/gmock.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "rpc/node_client.h"
#include "rpc/node_services.h"
#include "rpc/rpc_status.h"
#include "rpc/server.h"
#include "tests/rpc/scripted_node.h"

namespace opic::rpc {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(ErrorInfoTest, IsWhatEveryClientReads) {
  const absl::Status refused =
      base::WithReason(absl::PermissionDeniedError("no"), "ROLE_NEEDED", {{"role", "reader"}});
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(ToGrpc(refused).error_details()));
  EXPECT_EQ(details.code(), 7);
  EXPECT_EQ(details.message(), "no");
  ASSERT_EQ(details.details_size(), 1);
  EXPECT_EQ(details.details(0).type_url(), "type.googleapis.com/google.rpc.ErrorInfo");
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(details.details(0).UnpackTo(&info));
  EXPECT_EQ(info.domain(), "opic");
  EXPECT_EQ(info.reason(), "ROLE_NEEDED");
  EXPECT_EQ(info.metadata().at("role"), "reader");
  EXPECT_EQ(FromGrpc(ToGrpc(refused)), refused);
}

TEST(ErrorInfoTest, WithoutAReasonItIsTheCode) {
  const absl::Status refused = absl::NotFoundError("none");
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(info.ParseFromString(ErrorInfoOf(refused)));
  EXPECT_EQ(info.reason(), "NOT_FOUND");
  EXPECT_EQ(FromGrpc(ToGrpc(refused)), refused);
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).error_details().empty());
}

// gRPC would replace the error by one about its trailer.
TEST(ErrorInfoTest, LongErrorsHaveNone) {
  const absl::Status refused = absl::NotFoundError(std::string(4'000, 'x'));
  EXPECT_EQ(ErrorDetailsOf(refused), "");
  EXPECT_EQ(FromGrpc(ToGrpc(refused)), refused);
}

TEST(ErrorInfoTest, DetailsOfOthersAreLeftOut) {
  const absl::Status refused = absl::NotFoundError("none");
  google::rpc::ErrorInfo info;
  info.set_reason("OTHER");
  info.set_domain("example.org");
  google::rpc::Status details;
  details.add_details()->PackFrom(info);
  EXPECT_EQ(WithDetails(refused, details.SerializeAsString()), refused);
  EXPECT_EQ(WithDetails(refused, "no message"), refused);
  EXPECT_EQ(WithDetails(absl::OkStatus(), details.SerializeAsString()), absl::OkStatus());
}

// Over the wire, from the place that refuses to the client.
TEST(ErrorInfoTest, ReachesTheClient) {
  ScriptedNode node;
  NodeServices services(node, {.gate = Gate(false, {}, {{"operator-operator", Role::kOperator}})});
  auto server = Server::Start("127.0.0.1:0", services.services());
  ASSERT_TRUE(server.ok()) << server.status();
  const auto reason = [&](const std::string& token) {
    const auto client =
        NodeClient::To((*server)->address(), {.patience = absl::Seconds(20), .token = token});
    return base::ReasonOf(client->control().Pause(true)).value_or(base::Reason());
  };
  EXPECT_EQ(reason("operator-operator").word, "NODE_STARTING");
  services.Open();
  EXPECT_EQ(reason("").word, "ROLE_NEEDED");
  EXPECT_THAT(reason("").facts, ElementsAre(Pair("needed", "operator"), Pair("role", "stranger")));
  EXPECT_EQ(reason("operator-operator").word, "");
  services.Stop();
  EXPECT_EQ(reason("operator-operator").word, "NODE_STOPPING");
  (*server)->Shutdown();
}

}  // namespace
}  // namespace opic::rpc
