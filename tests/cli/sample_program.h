// A program with everything that a help can have, for the tests of what is made from it.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace opic::cli {

struct SampleProgram {
  SampleProgram() {
    app.add_flag("--quiet", quiet, "say nothing");
    CLI::App* rank = app.add_subcommand("rank", "rank pages; it's off-line. More of it");
    rank->add_option("file", file, "what to read")->required();
    rank->add_option("words", words, "what else");
    rank->add_option("-n,--count", count, "pages [at most]: all")->check(CLI::Range(1, 9));
    rank->add_option("--order", order, "which one")->check(CLI::IsMember({"jacobi", "chaotic"}));
    rank->add_option("--out", out, "file to write")->required();
    rank->add_flag("--hidden", hidden, "not for anybody")->group("");
    rank->footer(".not a macro\n'nor this");
    CLI::App* cluster = app.add_subcommand("cluster", "set up a cluster");
    CLI::App* init = cluster->add_subcommand("init", "make the file");
    init->add_option("--nodes", count, "number of nodes");
  }

  CLI::App app{"sample does what a test needs.", "sample"};
  bool quiet = false, hidden = false;
  int count = 0;
  std::string file, order, out;
  std::vector<std::string> words;
};

}  // namespace opic::cli
