// What a client is told when gRPC only says that a connection was lost, over real sockets.
#include "rpc/node_caller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certs/authority.h"
#include "rpc/node_client.h"
#include "rpc/server.h"

namespace opic::rpc {
namespace {

using testing::HasSubstr;

TlsIdentity IdentityOf(const certs::Authority& authority, const certs::Holder& holder) {
  const certs::Pair pair = *authority.Issue(holder);
  return {authority.pair().certificate, pair.certificate, pair.key};
}

class TlsHintTest : public testing::Test {
 protected:
  // What a client with these certificates is told by a server with those.
  static std::string Told(const std::optional<TlsIdentity>& server_has,
                          const std::optional<TlsIdentity>& client_has) {
    const auto server = Server::Start("127.0.0.1:0", {}, {.tls = server_has});
    if (!server.ok()) return std::string(server.status().message());
    NodeClientOptions options;
    options.patience = absl::Seconds(20);
    options.tls = client_has;
    options.name = "node0";
    return std::string(NodeClient::To((*server)->address(), options)->Stats().status().message());
  }

  const certs::Authority authority_ = *certs::Authority::New("a cluster");
  const certs::Authority other_ = *certs::Authority::New("another cluster");
  const TlsIdentity node_ = IdentityOf(authority_, {"node0", {}});
};

TEST_F(TlsHintTest, WithoutACertificateOneIsAskedFor) {
  const std::string told = Told(node_, std::nullopt);
  EXPECT_THAT(told, HasSubstr("wants one (--tls-ca"));
  EXPECT_THAT(told, HasSubstr("has just stopped"));  // which looks the same
}

TEST_F(TlsHintTest, ACertificateOfAnotherAuthorityIsNamedAsACause) {
  TlsIdentity stranger = IdentityOf(other_, {"operator", {}, /*server=*/false});
  stranger.ca = node_.ca;
  EXPECT_THAT(Told(node_, stranger), HasSubstr("does not take the certificate of --tls-cert"));
}

TEST_F(TlsHintTest, AServerOfAnotherAuthorityIsNotTrusted) {
  EXPECT_THAT(Told(node_, IdentityOf(other_, {"operator", {}, /*server=*/false})),
              HasSubstr("not of the authority in --tls-ca"));
}

TEST_F(TlsHintTest, AServerWithoutCertificatesIsToBeAskedWithoutThem) {
  EXPECT_THAT(Told(std::nullopt, IdentityOf(authority_, {"operator", {}, /*server=*/false})),
              HasSubstr("ask it without --tls-ca"));
}

}  // namespace
}  // namespace opic::rpc
