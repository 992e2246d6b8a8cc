// opic bench: what a page costs here, beside other crawlers. The measuring is a script's, which is
// installed with opic (tests/bench/published in the sources); this gives it opic's own folder.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/exit_code.h"

namespace opic::cli {
namespace {

constexpr char kPython[] = "python3";
// From the folder of the program: of an installed one, and of a build.
constexpr const char* kScripts[] = {"../libexec/opic/published", "../../tests/bench/published"};

struct BenchFlags {
  bool brief = false, check = false, json = false;
  uint32_t rounds = 5, sample_pages = 0;  // of these 0: as the script has it
  std::string only, folder, html, out, memory_folder;
};

absl::StatusOr<std::string> FolderOfProgram() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return absl::NotFoundError("cannot tell where opic is: " + error.message());
  return program.parent_path().string();
}

absl::StatusOr<std::string> Script(const std::string& folder) {
  for (const char* below : kScripts) {
    const std::string script = absl::StrCat(folder, "/", below);
    if (std::filesystem::exists(script)) return script;
  }
  return absl::NotFoundError(absl::StrCat(
      "the script that measures is not installed: it should be ", folder, "/", kScripts[0]));
}

std::vector<std::string> Words(const BenchFlags& flags, const std::string& script,
                               const std::string& folder) {
  std::vector<std::string> words = {kPython, "-B", script, absl::StrCat("--rounds=", flags.rounds)};
  const auto add = [&words](const char* name, const std::string& value) {
    if (!value.empty()) words.push_back(absl::StrCat("--", name, "=", value));
  };
  add("folder", flags.folder.empty() ? folder : flags.folder);
  add("only", flags.only);
  add("html", flags.html);
  add("out", flags.out);
  add("memory-folder", flags.memory_folder);
  if (flags.sample_pages > 0) words.push_back(absl::StrCat("--sample-pages=", flags.sample_pages));
  if (flags.json) words.emplace_back("--json=-");
  if (flags.brief) words.emplace_back("--short");
  if (flags.check) words.emplace_back("--check");
  return words;
}

// Becomes the script, whose exit codes are opic's; comes back only where that cannot be.
int RunBench(const BenchFlags& flags) {
  const absl::StatusOr<std::string> folder = FolderOfProgram();
  if (!folder.ok()) return PrintError(folder.status());
  const absl::StatusOr<std::string> script = Script(*folder);
  if (!script.ok()) return PrintError(script.status());
  std::vector<std::string> words = Words(flags, *script, *folder);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(kPython, arguments.data());
  return PrintError(absl::NotFoundError(absl::StrCat("`opic bench` needs ", kPython, " 3.9")));
}

}  // namespace

Command AddBench(CLI::App& opic) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App* app = opic.add_subcommand(
      "bench",
      "measure what a page costs on this machine, beside other crawlers, and opic's parts by "
      "themselves");
  app->add_flag("--short", flags->brief, "smaller webs, and less of each part");
  app->add_option("--sample-pages", flags->sample_pages,
                  "pages of each web (default 20000; --short: 1500)")
      ->check(CLI::Range(100, 10'000'000));
  app->add_option("--rounds", flags->rounds, "turns of each; medians are shown (default 5)")
      ->check(CLI::Range(1, 1000));
  app->add_option("--only", flags->only,
                  "comma list of what is measured: opic, wget2, wget, httrack, scrapy, page-table, "
                  "ledger, channel, parser (default: all)");
  app->add_option("--folder", flags->folder,
                  "folder of the opic and the *_bench programs to measure (default: of this opic)");
  app->add_option("--html", flags->html,
                  "folder of HTML pages that the parser reads (default: it makes its own)");
  app->add_option("--out", flags->out, "folder for a chart of each web, in SVG");
  app->add_option("--memory-folder", flags->memory_folder,
                  "where the other crawlers save their pages (default /dev/shm)");
  app->add_flag("--check", flags->check,
                "fail (exit code 1) when a page costs opic more than twice what it should");
  app->add_flag("--json", flags->json, "print JSON, and the tables to standard error");
  app->footer(
      "Crawlers take turns over two webs that opic serves on this machine: one site, and many\n"
      "hosts. What is not installed or not built is left out, and named. The *_bench programs\n"
      "of the parts are not installed: they are built from the sources (target all_bench).\n"
      "Needs Python 3.9. Exit codes: 0 measured; 1 a measurement failed, or --check found opic\n"
      "slow; 2 a wrong flag; 5 Python or the script is not there; 130 interrupted.\n");
  return {app, [flags] { return RunBench(*flags); }};
}

}  // namespace opic::cli
