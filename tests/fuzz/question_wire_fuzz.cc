// opic-modules: rpc node cluster ledger schedule scheduler cash base
// The input as everything else that comes over the wire: between node and scheduler, a part of an
// audit, shards, status, and what a node's peers and clients answer.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "opic/v1/audit.pb.h"
#include "opic/v1/control.pb.h"
#include "opic/v1/importance.pb.h"
#include "opic/v1/scheduler.pb.h"
#include "rpc/answer_wire.h"
#include "rpc/audit_wire.h"
#include "rpc/schedule_wire.h"
#include "rpc/shards_wire.h"
#include "rpc/sites_wire.h"
#include "rpc/status_wire.h"
#include "rpc/top_wire.h"

namespace opic::rpc {
namespace {

template <typename Wire>
void CheckSession(const std::string& bytes) {
  Wire wire;
  if (!wire.ParseFromString(bytes)) return;
  const auto message = FromWire(wire);
  if (!message) return;
  Wire once, twice;
  ToWire(*message, &once);
  const auto read = FromWire(once);
  OPIC_CHECK(read.has_value());
  ToWire(*read, &twice);
  OPIC_CHECK(twice.SerializeAsString() == once.SerializeAsString());
}

template <typename Wire>
void CheckStatusOr(const std::string& bytes) {
  Wire wire;
  if (!wire.ParseFromString(bytes)) return;
  const auto read = FromWire(wire);
  if (!read.ok()) return;
  Wire again;
  ToWire(*read, &again);
  OPIC_CHECK(FromWire(again).ok());
}

template <typename Wire>
void CheckAnswer(const std::string& bytes) {
  Wire wire;
  if (!wire.ParseFromString(bytes)) return;
  Wire again;
  ToWire(FromWire(wire), &again);
}

// What a peer ranks is told in parts, of which each holds a page or is the end.
void CheckTop(const std::string& bytes) {
  v1::TopResponse wire, part;
  if (!wire.ParseFromString(bytes)) return;
  const node::Answers::TopPages top = FromWire(wire);
  ToWire(top, TopPart{}, &part);
  OPIC_CHECK(part.pages_size() <= wire.pages_size());
}

// A checked filter goes to the next node as it is.
void CheckFilter(const std::string& bytes) {
  v1::PageFilter wire, again;
  if (!wire.ParseFromString(bytes)) return;
  const auto typed = FromWire(wire);
  if (!typed.ok()) return;
  const auto filter = node::Checked(*typed);
  if (!filter.ok()) return;
  ToWire(*filter, &again);
  const auto told = FromWire(again);
  OPIC_CHECK(told.ok() && told->host == filter->host && told->domain == filter->domain &&
             told->state == filter->state);
}

}  // namespace
}  // namespace opic::rpc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opic;
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 9) {
    case 0:
      rpc::CheckSession<v1::ToScheduler>(bytes);
      break;
    case 1:
      rpc::CheckSession<v1::ToNode>(bytes);
      break;
    case 2:
      rpc::CheckStatusOr<v1::CutResponse>(bytes);
      break;
    case 3:
      rpc::CheckStatusOr<v1::TakeResponse>(bytes);
      break;
    case 4:
      rpc::CheckStatusOr<v1::MoveShardsRequest>(bytes);
      break;
    case 5:
      rpc::CheckStatusOr<v1::ShardsResponse>(bytes);
      break;
    case 6:
      rpc::CheckAnswer<v1::GetStatusResponse>(bytes);
      break;
    case 7:
      rpc::CheckStatusOr<v1::DeclareLostResponse>(bytes);
      break;
    default:
      rpc::CheckTop(bytes);
      rpc::CheckFilter(bytes);
      rpc::CheckAnswer<v1::SitesResponse>(bytes);
  }
  return 0;
}
