// The terminal that standard error may be, and one line of it that is drawn again and again.
//
// Thread safety: confined to one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opic::cli {

// Of those that cannot redraw a line (TERM=dumb) not.
bool ErrorIsTerminal();
// Columns of that terminal, now; 80 when it does not tell.
int TerminalColumns();

// `parts` joined by ", ", as many as fit into `columns`, from the first on; the first one is cut
// when it is too long alone. Columns are counted by code points.
std::string Fit(const std::vector<std::string>& parts, int columns);

// Draws the line over the one before, without an end.
void Redraw(std::string_view line);
// Takes it away again.
void ClearLine();

}  // namespace opic::cli
