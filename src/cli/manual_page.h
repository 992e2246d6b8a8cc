// Manual pages, in the language of man(7), made from the help of a program.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/program_help.h"

namespace opic::cli {

struct ManualPage {
  std::string file;  // "man1/opic-crawl.1", below a folder of manual pages
  std::string text;
};

// Of a program (section 1; 8 for a service): its own page, and one for each of its commands. The
// commands of a command stand in its page. `codes` are the program's exit codes, `others` the
// pages to look at besides, such as "opic-node(8)".
std::vector<ManualPage> ManualPages(const HelpCommand& program, int section,
                                    const std::vector<ExitMeaning>& codes,
                                    const std::vector<std::string>& others);

// Text as it stands in a page: nothing in it is a command of the formatter.
std::string Roff(const std::string& text);

}  // namespace opic::cli
