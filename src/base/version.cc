#include "base/version.h"

namespace opic::base {
namespace {

std::string& Commit() {
  static std::string commit;
  return commit;
}

}  // namespace

const char* Version() { return OPIC_VERSION; }

std::string ReleaseOf(const std::string& commit) {
  return std::string(Version()) + ", commit " + (commit.empty() ? "unknown" : commit);
}

std::string Release() { return ReleaseOf(Commit()); }

void SetCommit(const std::string& commit) { Commit() = commit; }

}  // namespace opic::base
