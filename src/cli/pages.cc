#include "cli/pages.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "cli/completion.h"
#include "cli/exit_code.h"
#include "cli/manual_page.h"
#include "cli/program.h"

namespace opic::cli {
namespace {

constexpr int kSectionOfCommands = 1, kSectionOfServices = 8;

std::string PageOf(const Program& program) {
  return absl::StrCat(program.app->get_name(), "(",
                      program.service ? kSectionOfServices : kSectionOfCommands, ")");
}

void AddPagesOf(const Program& program, const std::vector<std::string>& others,
                std::vector<PageFile>& files) {
  const std::string name = program.app->get_name();
  HelpCommand help = HelpOf(*program.app, name);
  const int section = program.service ? kSectionOfServices : kSectionOfCommands;
  for (ManualPage& page : ManualPages(help, section, ExitMeanings(program.service), others))
    files.push_back({"man/" + page.file, std::move(page.text)});
  files.push_back({"bash-completion/completions/" + name, BashCompletion(help)});
  files.push_back({"zsh/vendor-completions/_" + name, ZshCompletion(help)});
  files.push_back({"fish/vendor_completions.d/" + name + ".fish", FishCompletion(help)});
}

}  // namespace

std::vector<PageFile> AllPages() {
  const std::vector<Program> programs = {OpicProgram(""), NodeProgram(""), SchedulerProgram("")};
  std::vector<PageFile> files;
  for (const Program& program : programs) {
    std::vector<std::string> others;
    for (const Program& other : programs) {
      if (&other != &program) others.push_back(PageOf(other));
    }
    AddPagesOf(program, others, files);
  }
  return files;
}

absl::Status WritePages(const std::string& folder) {
  for (const PageFile& page : AllPages()) {
    const std::filesystem::path path = std::filesystem::path(folder) / page.path;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << page.text;
    file.close();
    if (!file) return absl::UnknownError("cannot write " + path.string());
  }
  return absl::OkStatus();
}

int PagesMain(int argc, char** argv) {
  SetProgramName("opic-pages");
  if (argc != 2 || argv[1][0] == '-' || argv[1][0] == '\0')
    return PrintUsage("give the folder to write manual pages and completions to, and nothing else");
  const absl::Status written = WritePages(argv[1]);
  return written.ok() ? kOk : PrintError(written);
}

}  // namespace opic::cli
