// A scripted node behind a gateway, and clients to ask it, by libcurl.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gateway/gateway.h"
#include "rpc/node_services.h"
#include "rpc/server.h"
#include "tests/rpc/scripted_node.h"
#include "tests/support/curl_client.h"

namespace opic::gateway {

inline constexpr char kGet[] = "opic.v1.Importance/Get", kTop[] = "opic.v1.Importance/Top",
                      kWatch[] = "opic.v1.Importance/Watch";
inline const std::string kReader = "reader-of-sixteen", kOperator = "operator-of-sixteen";

class GatewayTest : public testing::Test {
 protected:
  ~GatewayTest() override {
    if (services_) services_->Stop();
    gateway_.reset();
    if (server_) server_->Shutdown();
  }
  // A surface for readers, as a process has it. Without tokens everybody may ask.
  void Serve(const rpc::Tokens& tokens = {}, const std::function<http::Certificate()>& tls = {}) {
    const rpc::Gate gate =
        rpc::Gate(tls != nullptr, {}, tokens).Between(rpc::Role::kStranger, rpc::Role::kReader);
    services_ = std::make_unique<rpc::NodeServices>(node_, rpc::QuestionOptions{.gate = gate});
    auto server = rpc::Server::StartWithin(services_->services());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    GatewayOptions options{
        .address = *http::ParseAddress("0"), .tls = tls, .admit = [gate](std::string_view shown) {
          return gate.AdmitToken(shown);
        }};
    if (tokens.empty()) options.names = {"node-a"};
    auto gateway = Gateway::Start(options, server_->Within(kReplyBytesMax), base::RealClock::Get());
    ASSERT_TRUE(gateway.ok()) << gateway.status();
    gateway_ = *std::move(gateway);
    services_->Open();
  }
  std::string Url(const std::string& call) const {
    return absl::StrCat("http://", gateway_->address().ToText(), "/", call);
  }
  support::CurlResponse Ask(const std::string& call, const std::string& json,
                            const std::vector<std::string>& more_headers = {}) const {
    support::CurlRequest request{.url = Url(call), .body = json};
    request.headers.insert(request.headers.end(), more_headers.begin(), more_headers.end());
    return support::Curl(request);
  }
  static void ExpectError(const support::CurlResponse& response, int status,
                          const std::string& code, const std::string& message = "") {
    EXPECT_EQ(response.status, status) << response.body << response.error;
    EXPECT_EQ(response.headers.count("content-type"), 1u);
    EXPECT_THAT(response.body,
                testing::AllOf(testing::HasSubstr("{\"code\":\"" + code + "\",\"message\":"),
                               testing::HasSubstr(message)));
    EXPECT_LT(response.body.size(), 1000u);
  }
  support::CurlResponse GetBy(const std::string& call, const std::string& arguments,
                              const std::string& method = "GET") const {
    return support::Curl({.url = Url(call) + "?" + arguments, .method = method, .headers = {}});
  }

  rpc::ScriptedNode node_;
  std::unique_ptr<rpc::NodeServices> services_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<Gateway> gateway_;
};

}  // namespace opic::gateway
