// Whether the dates that a group of pages tells (Last-Modified) have proved true: a date counts for
// them when it lay between two readings that showed a change, and against them when it could not
// be.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>

#include "refresh/change_history.h"

namespace opic::refresh {

class DateTrust {
 public:
  // To be called for a reading that showed a change since the one before, and had a date.
  void Count(DateUse use);
  // Enough have proved true, and few have not. Nothing seen yet: not so.
  bool proved() const { return true_ >= kEnough && true_ > kFew * false_; }

 private:
  static constexpr double kEnough = 1.5, kFew = 4;  // two, of which one has faded a little
  // Old ones fade, so that a server may mend its ways.
  static constexpr double kRemembered = 256;
  double true_ = 0, false_ = 0;
};

}  // namespace opic::refresh
