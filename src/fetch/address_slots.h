// How many requests are under way to each IP address.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "base/check.h"

namespace opic::fetch {

class AddressSlots {
 public:
  // At most `per_address_max` slots of one address are taken at a time.
  explicit AddressSlots(int per_address_max) : per_address_max_(per_address_max) {}

  // False: all slots of `address` are taken.
  bool Take(const std::string& address) {
    int& taken = taken_[address];
    if (taken >= per_address_max_) return false;
    ++taken;
    return true;
  }

  // REQUIRES: a slot of `address` was taken and not yet given back.
  void GiveBack(const std::string& address) {
    auto slot = taken_.find(address);
    OPIC_CHECK(slot != taken_.end() && slot->second > 0) << address;
    if (--slot->second == 0) taken_.erase(slot);
  }

 private:
  const int per_address_max_;
  absl::flat_hash_map<std::string, int> taken_;  // no zeroes: memory follows the load
};

}  // namespace opic::fetch
