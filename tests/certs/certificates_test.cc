// What a cluster's certificates say, as OpenSSL's own verifier reads it, and the folder they lie
// in. Whether they let the right ones talk is tested with gRPC (tests/rpc/tls_test.cc).
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "base/file.h"
#include "certs/authority.h"
#include "certs/certificate_folder.h"

namespace opic::certs {
namespace {

using X509Pointer = std::unique_ptr<X509, decltype(&X509_free)>;

X509Pointer Read(const std::string& pem) {
  BIO* text = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509Pointer certificate(PEM_read_bio_X509(text, nullptr, nullptr, nullptr), X509_free);
  BIO_free(text);
  return certificate;
}

// Whether `authority` vouches for `pem` as a server or a client, now or at another time.
bool IsGood(const std::string& authority, const std::string& pem, int purpose, time_t at = 0) {
  const X509Pointer root = Read(authority), certificate = Read(pem);
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, root.get());
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, certificate.get(), nullptr);
  X509_VERIFY_PARAM* rules = X509_STORE_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_purpose(rules, purpose);
  X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_X509_STRICT);
  if (at != 0) X509_VERIFY_PARAM_set_time(rules, at);
  const bool good = X509_verify_cert(context) == 1;
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return good;
}

class AuthorityTest : public testing::Test {
 protected:
  Pair Issue(const Holder& holder) {
    absl::StatusOr<Pair> pair = authority_.Issue(holder);
    EXPECT_TRUE(pair.ok()) << pair.status();
    return *std::move(pair);
  }
  const std::string& root() const { return authority_.pair().certificate; }
  const Authority authority_ = *Authority::New("a cluster");
};

TEST_F(AuthorityTest, ANodeIsGoodAsServerAndAsClient) {
  const Pair node = Issue({"node0", {"127.0.0.1"}});
  EXPECT_TRUE(IsGood(root(), node.certificate, X509_PURPOSE_SSL_SERVER));
  EXPECT_TRUE(IsGood(root(), node.certificate, X509_PURPOSE_SSL_CLIENT));
}

TEST_F(AuthorityTest, AnOperatorMayAskAndNotServe) {
  const Pair operator_pair = Issue({"operator", {}, /*server=*/false});
  EXPECT_TRUE(IsGood(root(), operator_pair.certificate, X509_PURPOSE_SSL_CLIENT));
  EXPECT_FALSE(IsGood(root(), operator_pair.certificate, X509_PURPOSE_SSL_SERVER));
}

TEST_F(AuthorityTest, AnotherAuthorityVouchesForNobodyHere) {
  const Pair node = Issue({"node0", {}});
  const Authority other = *Authority::New("a cluster");
  EXPECT_FALSE(IsGood(other.pair().certificate, node.certificate, X509_PURPOSE_SSL_CLIENT));
}

TEST_F(AuthorityTest, ItNamesTheNodeAndItsHosts) {
  const Pair node = Issue({"node0", {"10.0.0.5", "::1", "crawler.example"}});
  const X509Pointer certificate = Read(node.certificate);
  EXPECT_EQ(X509_check_host(certificate.get(), "node0", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(certificate.get(), "crawler.example", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "10.0.0.5", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_host(certificate.get(), "node1", 0, 0, nullptr), 0);
}

TEST_F(AuthorityTest, TheAuthorityLastsTenYearsAndWhatItIssuesTwo) {
  const Pair node = Issue({"node0", {}});
  const time_t year = 365 * 24 * 3600, now = time(nullptr);
  EXPECT_TRUE(IsGood(root(), node.certificate, X509_PURPOSE_SSL_CLIENT, now + 2 * year - 3600));
  EXPECT_FALSE(IsGood(root(), node.certificate, X509_PURPOSE_SSL_CLIENT, now + 2 * year + 3600));
  EXPECT_LT(X509_cmp_time(X509_get0_notBefore(Read(root()).get()), nullptr), 0);
  time_t nearly_ten = now + 10 * year - 3600, over_ten = now + 10 * year + 3600;
  EXPECT_GT(X509_cmp_time(X509_get0_notAfter(Read(root()).get()), &nearly_ten), 0);
  EXPECT_LT(X509_cmp_time(X509_get0_notAfter(Read(root()).get()), &over_ten), 0);
}

TEST_F(AuthorityTest, ACertificateLastsForTheDaysThatWereAskedFor) {
  const absl::StatusOr<Pair> node = authority_.Issue({"node0", {}}, 30);
  ASSERT_TRUE(node.ok()) << node.status();
  const time_t day = 24 * 3600, now = time(nullptr);
  EXPECT_TRUE(IsGood(root(), node->certificate, X509_PURPOSE_SSL_CLIENT, now + 30 * day - 3600));
  EXPECT_FALSE(IsGood(root(), node->certificate, X509_PURPOSE_SSL_CLIENT, now + 30 * day + 3600));
  for (const int days : {0, -1, Authority::kDaysMax + 1}) {
    EXPECT_TRUE(absl::IsInvalidArgument(authority_.Issue({"node0", {}}, days).status())) << days;
  }
}

// A comma would begin another name.
TEST_F(AuthorityTest, WhatIsNoNameIsRefused) {
  for (const std::string name : {"", "a,DNS:node1", "a b", "10.0.0.1", "a/b", "ä"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(authority_.Issue({name, {}}).status())) << name;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(authority_.Issue({"a", {"b,DNS:node1"}}).status()));
}

TEST_F(AuthorityTest, KeyAndCertificateMustBelongTogether) {
  const Pair one = Issue({"one", {}}), two = Issue({"two", {}});
  EXPECT_TRUE(Authority::From(authority_.pair()).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Authority::From({one.certificate, two.key}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Authority::From({"no", "PEM"}).status()));
}

class CertificateFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/certs-" + std::to_string(getpid()) + "-" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  absl::StatusOr<std::vector<std::string>> Fill(const std::vector<Holder>& holders) {
    return FillFolder(folder_, "a cluster", holders);
  }
  std::string Content(const std::string& path) { return *base::ReadFile(path); }
  std::string folder_;
};

TEST_F(CertificateFolderTest, EveryHolderGetsAPairThatTheAuthoritySigned) {
  const auto made = Fill({{"node0", {}}, {"operator", {}, false}});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(*made, (std::vector<std::string>{"node0", "operator"}));
  for (const std::string& holder : *made) {
    EXPECT_TRUE(IsGood(Content(AuthorityFile(folder_)), Content(CertificateFile(folder_, holder)),
                       X509_PURPOSE_SSL_CLIENT));
  }
}

TEST_F(CertificateFolderTest, OnlyTheOwnerMayReadIt) {
  ASSERT_TRUE(Fill({{"node0", {}}}).ok());
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    ++files;
    EXPECT_EQ(entry.status().permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << entry.path();
  }
  EXPECT_EQ(files, 4) << "of the authority and of the node a certificate and a key each";
}

TEST_F(CertificateFolderTest, WhatIsThereStaysAndANewNodeIsAdded) {
  ASSERT_TRUE(Fill({{"node0", {}}}).ok());
  const std::string before = Content(CertificateFile(folder_, "node0"));
  const auto made = Fill({{"node0", {}}, {"node1", {}}});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(*made, std::vector<std::string>{"node1"});
  EXPECT_EQ(Content(CertificateFile(folder_, "node0")), before);
  EXPECT_TRUE(IsGood(Content(AuthorityFile(folder_)), Content(CertificateFile(folder_, "node1")),
                     X509_PURPOSE_SSL_SERVER));
}

TEST_F(CertificateFolderTest, HalfAPairIsRefused) {
  ASSERT_TRUE(Fill({{"node0", {}}}).ok());
  ASSERT_EQ(unlink(KeyFile(folder_, "ca").c_str()), 0);
  EXPECT_TRUE(Fill({{"node0", {}}}).ok());  // nothing is to be issued
  EXPECT_TRUE(absl::IsFailedPrecondition(Fill({{"node1", {}}}).status()));
}

// The certificate of one node must not let it speak for another.
TEST_F(CertificateFolderTest, NamesThatCollideAreRefused) {
  for (const std::vector<Holder>& holders :
       {std::vector<Holder>{{"ca", {}}}, std::vector<Holder>{{"a", {}}, {"a", {}}},
        std::vector<Holder>{{"a", {}}, {"a-key", {}}}, std::vector<Holder>{{"a", {"b"}}, {"b", {}}},
        std::vector<Holder>{{"../a", {}}}}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Fill(holders).status())) << holders[0].name;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

}  // namespace
}  // namespace opic::certs
