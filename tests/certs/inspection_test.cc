#include "certs/inspection.h"

#include <gtest/gtest.h>

#include "absl/time/clock.h"

namespace opic::certs {
namespace {

TEST(InspectionTest, OfWhatAnAuthorityHasIssued) {
  const Authority authority = *Authority::New("a cluster");
  const Pair one = *authority.Issue({"node0", {"127.0.0.1"}});
  const Pair other = *authority.Issue({"node1", {"127.0.0.1"}});
  const auto found = Inspect(one);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(found->belong_together);
  EXPECT_GT(found->expires, absl::Now() + absl::Hours(24) * 729);
  EXPECT_LT(found->expires, absl::Now() + absl::Hours(24) * 731);
  EXPECT_FALSE(Inspect({one.certificate, other.key})->belong_together);
  EXPECT_TRUE(absl::IsInvalidArgument(Inspect({one.key, one.key}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Inspect({one.certificate, one.certificate}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Inspect({"", ""}).status()));
}

TEST(InspectionTest, AllCertificatesOfATextAreToBeRead) {
  const std::string one = Authority::New("a cluster")->pair().certificate;
  const std::string other = Authority::New("another")->pair().certificate;
  EXPECT_TRUE(CheckCertificates(one).ok()) << CheckCertificates(one);
  EXPECT_TRUE(CheckCertificates(one + "# and\n" + other).ok());
  for (const std::string& wrong :
       {std::string(),
        std::string("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        one.substr(0, one.size() / 2), one + other.substr(0, other.size() / 2)}) {
    EXPECT_TRUE(absl::IsInvalidArgument(CheckCertificates(wrong))) << wrong;
  }
  EXPECT_TRUE(CheckCertificates(one).ok()) << "nothing is left of the errors before";
}

}  // namespace
}  // namespace opic::certs
