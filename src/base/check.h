// OPIC_CHECK(condition) << "context": our own bug ends the process, in release builds too.
// Never for what the world or a stranger can cause: that is a Status, or a counted best effort.
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

}  // namespace opic::base

#define OPIC_CHECK(condition) \
  while (!(condition)) ::opic::base::CheckFailure(__FILE__, __LINE__, #condition).stream()
