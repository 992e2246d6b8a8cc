// opic-modules: rpc cluster ledger schedule cash base
// The input as a message of a peer, as it is taken from whoever has opened a stream: its fields are
// counted first, and what is read means the same when it is written and read again.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "opic/v1/peer.pb.h"
#include "rpc/frugal_message.h"
#include "rpc/limits.h"
#include "rpc/peer_wire.h"

namespace opic::rpc {
namespace {

constexpr size_t kFieldsMax = 1000;

void Check(std::string_view bytes) {
  v1::PeerMessage wire;
  if (!ParseNestedFrugally(bytes, kHelloBytesMax, kFieldsMax, &wire).ok()) return;
  OPIC_CHECK(static_cast<size_t>(wire.hello().placements_size()) <= 16 * kFieldsMax);
  OPIC_CHECK(static_cast<size_t>(wire.lease_message().requests_size()) <= 16 * kFieldsMax);
  std::optional<cluster::Message> message = FromWire(std::move(wire));
  if (!message) return;
  const size_t kind = message->index();
  v1::PeerMessage again;
  ToWire(*message, &again);
  const std::string once = again.SerializeAsString();
  std::optional<cluster::Message> read = FromWire(std::move(again));
  OPIC_CHECK(read && read->index() == kind);
  v1::PeerMessage twice;
  ToWire(*std::move(read), &twice);
  OPIC_CHECK(twice.SerializeAsString() == once);
}

}  // namespace
}  // namespace opic::rpc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  opic::rpc::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
