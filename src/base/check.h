// OPIC_CHECK(condition) << "context": our own bug ends the process, in release builds too.
// Never for what the world or a stranger can cause: that is a Status, or a counted best effort.
//
// Thread safety: any thread may check.
#pragma once

#include <sstream>

namespace opic::base {

// Collects the message of a failed check; its destructor prints it and aborts.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  [[noreturn]] ~CheckFailure();
  std::ostream& stream() { return message_; }

 private:
  std::ostringstream message_;
};

// Makes both branches of OPIC_CHECK void.
struct CheckPassed {
  void operator&(const std::ostream&) const {}
};

}  // namespace opic::base

// `&` binds less than `<<` and more than `?:`, so that the whole message belongs to the failure.
#define OPIC_CHECK(condition)                 \
  (condition) ? static_cast<void>(0)          \
              : ::opic::base::CheckPassed() & \
                    ::opic::base::CheckFailure(__FILE_NAME__, __LINE__, #condition).stream()
