#include "cli/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace opic::cli {
namespace {

constexpr int kColumnsUnknown = 80;

bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

int ColumnsOf(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), BeginsCharacter));
}

std::string Cut(std::string_view text, int columns) {
  std::string out;
  for (const char byte : text) {
    if (BeginsCharacter(byte) && columns-- <= 0) break;
    out.push_back(byte);
  }
  return out;
}

}  // namespace

bool ErrorIsTerminal() {
  const char* kind = std::getenv("TERM");
  const bool dumb = kind != nullptr && std::string_view(kind) == "dumb";
  return !dumb && isatty(STDERR_FILENO) != 0;
}

int TerminalColumns() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kColumnsUnknown;
  return size.ws_col;
}

std::string Fit(const std::vector<std::string>& parts, int columns) {
  std::string line;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (line.empty()) {
      line = Cut(part, columns);
    } else if (ColumnsOf(line) + 2 + ColumnsOf(part) <= columns) {
      line += ", " + part;
    } else {
      break;
    }
  }
  return line;
}

void Redraw(std::string_view line) {
  // The terminal may be gone, which is no reason to end: errors are left.
  const std::string drawn = "\r\033[K" + std::string(line);
  std::fwrite(drawn.data(), 1, drawn.size(), stderr);
  std::fflush(stderr);
}

void ClearLine() { Redraw(""); }

}  // namespace opic::cli
