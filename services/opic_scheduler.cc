#include "cli/commands.h"
#include "services/commit.h"

int main(int argc, char** argv) { return opic::cli::SchedulerMain(argc, argv, kCommit); }
