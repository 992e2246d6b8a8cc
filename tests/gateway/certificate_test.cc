// Questions over HTTPS, and what is shown to those who ask.
#include <filesystem>
#include <fstream>
#include <optional>

#include "certs/authority.h"
#include "rpc/tls_in_force.h"
#include "rpc/tls_renewal.h"
#include "tests/gateway/served_gateway.h"
#include "tests/support/own_path.h"
#include "tests/support/process.h"

namespace opic::gateway {
namespace {

using support::Curl;
using support::CurlRequest;
using support::CurlResponse;
using testing::HasSubstr;

// The node's certificate says who it is; who asks shows a token, and no certificate.
TEST_F(GatewayTest, WithACertificate) {
  const certs::Authority authority = *certs::Authority::New("a cluster");
  const certs::Pair pair = *authority.Issue({"node-a", {"127.0.0.1"}});
  const std::string file = support::OwnPath("ca");
  std::ofstream(file) << authority.pair().certificate;
  Serve({{kReader, rpc::Role::kReader}}, [pair] {
    return http::Certificate{pair.certificate, pair.key};
  });
  const std::string url = absl::StrCat("https://", gateway_->address().ToText(), "/", kGet);
  CurlRequest request{.url = url, .body = R"({"url":"http://a/"})", .authority = file};
  ExpectError(Curl(request), 403, "permission_denied");
  request.headers.push_back("Authorization: Bearer " + kReader);
  const CurlResponse response = Curl(request);
  EXPECT_EQ(response.status, 200) << response.error;
  EXPECT_THAT(response.body, HasSubstr("\"importance\":0.125"));
  request.authority.clear();
  EXPECT_THAT(Curl(request).error, HasSubstr("certificate")) << "of an authority that is not known";
  EXPECT_NE(Ask(kGet, "{}").status, 200) << "in plain text";
}

// Files that are put in the place of others while it listens, here of another authority, so that it
// can be told which are shown.
TEST_F(GatewayTest, ARenewedCertificateIsShownToNewConnections) {
  const certs::Authority old = *certs::Authority::New("old"), other = *certs::Authority::New("new");
  const std::string folder = support::OwnPath("renewed");
  std::filesystem::create_directories(folder);
  const rpc::TlsFiles files{folder + "/ca.pem", folder + "/own.pem", folder + "/own.key"};
  const auto put = [&](const certs::Authority& authority) {
    const certs::Pair pair = *authority.Issue({"node-a", {"127.0.0.1"}});
    std::ofstream(files.ca) << authority.pair().certificate;
    std::ofstream(files.certificate) << pair.certificate;
    std::ofstream(files.key) << pair.key;
  };
  put(old);
  const std::string of_old = folder + "/old.pem", of_new = folder + "/new.pem";
  std::ofstream(of_old) << old.pair().certificate;
  std::ofstream(of_new) << other.pair().certificate;
  std::optional<rpc::TlsIdentity> identity = *rpc::ReadTls(files);
  const auto renewal = *rpc::TlsRenewal::Follow(identity, absl::Milliseconds(20));
  Serve({{kReader, rpc::Role::kReader}}, [identity] {
    const rpc::TlsIdentity now = rpc::NowOf(*identity);
    return http::Certificate{now.certificate, now.key};
  });
  const auto trusts = [&](const std::string& authority) {
    CurlRequest request{.url = absl::StrCat("https://", gateway_->address().ToText(), "/", kGet),
                        .body = R"({"url":"http://a/"})",
                        .authority = authority};
    request.headers.push_back("Authorization: Bearer " + kReader);
    return Curl(request).status == 200;
  };
  EXPECT_TRUE(trusts(of_old));
  EXPECT_FALSE(trusts(of_new));
  put(other);
  EXPECT_TRUE(support::Eventually(absl::Seconds(30), [&] { return trusts(of_new); }));
  EXPECT_FALSE(trusts(of_old));
}

TEST_F(GatewayTest, AKeyOfAnotherCertificateIsRefused) {
  const certs::Authority authority = *certs::Authority::New("a cluster");
  const certs::Pair one = *authority.Issue({"a", {}}), another = *authority.Issue({"b", {}});
  auto server = rpc::Server::StartWithin({});
  GatewayOptions options{.address = *http::ParseAddress("0"), .tls = [&] {
                           return http::Certificate{one.certificate, another.key};
                         }};
  const auto gateway =
      Gateway::Start(options, (*server)->Within(kReplyBytesMax), base::RealClock::Get());
  EXPECT_THAT(gateway.status().ToString(), HasSubstr("cannot be used"));
  (*server)->Shutdown();
}

}  // namespace
}  // namespace opic::gateway
