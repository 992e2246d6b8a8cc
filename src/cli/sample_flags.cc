#include "cli/sample_flags.h"

#include <CLI/CLI.hpp>

namespace opic::cli {

void SampleFlags::AddTo(CLI::App& app) {
  app.add_option("--sample-pages", web.pages, "pages of the sample web (default 5000)");
  app.add_option("--sample-hosts", web.hosts, "hosts of the sample web (default 100)");
  app.add_option("--sample-seed", web.seed,
                 "seed of the random generator; another one makes another web (default 1)");
}

}  // namespace opic::cli
