// schedule/lease_letter.h on the wire and back. What comes from the wire is checked: nullopt for a
// letter that no peer of ours would send.
#pragma once

#include <optional>

#include "schedule/lease_letter.h"

namespace opic::v1 {
class LeaseLetter;
}  // namespace opic::v1

namespace opic::rpc {

void ToWire(schedule::LeaseLetter letter, v1::LeaseLetter* wire);
std::optional<schedule::LeaseLetter> FromWire(const v1::LeaseLetter& wire);

}  // namespace opic::rpc
