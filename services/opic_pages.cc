#include "cli/pages.h"

int main(int argc, char** argv) { return opic::cli::PagesMain(argc, argv); }
