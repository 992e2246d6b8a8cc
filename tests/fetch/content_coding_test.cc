// Bodies that are packed for the way: read as browsers read them, bounded by what comes out.
#include <gtest/gtest.h>

#include "tests/fetch/client.h"
#include "tests/fetch/packed.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

using ::opic::support::Answer;
using ::opic::support::HttpReply;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;

constexpr size_t kBodyMax = 10'000;

Response Reading(HttpReply reply) {
  HttpServer server([reply](const HttpRequest&) { return reply; });
  Options options = Local();
  options.body_bytes_max = kBodyMax;
  Client client(options);
  return client.Get(server.Url("/"));
}

HttpReply Packed(const std::string& coding, const std::string& body) {
  return Answer("200 OK", "Content-Encoding: " + coding + "\r\n", body);
}

class ContentCodingTest : public testing::TestWithParam<Coding> {
 protected:
  std::string Pack(const std::string& plain) { return GetParam().pack(plain); }
  Response Read(const std::string& body) { return Reading(Packed(GetParam().name, body)); }
};

INSTANTIATE_TEST_SUITE_P(Each, ContentCodingTest, testing::ValuesIn(kCodings),
                         [](const auto& info) { return info.param.test; });

TEST_P(ContentCodingTest, IsRead) {
  for (const std::string& plain :
       {std::string(), std::string("hello hello"), std::string(kBodyMax, 'y')}) {
    const Response response = Read(Pack(plain));
    EXPECT_EQ(response.error, Error::kNone) << response.detail;
    EXPECT_EQ(response.body, plain);
  }
}

TEST_P(ContentCodingTest, IsReadByteByByte) {
  HttpReply reply = Packed(GetParam().name, Pack("one two one two"));
  reply.drip_bytes = 1;
  EXPECT_EQ(Reading(std::move(reply)).body, "one two one two");
}

// 20 MB of zeroes: only the limit's worth is ever held.
TEST_P(ContentCodingTest, BombEndsAtTheDecodedLimit) {
  const std::string bomb = Pack(std::string(20 << 20, '\0'));
  ASSERT_LT(bomb.size(), 30'000u);
  const Response response = Read(bomb);
  EXPECT_EQ(response.error, Error::kBodyTooLarge);
  EXPECT_EQ(response.body, std::string(kBodyMax, '\0'));
}

TEST_P(ContentCodingTest, CutIsABadEncodingAndNothingIsNone) {
  std::string plain;
  for (int i = 0; i < 1000; ++i) plain += std::to_string(i * i);
  const std::string packed = Pack(plain);
  for (const size_t size : {size_t{1}, size_t{5}, packed.size() / 2, packed.size() - 1}) {
    const Response response = Read(packed.substr(0, size));
    EXPECT_EQ(response.error, Error::kBadEncoding) << size;
    EXPECT_EQ(response.body, "");
  }
  EXPECT_EQ(Read("").error, Error::kNone);
}

TEST_P(ContentCodingTest, AnotherOneIsABadEncoding) {
  EXPECT_EQ(Read(std::string(100, '\xFF')).error, Error::kBadEncoding);
}

TEST_P(ContentCodingTest, WhatFollowsTheEndIsIgnored) {
  for (const std::string& trailing : {std::string(10, '\0'), std::string("junk"),
                                      std::string("\x1f"), std::string("\x1f\x8b\xff")}) {
    const Response response = Read(Pack("text") + trailing);
    EXPECT_EQ(response.error, Error::kNone) << response.detail;
    EXPECT_EQ(response.body, "text");
  }
}

TEST(ContentCoding, GzipIsDamagedInItsMiddle) {
  std::string gzip = Gzip(std::string(5000, 'x'));
  gzip[12] ^= 0x55, gzip[13] ^= 0x55;
  EXPECT_EQ(Reading(Packed("gzip", gzip)).error, Error::kBadEncoding);
  EXPECT_EQ(Reading(Packed("gzip", "plain")).error, Error::kBadEncoding);
}

// As browsers and gzip(1) read it.
TEST(ContentCoding, GzipOfSeveralMembersIsRead) {
  const std::string members = Gzip("one ") + Gzip("") + Gzip(std::string(9000, 'y'));
  const Response response = Reading(Packed("gzip", members + "junk"));
  EXPECT_EQ(response.error, Error::kNone) << response.detail;
  EXPECT_EQ(response.body, "one " + std::string(9000, 'y'));
  EXPECT_EQ(Reading(Packed("gzip", members.substr(0, members.size() - 9))).error,
            Error::kBadEncoding);
}

TEST(ContentCoding, ManyMembersEndAtTheDecodedLimit) {
  std::string body;
  for (int i = 0; i < 1000; ++i) body += Gzip(std::string(100'000, '\0'));
  EXPECT_EQ(Reading(Packed("gzip", body)).error, Error::kBodyTooLarge);
}

// Nothing comes out of them, so the limit of the body never ended it.
TEST(ContentCoding, WhatDecodesToNothingEndsToo) {
  const std::string member = Gzip("");
  std::string body;
  while (body.size() < 8 << 20) body += member;
  const Response response = Reading(Packed("gzip", body));
  EXPECT_EQ(response.error, Error::kBadEncoding) << response.detail;
  EXPECT_LT(response.wire_bytes, 1u << 20);
}

TEST(ContentCoding, ZstdOfSeveralFramesIsRead) {
  const Response response = Reading(Packed("zstd", Zstd("one ") + Zstd("") + Zstd("two")));
  EXPECT_EQ(response.error, Error::kNone) << response.detail;
  EXPECT_EQ(response.body, "one two");
  const std::string reserved_block("\x28\xB5\x2F\xFD\x00\x68\x07\0\0", 9);
  EXPECT_EQ(Reading(Packed("zstd", Zstd("one ") + reserved_block)).error, Error::kBadEncoding);
}

// RFC 9659: 8 MiB. The windows are in the sixth byte of the frames (RFC 8878, 3.1.1.1.2).
TEST(ContentCoding, ZstdWithALargeWindowIsABadEncoding) {
  const std::string raw_block("\x29\0\0hello", 8);  // the last one
  const std::string magic("\x28\xB5\x2F\xFD\x00", 5);
  EXPECT_EQ(Reading(Packed("zstd", magic + '\x68' + raw_block)).body, "hello");  // 8 MiB
  EXPECT_EQ(Reading(Packed("zstd", magic + '\x70' + raw_block)).error, Error::kBadEncoding);
}

TEST(ContentCoding, AllThatAreReadAreOffered) {
  HttpServer server([](const HttpRequest&) { return Answer("200 OK", "", ""); });
  Client client;
  client.Get(server.Url("/"));
  EXPECT_EQ(server.requests().at(0).Header("Accept-Encoding"), "gzip, deflate, br, zstd");
}

// "utf-8", "foo": seen in the wild, and read by browsers.
TEST(ContentCoding, AnEncodingThatIsNoneIsIdentity) {
  for (const char* name : {"utf-8", "foo", "UTF-8, foo", "none", "identity"}) {
    const Response response = Reading(Packed(name, "text"));
    EXPECT_EQ(response.error, Error::kNone) << name;
    EXPECT_EQ(response.body, "text");
  }
  EXPECT_EQ(Reading(Packed("foo, GZIP", Gzip("text"))).body, "text");
}

TEST(ContentCoding, OneThatCannotBeReadIsABadEncoding) {
  for (const char* name : {"compress", "zstd, dcz"})
    EXPECT_EQ(Reading(Packed(name, "x")).error, Error::kBadEncoding) << name;
  EXPECT_EQ(Reading(Packed("compress", "")).error, Error::kNone);
}

// libcurl would unpack it, and go on while the transfer is held back.
TEST(ContentCoding, OneOfTheTransferIsABadEncoding) {
  for (const char* name : {"gzip", "deflate, chunked"}) {
    const Response response =
        Reading({.bytes = std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: ") + name +
                          "\r\n\r\n" + Gzip("text"),
                 .then = HttpReply::Then::kClose});
    EXPECT_EQ(response.error, Error::kBadEncoding) << name;
    EXPECT_NE(response.detail.find("for the transfer"), std::string::npos) << response.detail;
  }
}

// Each coding may make a thousand bytes of one: in a row they make a server's bytes cost as much as
// it likes, before the first byte of a body is there to be counted.
TEST(ContentCoding, ABodyThatWasEncodedMoreThanOnceIsRefusedAtItsHeader) {
  for (const char* header :
       {"Content-Encoding: zstd, zstd, zstd\r\n", "Content-Encoding: gzip, br\r\n",
        "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n"}) {
    HttpServer server([&](const HttpRequest&) { return Answer("200 OK", header, "body"); });
    Client client;
    const Response response = client.Get(server.Url("/"));
    EXPECT_EQ(response.error, Error::kBadEncoding) << header;
    EXPECT_EQ(response.body, "");
  }
}

}  // namespace
}  // namespace opic::fetch
