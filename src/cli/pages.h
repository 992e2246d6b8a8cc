// The manual pages and the completions of the three programs, as files: what opic-pages writes when
// opic is built, and what is installed.
//
// Thread safety: pure, but for the files.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace opic::cli {

struct PageFile {
  std::string path;  // as below /usr/share: "man/man1/opic.1"
  std::string text;
};
std::vector<PageFile> AllPages();

// Writes them below `folder`, which is made. Unknown names the file that cannot be written.
absl::Status WritePages(const std::string& folder);

// The program opic-pages: `opic-pages FOLDER`.
int PagesMain(int argc, char** argv);

}  // namespace opic::cli
