// opic-modules: rpc node cluster ledger refresh schedule scheduler cash base
// The input as what operators tell a node and what it answers them: rules for hosts, publications,
// crawl orders, settings of refresh, what is in force, exported pages, why hosts wait. And as a
// list whose fields are counted before it is decoded.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "absl/status/statusor.h"
#include "base/check.h"
#include "opic/v1/control.pb.h"
#include "opic/v1/export.pb.h"
#include "opic/v1/scheduler.pb.h"
#include "rpc/export_wire.h"
#include "rpc/frugal_message.h"
#include "rpc/host_rules_wire.h"
#include "rpc/in_force_wire.h"
#include "rpc/refresh_wire.h"
#include "rpc/restating_wire.h"
#include "rpc/waiting_wire.h"

namespace opic::rpc {
namespace {

constexpr size_t kFieldsMax = 100;

template <typename T>
const T* Read(const absl::StatusOr<T>& read) {
  return read.ok() ? &*read : nullptr;
}
template <typename T>
const T* Read(const std::optional<T>& read) {
  return read ? &*read : nullptr;
}
template <typename T>
const T* Read(const T& read) {
  return &read;
}

template <typename Wire, typename Message>
void Tell(const Message& message, Wire* wire) {
  if constexpr (std::is_same_v<Wire, v1::ExplainWaitingResponse>) {
    ToWire(message, absl::ZeroDuration(), wire);
  } else {
    ToWire(message, wire);
  }
}

// Maps have no order of their own.
std::string InOrder(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  OPIC_CHECK(message.SerializeToCodedStream(&out));
  out.Trim();
  return bytes;
}

// What is taken is told as it was taken.
template <typename Wire>
void Check(const std::string& bytes) {
  Wire wire;
  if (!wire.ParseFromString(bytes)) return;
  const auto read = FromWire(wire);
  const auto* message = Read(read);
  if (message == nullptr) return;
  Wire once, twice;
  Tell(*message, &once);
  const auto again = FromWire(once);
  OPIC_CHECK(Read(again) != nullptr);
  Tell(*Read(again), &twice);
  OPIC_CHECK(InOrder(twice) == InOrder(once));
}

}  // namespace
}  // namespace opic::rpc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opic;
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  OPIC_CHECK(rpc::CountFields(bytes, rpc::kFieldsMax) <= rpc::kFieldsMax + 1);
  switch (data[0] % 11) {
    case 0:
      rpc::Check<v1::KeptHostRule>(bytes);
      break;
    case 1:
      rpc::Check<v1::TuneHostsRequest>(bytes);
      break;
    case 2:
      rpc::Check<v1::InForceResponse>(bytes);
      break;
    case 3:
      rpc::Check<v1::BeginCrawlRequest>(bytes);
      break;
    case 4:
      rpc::Check<v1::TuneRefreshRequest>(bytes);
      break;
    case 5:
      rpc::Check<v1::Publication>(bytes);
      break;
    case 6:
      rpc::Check<v1::WhenDueResponse>(bytes);
      break;
    case 7:
      rpc::Check<v1::RefreshStatus>(bytes);
      break;
    case 8:
      rpc::Check<v1::ReadRequest>(bytes);
      break;
    case 9:
      rpc::Check<v1::ReadResponse>(bytes);
      break;
    default:
      rpc::Check<v1::ExplainWaitingResponse>(bytes);
  }
  return 0;
}
