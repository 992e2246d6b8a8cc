// Where the value of each setting of this process came from, for error messages and --print-config.
//
// Thread safety: Remember... from one thread, before the others; the rest from any.
#pragma once

#include <map>
#include <string>

namespace opic::cli {

// By long name without dashes ("in-flight"): "crawl.conf:3", "the variable OPIC_IN_FLIGHT". What
// was a flag is not in it.
using SettingSources = std::map<std::string, std::string>;

void RememberSources(SettingSources sources);
// Empty: a flag, or nobody gave it.
std::string SourceOf(const std::string& name);
// Of a setting that is `given`: it was a flag.
bool WasFlag(const std::string& name, bool given);

// A message that begins with a flag which nobody typed, with the place where it is set: "--pages:
// ..." becomes "crawl.conf:3: --pages: ...".
std::string WithSource(const std::string& message);

}  // namespace opic::cli
