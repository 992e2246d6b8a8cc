#include "cli/commands.h"

int main(int argc, char** argv) { return opic::cli::SchedulerMain(argc, argv); }
