#include "cli/status_line.h"

#include "cli/terminal.h"

namespace opic::cli {

StatusLine::StatusLine() : terminal_(ErrorIsTerminal()) {}

StatusLine::~StatusLine() {
  if (terminal_) ClearLine();
}

void StatusLine::Show(const std::string& what) {
  if (terminal_) Redraw(Fit({what}, TerminalColumns()));
}

}  // namespace opic::cli
