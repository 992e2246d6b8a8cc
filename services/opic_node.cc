#include "cli/commands.h"

int main(int argc, char** argv) { return opic::cli::NodeMain(argc, argv); }
