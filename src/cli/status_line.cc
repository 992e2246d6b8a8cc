#include "cli/status_line.h"

#include <fmt/core.h>
#include <unistd.h>

namespace opic::cli {

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

StatusLine::~StatusLine() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

void StatusLine::Show(const std::string& what) {
  if (terminal_) fmt::print(stderr, "\r\033[K{}", what);
}

}  // namespace opic::cli
