// opic-modules: store base
// The input as the mark beside a store, and as one whose records have the checksums they should
// have. What is read is the greatest sequence of the records that can be read.
#include <rocksdb/env.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/encoding.h"
#include "store/write_mark.h"

namespace opic::store {
namespace {

constexpr char kPath[] = "/mark";

void Check(std::string_view bytes, rocksdb::Env& env) {
  OPIC_CHECK(
      rocksdb::WriteStringToFile(&env, rocksdb::Slice(bytes.data(), bytes.size()), kPath).ok());
  const auto reading = WriteMark::Read(kPath, env);
  if (!reading.ok()) return;
  OPIC_CHECK(reading->has_value() && bytes.size() >= 24);
  auto mark = WriteMark::Begin(kPath, env, **reading);
  OPIC_CHECK(mark.ok());
  (*mark)->Close((*reading)->sequence);
  const auto again = WriteMark::Read(kPath, env);
  OPIC_CHECK(again.ok() && (*again)->store_id == (*reading)->store_id);
  OPIC_CHECK((*again)->sequence == (*reading)->sequence);
}

// Each 16 bytes with their checksum.
std::string Summed(std::string_view bytes) {
  std::string out;
  for (; bytes.size() >= 16; bytes.remove_prefix(16)) {
    out += bytes.substr(0, 16);
    base::AppendFixed64(out, base::Hash64(bytes.substr(0, 16)));
  }
  return out;
}

}  // namespace
}  // namespace opic::store

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opic::store;
  static const std::unique_ptr<rocksdb::Env> files(rocksdb::NewMemEnv(rocksdb::Env::Default()));
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  Check(input, *files);
  Check(Summed(input), *files);
  return 0;
}
