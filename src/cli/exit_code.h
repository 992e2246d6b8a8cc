// The exit codes of all commands (README, docs/operations.md).
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "desk/store_failure.h"
#include "process/signals.h"

namespace opic::cli {

enum ExitCode {
  kOk = 0,
  kFailed = 1,                    // anything that has no code of its own; `audit`: the sums differ
  kUsage = 2,                     // a wrong flag, key, variable or value; a file not permitted
  kFolderRefused = 3,             // a data folder in use, of another cluster, version or charter
  kDamaged = desk::kExitDamaged,  // 4: a damaged data folder; refused as it is, or read at run time
  kNotFound = 5,                  // no such data folder or file
  kUnreachable = 6,     // a node or scheduler does not answer, or has too many questions to answer;
                        // or an address cannot be listened on
  kPartial = 7,         // an answer without the part of a node of the cluster, which is named
  kNothingFetched = 8,  // a crawl has ended and could read no page; why is said
  kAttention = 9,       // it runs and answers, but somebody must see to it: NeedsAttention
  kStoreFailed = desk::kExitStoreFailed,  // 74: full disk or I/O error; nothing is lost
  kInterrupted = process::
      kExitInterrupted,  // Ctrl-C; what was crawled is saved, or recovered at the next start
};

struct ExitMeaning {
  int code;
  const char* meaning;
};
// What --help and the manual pages say of them; `service`: those of opic-node and opic-scheduler.
std::vector<ExitMeaning> ExitMeanings(bool service);

// The name that messages begin with; "opic" until it is set.
void SetProgramName(const std::string& name);
// Says on standard error what is wrong with the command line; kUsage.
int PrintUsage(const std::string& what);
// Says on standard error what went wrong, and where a setting was given; gives the code for it.
int PrintError(const absl::Status& status);

// The same for a service that could not start. With `hold`, and when starting again would not help
// (3, 4 and 5), it waits to be stopped first: for what restarts a process whatever its exit code.
int Refused(const absl::Status& status, bool hold);

}  // namespace opic::cli
