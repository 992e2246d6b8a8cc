#include "rpc/limits_wire.h"

#include "opic/v1/control.pb.h"

namespace opic::rpc {

void ToWire(const node::LimitChanges& changes, v1::SetLimitsRequest* wire) {
  if (changes.pages) wire->set_pages(*changes.pages);
  if (changes.in_flight) wire->set_in_flight(*changes.in_flight);
}

node::LimitChanges FromWire(const v1::SetLimitsRequest& wire) {
  node::LimitChanges changes;
  if (wire.has_pages()) changes.pages = wire.pages();
  if (wire.has_in_flight()) changes.in_flight = wire.in_flight();
  return changes;
}

}  // namespace opic::rpc
