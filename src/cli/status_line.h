// One line on a terminal that is written anew while something goes on; nothing elsewhere.
//
// Thread safety: confined to one thread.
#pragma once

#include <string>

namespace opic::cli {

class StatusLine {
 public:
  StatusLine();
  ~StatusLine();  // clears it
  void Show(const std::string& what);

 private:
  const bool terminal_;
};

}  // namespace opic::cli
