#include "archive/gunzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace opic::archive {
namespace {

constexpr size_t kPlenty = 1 << 20;

// One gzip member that holds `text`.
std::string Member(std::string_view text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = text.size();
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = out.size();
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Text that does not compress to nothing.
std::string Prose(size_t lines) {
  std::string text;
  for (size_t i = 0; i < lines; ++i) text += "<loc>http://h/" + std::to_string(i * i) + "</loc>\n";
  return text;
}

TEST(GunzipTest, MemberComesBackAsItWas) {
  const std::string text = Prose(5000);
  EXPECT_EQ(*Gunzip(Member(text), kPlenty), text);
  EXPECT_EQ(*Gunzip(Member(text), ~size_t{0}), text);
  EXPECT_EQ(*Gunzip(Member(""), kPlenty), "");
}

// RFC 1952 section 2.2: a file is a series of members, and holds their contents one after the
// other.
TEST(GunzipTest, SeveralMembersAreJoined) {
  EXPECT_EQ(*Gunzip(Member("one ") + Member("") + Member("two"), kPlenty), "one two");
}

TEST(GunzipTest, TrailingGarbageIsIgnored) {
  EXPECT_EQ(*Gunzip(Member("one") + std::string(512, '\0'), kPlenty), "one");
  EXPECT_EQ(*Gunzip(Member("one") + "\x1f\x8b", kPlenty), "one");
}

TEST(GunzipTest, OtherBytesAreNoGzip) {
  for (const std::string bytes : {"", "<urlset>", "\x1f\x8b", "\x1f\x8b\x07junk"}) {
    EXPECT_EQ(Gunzip(bytes, kPlenty).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(GunzipTest, TruncationIsReportedAndGivesWhatWasReadable) {
  const std::string text = Prose(5000);
  const std::string bytes = Member(text);
  std::string partial;
  const auto result =
      Gunzip(std::string_view(bytes).substr(0, bytes.size() / 2), kPlenty, &partial);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_GT(partial.size(), text.size() / 4);
  EXPECT_EQ(partial, text.substr(0, partial.size()));
}

TEST(GunzipTest, TruncationIsReportedAtEveryByte) {
  const std::string bytes = Member("some text");
  for (size_t size = 3; size < bytes.size(); ++size) {
    const auto result = Gunzip(std::string_view(bytes).substr(0, size), kPlenty);
    EXPECT_EQ(result.status().code(), absl::StatusCode::kDataLoss) << size;
  }
}

TEST(GunzipTest, WrongChecksumIsDataLoss) {
  std::string bytes = Member("some text");
  bytes[bytes.size() - 8] ^= 1;
  std::string partial;
  EXPECT_EQ(Gunzip(bytes, kPlenty, &partial).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(partial, "some text");
}

TEST(GunzipTest, DamagedSecondMemberKeepsTheFirst) {
  std::string partial;
  EXPECT_FALSE(Gunzip(Member("one") + "\x1f\x8b\x08\xff garbage", kPlenty, &partial).ok());
  EXPECT_EQ(partial, "one");
}

TEST(GunzipTest, LimitIsTheNumberOfBytesThatMayComeOut) {
  const std::string bytes = Member("one ") + Member("two");
  EXPECT_EQ(*Gunzip(bytes, 7), "one two");
  std::string partial = "from before";
  EXPECT_EQ(Gunzip(bytes, 6, &partial).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(partial, "one tw");
}

// 64 MiB of zeros come as 64 KiB: the bomb is stopped at the limit, in its memory too.
TEST(GunzipTest, BombStopsAtTheLimit) {
  const std::string bomb = Member(std::string(64 << 20, '\0'));
  std::string partial;
  EXPECT_EQ(Gunzip(bomb, kPlenty, &partial).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(partial.size(), kPlenty);
  EXPECT_LE(partial.capacity(), 2 * kPlenty + 1);
}

// Members that hold nothing must not keep us busy for more than their bytes.
TEST(GunzipTest, ManyEmptyMembersAreLinear) {
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) bytes += Member("").substr(0, 20);
  EXPECT_EQ(*Gunzip(bytes, 0), "");
}

}  // namespace
}  // namespace opic::archive
