#include "cli/status_line.h"

#include <fmt/core.h>

#include "cli/terminal.h"

namespace opic::cli {

StatusLine::StatusLine(base::Clock& clock)
    : terminal_(ErrorIsTerminal()), clock_(clock), last_(clock.Steady()) {}

StatusLine::~StatusLine() { Clear(); }

void StatusLine::Clear() {
  if (terminal_) ClearLine();
}

void StatusLine::Show(const std::string& what) {
  if (terminal_) return Redraw(Fit({what}, TerminalColumns()));
  if (clock_.Steady() - last_ < kPeriod) return;
  last_ = clock_.Steady();
  fmt::print(stderr, "{}\n", what);
}

}  // namespace opic::cli
