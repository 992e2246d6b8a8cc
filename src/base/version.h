// The release: what CMakeLists.txt says, MAJOR.MINOR.
#pragma once

#include <string>

namespace opic::base {

const char* Version();

// With the commit that a program was built from: "0.1, commit 8e97e64ef965". Empty: not known.
std::string ReleaseOf(const std::string& commit);
// Of this program.
std::string Release();
// To be called once, before there are other threads.
void SetCommit(const std::string& commit);

}  // namespace opic::base
