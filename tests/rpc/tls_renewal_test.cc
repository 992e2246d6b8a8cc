// Certificates that are put in the place of others while a server listens and a client calls.
#include "rpc/tls_renewal.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "absl/synchronization/mutex.h"
#include "base/file.h"
#include "base/log.h"
#include "certs/authority.h"
#include "opic/v1/control.grpc.pb.h"
#include "rpc/server.h"
#include "tests/support/own_path.h"
#include "tests/support/process.h"

namespace opic::rpc {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr absl::Duration kLookEvery = absl::Milliseconds(20);

std::string CertificateIn(const grpc::AuthContext& context) {
  const auto found = context.FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  return found.empty() ? "" : std::string(found[0].data(), found[0].size());
}

// Knows with which certificate it was last called.
class Called final : public v1::Control::Service {
 public:
  grpc::Status Pause(grpc::ServerContext* context, const v1::PauseRequest*,
                     v1::PauseResponse*) override {
    absl::MutexLock lock(&mu_);
    by_ = CertificateIn(*context->auth_context());
    return grpc::Status::OK;
  }
  std::string by() const {
    absl::MutexLock lock(&mu_);
    return by_;
  }

 private:
  mutable absl::Mutex mu_;
  std::string by_ ABSL_GUARDED_BY(mu_);
};

class TlsRenewalTest : public testing::Test {
 protected:
  TlsRenewalTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    base::StartLog(log_, base::LogLevel::kInfo);
  }
  ~TlsRenewalTest() override {
    if (server_) server_->Shutdown();
    base::StartLog("/dev/null", base::LogLevel::kError);
  }
  certs::Pair Issue(const std::string& name, int days) const {
    return *authority_.Issue({name, {"127.0.0.1"}}, days);
  }
  // As `mv` does, one file after the other.
  TlsFiles Put(const std::string& name, const certs::Pair& pair) const {
    const TlsFiles files{folder_ + "/ca.pem", folder_ + "/" + name + ".pem",
                         folder_ + "/" + name + ".key"};
    for (const auto& [path, text] :
         {std::pair(files.ca, authority_.pair().certificate),
          std::pair(files.certificate, pair.certificate), std::pair(files.key, pair.key)}) {
      EXPECT_TRUE(base::WriteFileDurably(path, text).ok());
    }
    return files;
  }
  std::optional<TlsIdentity> Followed(const std::string& name, const certs::Pair& pair) {
    std::optional<TlsIdentity> identity = *ReadTls(Put(name, pair));
    renewals_.push_back(*TlsRenewal::Follow(identity, kLookEvery));
    return identity;
  }
  void Serve(const std::optional<TlsIdentity>& identity) {
    server_ = *Server::Start("127.0.0.1:0", {&called_}, {identity});
  }
  // The certificate of the server; empty: the call failed.
  static std::string Call(const std::shared_ptr<grpc::Channel>& channel) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
    v1::PauseResponse response;
    const grpc::Status status = v1::Control::NewStub(channel)->Pause(&context, {}, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return status.ok() ? CertificateIn(*context.auth_context()) : "";
  }
  std::shared_ptr<grpc::Channel> NewChannel(const std::optional<TlsIdentity>& identity) const {
    return ChannelTo(server_->address(), identity, "node1");
  }
  TlsIdentity Of(const certs::Pair& pair) const {
    return {authority_.pair().certificate, pair.certificate, pair.key};
  }
  bool LogSays(const std::string& what) const {
    return base::ReadFile(log_)->find(what) != std::string::npos;
  }

  const std::string folder_ = support::OwnPath("tls"), log_ = folder_ + "/log";
  const certs::Authority authority_ = *certs::Authority::New("a cluster");
  const TlsIdentity operator_ = Of(Issue("operator", 100));
  std::vector<std::unique_ptr<TlsRenewal>> renewals_;
  Called called_;
  std::unique_ptr<Server> server_;
};

TEST_F(TlsRenewalTest, AServerShowsTheNewOneToNewConnections) {
  const certs::Pair old = Issue("node1", 1), renewed = Issue("node1", 100);
  Serve(Followed("node1", old));
  const std::shared_ptr<grpc::Channel> before = NewChannel(operator_);
  EXPECT_EQ(Call(before), old.certificate);
  Put("node1", renewed);
  EXPECT_TRUE(support::Eventually(
      kPatience, [&] { return Call(NewChannel(operator_)) == renewed.certificate; }));
  EXPECT_EQ(Call(before), old.certificate);  // that connection is still open
  EXPECT_TRUE(LogSays("was read again, and expires on"));
}

TEST_F(TlsRenewalTest, AClientShowsTheNewOneInNewConnections) {
  const certs::Pair old = Issue("node0", 1), renewed = Issue("node0", 100);
  Serve(Of(Issue("node1", 100)));
  const std::optional<TlsIdentity> identity = Followed("node0", old);
  const std::shared_ptr<grpc::Channel> channel = NewChannel(identity);
  Call(channel);
  EXPECT_EQ(called_.by(), old.certificate);
  Put("node0", renewed);
  Call(NewChannel(identity));
  EXPECT_EQ(called_.by(), old.certificate);  // it shares the connection, which is open
  // Connections that are made when the server has been away. gRPC reads once a second.
  const std::string address = server_->address();
  EXPECT_TRUE(support::Eventually(kPatience, [&] {
    server_->Shutdown();
    server_ = *Server::Start(address, {&called_}, {Of(Issue("node1", 100))});
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
    v1::PauseResponse response;
    EXPECT_TRUE(v1::Control::NewStub(channel)->Pause(&context, {}, &response).ok());
    return called_.by() == renewed.certificate;
  }));
}

TEST_F(TlsRenewalTest, WhatCannotBeUsedIsRefusedAndTold) {
  const certs::Pair old = Issue("node1", 1), renewed = Issue("node1", 100);
  Serve(Followed("node1", old));
  Put("node1", {renewed.certificate, old.key});
  EXPECT_TRUE(support::Eventually(kPatience, [&] { return LogSays("do not belong together"); }));
  EXPECT_EQ(Call(NewChannel(operator_)), old.certificate);
  Put("node1", {"no PEM", renewed.key});
  EXPECT_TRUE(support::Eventually(kPatience, [&] { return LogSays("is not a PEM file"); }));
  EXPECT_EQ(Call(NewChannel(operator_)), old.certificate);
  const TlsFiles files = Put("node1", renewed);
  const std::string half = authority_.pair().certificate.substr(0, 400);
  ASSERT_TRUE(base::WriteFileDurably(files.ca, half).ok());
  EXPECT_TRUE(
      support::Eventually(kPatience, [&] { return LogSays("a certificate cannot be read"); }));
  Put("node1", renewed);
  EXPECT_TRUE(support::Eventually(
      kPatience, [&] { return Call(NewChannel(operator_)) == renewed.certificate; }));
}

// An authority between its own and a known one is not whole yet.
TEST_F(TlsRenewalTest, AChainThatIsHalfWrittenIsRefused) {
  const certs::Pair old = Issue("node1", 1), renewed = Issue("node1", 100);
  Serve(Followed("node1", old));
  const std::string half = authority_.pair().certificate.substr(0, 400);
  Put("node1", {renewed.certificate + half, renewed.key});
  EXPECT_TRUE(support::Eventually(
      kPatience, [&] { return LogSays("node1.pem: a certificate cannot be read"); }));
  EXPECT_EQ(Call(NewChannel(operator_)), old.certificate);
}

// A permission that is given back shows in none of a file's times.
TEST_F(TlsRenewalTest, WhatCouldNotBeReadIsTriedAgain) {
  const certs::Pair old = Issue("node1", 1), renewed = Issue("node1", 100);
  Serve(Followed("node1", old));
  const TlsFiles files = Put("node1", renewed);
  const auto put_in_place = [&](const std::string& text) {
    std::ofstream(files.certificate, std::ios::in | std::ios::out) << text;
  };
  put_in_place(std::string(renewed.certificate.size(), '?'));
  EXPECT_TRUE(support::Eventually(kPatience, [&] { return LogSays("is not a PEM file"); }));
  const auto time = std::filesystem::last_write_time(files.certificate);
  put_in_place(renewed.certificate);
  std::filesystem::last_write_time(files.certificate, time);
  EXPECT_TRUE(
      support::Eventually(kPatience, [&] { return LogSays("was read again, and expires on"); }));
  const std::string log = *base::ReadFile(log_);
  EXPECT_EQ(log.find("is not a PEM file"), log.rfind("is not a PEM file")) << "told once";
}

TEST_F(TlsRenewalTest, WithoutFilesNothingIsFollowed) {
  std::optional<TlsIdentity> none, given = operator_;
  EXPECT_EQ(*TlsRenewal::Follow(none), nullptr);
  EXPECT_EQ(*TlsRenewal::Follow(given), nullptr);
}

}  // namespace
}  // namespace opic::rpc
