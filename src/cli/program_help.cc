#include "cli/program_help.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace opic::cli {
namespace {

bool IsRepeated(const CLI::Option& option) {
  return option.get_expected_max() == CLI::detail::expected_max_vector_size;
}

// CLI11 tells the type and what is checked in one text: "TEXT:{jacobi,chaotic}",
// "INT:INT in [1 - 1000]".
void ReadType(const std::string& type, HelpOption& option) {
  const std::vector<std::string> parts = absl::StrSplit(type, absl::MaxSplits(':', 1));
  const bool number = parts[0] == "INT" || parts[0] == "UINT" || parts[0] == "FLOAT";
  option.value = number ? "NUMBER" : "VALUE";
  if (parts.size() < 2) return;
  const std::string& check = parts[1];
  const size_t begin = check.find_first_of("{[");
  const size_t end = check.find_last_of("}]");
  if (begin == check.npos || end == check.npos || end < begin) return;
  const std::string within = check.substr(begin + 1, end - begin - 1);
  if (check[begin] == '{')
    option.choices = absl::StrSplit(within, ',', absl::SkipEmpty());
  else
    option.limits = within;
}

HelpOption OptionOf(const CLI::Option& option) {
  HelpOption help;
  for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) help.names.push_back("--" + name);
  if (option.get_expected_min() > 0) ReadType(option.get_type_name(), help);
  help.description = option.get_description();
  help.required = option.get_required();
  return help;
}

void Collect(const HelpCommand& command, std::vector<const HelpCommand*>& all) {
  all.push_back(&command);
  for (const HelpCommand& below : command.commands) Collect(below, all);
}

}  // namespace

HelpCommand HelpOf(const CLI::App& app, const std::string& path) {
  HelpCommand help;
  help.path = path;
  help.description = app.get_description();
  help.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // not in --help
    if (option->get_lnames().empty() && option->get_snames().empty()) {
      help.arguments.push_back({option->get_name(true), option->get_description(),
                                option->get_required(), IsRepeated(*option)});
    } else {
      help.options.push_back(OptionOf(*option));
    }
  }
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); }))
    help.commands.push_back(HelpOf(*command, absl::StrCat(path, " ", command->get_name())));
  return help;
}

std::vector<const HelpCommand*> WithCommands(const HelpCommand& command) {
  std::vector<const HelpCommand*> all;
  Collect(command, all);
  return all;
}

std::string LastWord(const HelpCommand& command) {
  const size_t space = command.path.rfind(' ');
  return space == std::string::npos ? command.path : command.path.substr(space + 1);
}

std::string Summary(const HelpCommand& command) {
  std::string text = command.description.substr(0, command.description.find('\n'));
  text = text.substr(0, text.find(". "));
  absl::string_view rest = absl::StripSuffix(text, ".");
  // Only a program speaks of itself: "rank off-line" of `opic rank` says what it does.
  const std::string& name = command.path;
  if (!absl::ConsumePrefix(&rest, name + ": ")) absl::ConsumePrefix(&rest, name + " ");
  return std::string(rest);
}

}  // namespace opic::cli
