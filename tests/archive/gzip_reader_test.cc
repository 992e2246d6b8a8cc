#include "archive/gzip_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>

namespace opic::archive {
namespace {

std::string Gzip(const std::string& text) {
  const std::string path = testing::TempDir() + "/packed-" + std::to_string(getpid()) + ".gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string FileOf(const std::string& bytes) {
  const std::string path = testing::TempDir() + "/gzip_reader_input-" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// In pieces of 7 bytes.
absl::StatusOr<std::string> ReadAll(const std::string& path) {
  absl::StatusOr<GzipReader> reader = GzipReader::Open(path);
  if (!reader.ok()) return reader.status();
  std::string text;
  char piece[7];
  while (true) {
    const absl::StatusOr<size_t> got = reader->Read(absl::MakeSpan(piece));
    if (!got.ok()) return got.status();
    if (*got == 0) return text;
    text.append(piece, *got);
  }
}

TEST(GzipReader, UnpacksGzip) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(ReadAll(FileOf(Gzip(text))).value(), text);
}

TEST(GzipReader, ReadsPlainFilesAsTheyAre) {
  EXPECT_EQ(ReadAll(FileOf("0 1\n1 2\n")).value(), "0 1\n1 2\n");
  EXPECT_EQ(ReadAll(FileOf("")).value(), "");
}

TEST(GzipReader, ReadsMembersOneAfterTheOther) {
  EXPECT_EQ(ReadAll(FileOf(Gzip("ab") + Gzip("cd"))).value(), "abcd");
}

TEST(GzipReader, SaysThatAFileIsTruncatedOrDamaged) {
  const std::string whole = Gzip("a line of text, another line of text");
  for (size_t size = 12; size < whole.size(); ++size) {
    EXPECT_EQ(ReadAll(FileOf(whole.substr(0, size))).status().code(), absl::StatusCode::kDataLoss);
  }
  std::string damaged = whole;
  damaged[whole.size() - 6] ^= 1;  // of the checksum
  EXPECT_EQ(ReadAll(FileOf(damaged)).status().code(), absl::StatusCode::kDataLoss);
}

TEST(GzipReader, SaysThatThereIsNoFile) {
  EXPECT_EQ(ReadAll("/nonexistent/absent").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace opic::archive
