// Who may call what: by certificate, by token, and who has neither.
#include "rpc/gate.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "certs/authority.h"
#include "rpc/node_client.h"
#include "rpc/node_services.h"
#include "rpc/server.h"
#include "tests/rpc/scripted_node.h"

namespace opic::rpc {
namespace {

constexpr char kReaderToken[] = "reader-reader-reader", kNodeToken[] = "node-node-node-node",
               kOperatorToken[] = "operator-operator";

const refresh::Publication kPublication = {.id = 7, .of = "http://a.test/"};

class Member final : public ScriptedNode {
 public:
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t) override { return ledger::Cut(); }
  absl::StatusOr<ledger::LostChannel> DeclareLost(const node::Loss&) override {
    return ledger::LostChannel();
  }
  absl::StatusOr<node::CrawlOrder> Order() override {
    return node::CrawlOrder{.hosts = {{{.name = "a.test", .blocked = true}, {}, "anna"}}};
  }
};

class GateTest : public testing::Test {
 protected:
  void Start(const Gate& gate, const std::optional<TlsIdentity>& tls = std::nullopt) {
    services_ = std::make_unique<NodeServices>(node_, NodeServices::Options{.gate = gate});
    auto server = Server::Start("127.0.0.1:0", services_->services(), {.tls = tls});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    services_->Open();
  }
  void TearDown() override {
    services_->Stop();
    server_->Shutdown();
  }
  // The highest role whose calls are answered.
  Role RoleOf(const std::string& token, const std::optional<TlsIdentity>& tls = std::nullopt) {
    const auto client = NodeClient::To(
        server_->address(),
        {.patience = absl::Seconds(20), .tls = tls, .name = tls ? "node0" : "", .token = token});
    Role role = Role::kStranger;
    const auto note = [&](Role of, const absl::Status& answer) {
      EXPECT_TRUE(answer.ok() || absl::IsPermissionDenied(answer)) << answer;
      if (!answer.ok()) return;
      EXPECT_EQ(static_cast<int>(of), static_cast<int>(role) + 1) << Name(of);
      role = of;
    };
    note(Role::kReader, client->Stats().status());
    note(Role::kNode, client->TakeCut(1).status());
    EXPECT_EQ(client->control().AddSeeds({}).ok(), role >= Role::kNode);
    note(Role::kOperator, client->control().Pause(true));
    const absl::StatusOr<node::CrawlOrder> order = client->control().Order();
    EXPECT_EQ(order.ok(), role >= Role::kReader);
    EXPECT_EQ(order.ok() && !order->hosts.empty(), role >= Role::kNode) << "it names people";
    EXPECT_EQ(client->control().DeclareLost({NodeId{1}, 2}).ok(), role == Role::kOperator);
    EXPECT_EQ(client->control().TuneHosts({}, "").ok(), role == Role::kOperator);
    EXPECT_EQ(client->control().StopNode().ok(), role == Role::kOperator);
    EXPECT_EQ(client->control().Publications().ok(), role >= Role::kReader);
    EXPECT_EQ(client->control().Publish(kPublication).ok(), role == Role::kOperator);
    EXPECT_EQ(client->control().Withdraw(kPublication.id).ok(), role == Role::kOperator);
    EXPECT_EQ(node_.stopped_.exchange(false), role == Role::kOperator);
    return role;
  }
  TlsIdentity Identity(const certs::Holder& holder) {
    const certs::Pair pair = authority_.Issue(holder).value();
    return {authority_.pair().certificate, pair.certificate, pair.key};
  }

  const certs::Authority authority_ = *certs::Authority::New("a cluster");
  Member node_;
  std::unique_ptr<NodeServices> services_;
  std::unique_ptr<Server> server_;
};

// What an operator may see elsewhere is not shown there.
TEST_F(GateTest, AnAddressForReadersKnowsReadersOnly) {
  Start(Gate().Between(Role::kStranger, Role::kReader));
  EXPECT_EQ(RoleOf(""), Role::kReader);
}

TEST_F(GateTest, OperatorsAreReadersThere) {
  Start(
      Gate(false, {}, {{kOperatorToken, Role::kOperator}}).Between(Role::kStranger, Role::kReader));
  EXPECT_EQ(RoleOf(""), Role::kStranger);
  EXPECT_EQ(RoleOf(kOperatorToken), Role::kReader);
}

TEST_F(GateTest, WithoutCertificatesAndTokensEverybodyMayDoEverything) {
  Start(Gate());
  EXPECT_EQ(RoleOf(""), Role::kOperator);
}

TEST_F(GateTest, ATokenGivesItsRoleAndNoMore) {
  Start(Gate(false, {},
             {{kReaderToken, Role::kReader},
              {kNodeToken, Role::kNode},
              {kOperatorToken, Role::kOperator}}));
  EXPECT_EQ(RoleOf(""), Role::kStranger);
  EXPECT_EQ(RoleOf("something-else-altogether"), Role::kStranger);
  EXPECT_EQ(RoleOf(kReaderToken), Role::kReader);
  EXPECT_EQ(RoleOf(kNodeToken), Role::kNode);
  EXPECT_EQ(RoleOf(kOperatorToken), Role::kOperator);
}

// Any certificate of the authority could stop any node.
TEST_F(GateTest, ACertificateGivesTheRoleOfItsNames) {
  Start(Gate(true, {"node0", "node1"}, {{kOperatorToken, Role::kOperator}}),
        Identity({"node0", {"127.0.0.1"}}));
  EXPECT_EQ(RoleOf("", Identity({"somebody", {}, false})), Role::kReader);
  EXPECT_EQ(RoleOf("", Identity({"node1", {"10.0.0.1"}})), Role::kNode);
  EXPECT_EQ(RoleOf("", Identity({"operator", {}, false})), Role::kOperator);
  EXPECT_EQ(RoleOf(kOperatorToken, Identity({"somebody", {}, false})), Role::kOperator);
}

TEST_F(GateTest, WhoCallsIsToldByItsCertificateOrToken) {
  Start(Gate(true, {"node0"}, {{kOperatorToken, Role::kOperator}}),
        Identity({"node0", {"127.0.0.1"}}));
  const auto by = [this](const std::string& holder, const std::string& token) {
    const auto client = NodeClient::To(server_->address(), {.patience = absl::Seconds(20),
                                                            .tls = Identity({holder, {}, false}),
                                                            .name = "node0",
                                                            .token = token});
    EXPECT_TRUE(client->control().TuneHosts({}, "").ok());
    return node_.host_changes_by_;
  };
  EXPECT_NE(by("operator", "").find("operator by certificate, ipv4:127.0.0.1:"), std::string::npos)
      << node_.host_changes_by_;
  EXPECT_NE(by("anna", kOperatorToken).find("operator by anna, "), std::string::npos)
      << node_.host_changes_by_;
}

TEST(TokensTest, ALineHasARoleAndAToken) {
  const auto tokens = ParseTokens(std::string("# ours\r\nreader\t") + kReaderToken +
                                  "\r\n\n operator " + kOperatorToken + " # mine");
  ASSERT_TRUE(tokens.ok()) << tokens.status();
  EXPECT_EQ(*tokens, (Tokens{{kReaderToken, Role::kReader}, {kOperatorToken, Role::kOperator}}));
  EXPECT_EQ(BestOf(*tokens), kOperatorToken);
  EXPECT_EQ(BestOf({}), "");
}

TEST(TokensTest, AWrongLineIsNamed) {
  for (const char* wrong :
       {"king long-enough-a-token", "reader short", "reader", "reader long-enough-a-token and more",
        // gRPC ends a process that puts these into a header.
        "reader long-enough-a-t\xc3\xb6ken", "reader long-enough\x01-a-token"}) {
    const absl::Status status = ParseTokens(absl::StrCat("# ours\n", wrong, "\n")).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << wrong;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("line 2: ")) << wrong;
  }
  const std::string zero("reader long-enough\0-a-token", 27);
  EXPECT_TRUE(absl::IsInvalidArgument(ParseTokens(zero).status()));
}

TEST(TokensTest, ATokenHasOneRole) {
  const std::string line = absl::StrCat("reader ", kReaderToken, "\n");
  EXPECT_TRUE(ParseTokens(line + line).ok());
  const absl::Status status = ParseTokens(absl::StrCat(line, "operator ", kReaderToken)).status();
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("line 2: a line above gives this token the role reader"));
  EXPECT_THAT(std::string(status.message()), testing::Not(testing::HasSubstr(kReaderToken)));
}

// With no token at all the gate would be open to everybody.
TEST(TokensTest, NoTokenAtAllIsRefused) {
  for (const char* empty : {"", "\n\n", "# operator operator-operator\n"})
    EXPECT_TRUE(absl::IsInvalidArgument(ParseTokens(empty).status())) << empty;
}

}  // namespace
}  // namespace opic::rpc
