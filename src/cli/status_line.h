// One line on a terminal that is written anew while something goes on. Elsewhere a line now and
// then on standard error, so that what takes minutes does not seem to hang.
//
// Thread safety: confined to one thread.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "base/clock.h"

namespace opic::cli {

class StatusLine {
 public:
  static constexpr absl::Duration kPeriod = absl::Seconds(10);  // of the lines elsewhere

  // `clock` must outlive it.
  explicit StatusLine(base::Clock& clock = base::RealClock::Get());
  ~StatusLine();  // clears it
  void Show(const std::string& what);
  void Clear();  // before something else is written

 private:
  const bool terminal_;
  base::Clock& clock_;
  absl::Time last_;  // when a line was written, or it all began
};

}  // namespace opic::cli
