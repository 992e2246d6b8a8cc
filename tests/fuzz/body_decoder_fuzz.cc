// opic-modules: fetch base
// The first byte chooses the coding and how the rest, a stranger's packed body, is cut in pieces.
// However it is cut, the same comes out, at most so much at a time, and it may end at the same
// place.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "fetch/content_coding.h"

namespace opic::fetch {
namespace {

constexpr const char* kCodings[] = {"gzip", "deflate", "br", "zstd"};
constexpr size_t kOutMax = 1 << 20;

struct Decoded {
  std::string out;
  bool ok = true, may_end = false;
};

Decoded Decode(const char* coding, std::string_view bytes, size_t piece) {
  Decoded decoded;
  const std::unique_ptr<BodyDecoder> decoder = MakeBodyDecoder(coding);
  OPIC_CHECK(decoder != nullptr && decoder->may_end());
  const auto take = [&](std::string_view more) {
    OPIC_CHECK(!more.empty() && more.size() <= BodyDecoder::kOutBytes);
    decoded.out += more;
    return decoded.out.size() < kOutMax;
  };
  while (decoded.ok && !bytes.empty()) {
    const size_t size = std::min(piece, bytes.size());
    // A buffer of the exact size, so that a read beyond it is seen.
    const std::unique_ptr<char[]> exact(new char[size]);
    std::copy_n(bytes.data(), size, exact.get());
    decoded.ok = decoder->Write({exact.get(), size}, take);
    bytes.remove_prefix(size);
  }
  decoded.may_end = decoded.ok && decoder->may_end();
  OPIC_CHECK(decoded.out.size() < kOutMax + BodyDecoder::kOutBytes);
  return decoded;
}

}  // namespace
}  // namespace opic::fetch

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using opic::fetch::Decoded;
  if (size == 0) return 0;
  const char* coding = opic::fetch::kCodings[data[0] % 4];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Decoded whole = opic::fetch::Decode(coding, bytes, bytes.size());
  const Decoded pieces = opic::fetch::Decode(coding, bytes, 1 + data[0] / 4 % 16);
  // What is damaged may give more of what came before it in one way than in the other.
  OPIC_CHECK(whole.ok == pieces.ok && whole.may_end == pieces.may_end) << coding;
  OPIC_CHECK(!whole.ok || whole.out == pieces.out) << coding;
  return 0;
}
