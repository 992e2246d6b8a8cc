#include "fetch/address_filter.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <string>

namespace opic::fetch {
namespace {

bool IsPublic(const std::string& text) {
  in_addr v4;
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return IsPublicIpv4(ntohl(v4.s_addr));
  in6_addr v6;
  EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &v6), 1) << text;
  return IsPublicIpv6(v6);
}

class RefusedAddress : public testing::TestWithParam<const char*> {};
TEST_P(RefusedAddress, IsNotPublic) { EXPECT_FALSE(IsPublic(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Ipv4, RefusedAddress,
                         testing::Values("0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255",
                                         "100.64.0.1", "100.127.255.255", "127.0.0.1",
                                         "127.255.0.1", "169.254.169.254", "172.16.0.1",
                                         "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1",
                                         "192.168.0.1", "198.18.0.1", "198.19.255.255",
                                         "198.51.100.7", "203.0.113.7", "224.0.0.1",
                                         "239.255.255.255", "240.0.0.1", "255.255.255.255"));
INSTANTIATE_TEST_SUITE_P(Ipv6, RefusedAddress,
                         testing::Values("::", "::1", "::7f00:1", "fe80::1", "febf::1", "fec0::1",
                                         "fc00::1", "fd12::1", "ff02::1", "100::1", "2001:db8::1",
                                         "2001::1", "2001:10::1", "3fff::1", "4000::1",
                                         "64:ff9b:1::808:808"));
INSTANTIATE_TEST_SUITE_P(EmbeddingAPrivateIpv4, RefusedAddress,
                         testing::Values("::ffff:127.0.0.1", "::ffff:10.0.0.1",
                                         "::ffff:169.254.169.254", "64:ff9b::127.0.0.1",
                                         "64:ff9b::192.168.0.1", "2002:7f00:1::", "2002:a00:1::1",
                                         "2002:c0a8:1::1"));

class AllowedAddress : public testing::TestWithParam<const char*> {};
TEST_P(AllowedAddress, IsPublic) { EXPECT_TRUE(IsPublic(GetParam())); }

// The neighbours of refused blocks, and ordinary hosts.
INSTANTIATE_TEST_SUITE_P(All, AllowedAddress,
                         testing::Values("1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255",
                                         "100.128.0.0", "126.255.255.255", "128.0.0.0",
                                         "169.253.0.1", "169.255.0.1", "172.15.0.1", "172.32.0.0",
                                         "192.0.1.1", "192.167.255.255", "192.169.0.0",
                                         "198.17.0.1", "198.20.0.0", "223.255.255.255",
                                         "2606:4700:4700::1111", "2a00:1450::1",
                                         "2001:4860:4860::8888", "2001:200::1", "::ffff:8.8.8.8",
                                         "64:ff9b::8.8.8.8", "2002:808:808::1"));

bool IsLoopback(const std::string& text) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1)
    return IsLoopbackAddress(reinterpret_cast<const sockaddr*>(&v4), sizeof(v4));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr), 1) << text;
  return IsLoopbackAddress(reinterpret_cast<const sockaddr*>(&v6), sizeof(v6));
}

TEST(AddressFilter, LoopbackIsLoopbackHoweverItIsWritten) {
  for (const char* address : {"127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1",
                              "::ffff:127.9.9.9", "::ffff:7f00:1"})
    EXPECT_TRUE(IsLoopback(address)) << address;
  for (const char* address :
       {"126.255.255.255", "128.0.0.1", "10.0.0.1", "0.0.0.0", "::", "::2", "::7f00:1",
        "::ffff:126.0.0.1", "::ffff:128.0.0.1", "::ffff:10.0.0.1", "::fffe:127.0.0.1",
        "64:ff9b::127.0.0.1", "1::ffff:127.0.0.1", "2002:7f00:1::"})
    EXPECT_FALSE(IsLoopback(address)) << address;
}

TEST(AddressFilter, UnknownFamilyIsNotPublic) {
  sockaddr address{};
  address.sa_family = AF_UNIX;
  EXPECT_FALSE(IsPublicAddress(&address, sizeof(address)));
}

TEST(AddressFilter, AddressShorterThanItsFamilySaysIsNotPublic) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(0x08080808);
  const auto* bytes = reinterpret_cast<const sockaddr*>(&address);
  EXPECT_TRUE(IsPublicAddress(bytes, sizeof(address)));
  EXPECT_FALSE(IsPublicAddress(bytes, 4));
}

}  // namespace
}  // namespace opic::fetch
