#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/completion.h"

namespace opic::cli {
namespace {

// Within single quotes.
std::string InQuotes(const std::string& text) {
  return absl::StrReplaceAll(text, {{"'", "'\\''"}, {"\n", " "}});
}

// The explanation of an option, which stands in brackets.
std::string Explanation(const std::string& text) {
  return InQuotes(absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"[", "\\["}, {"]", "\\]"}}));
}

// As _arguments takes them; `*` says that an option may come again.
std::string SpecsOf(const HelpOption& option) {
  const std::string values =
      option.choices.empty() ? "_files" : "(" + absl::StrJoin(option.choices, " ") + ")";
  std::string specs;
  for (const std::string& name : option.names) {
    // "--name=" takes its value after the sign or as the next word, "-n" as the next word.
    const std::string sign = option.value.empty() || name.substr(0, 2) != "--" ? "" : "=";
    absl::StrAppend(&specs, " \\\n        '*", name, sign, "[", Explanation(option.description),
                    "]", option.value.empty() ? "" : absl::StrCat(":", option.value, ":", values),
                    "'");
  }
  return specs;
}

std::string CaseOfCommandForZsh(const HelpCommand& command) {
  std::string text = absl::StrCat("    ('", command.path, "')\n");
  if (!command.commands.empty()) {
    absl::StrAppend(&text, "      commands=(");
    for (const HelpCommand& below : command.commands)
      absl::StrAppend(&text, "\n        '", LastWord(below), ":", InQuotes(below.description), "'");
    absl::StrAppend(&text, "\n      )\n");
  }
  absl::StrAppend(&text, "      _arguments");
  for (const HelpOption& option : command.options) absl::StrAppend(&text, SpecsOf(option));
  return absl::StrCat(text, " \\\n        ",
                      command.commands.empty() ? "'*: :_files'" : "'*: :->command'",
                      "\n      ;;\n");
}

constexpr char kScriptForZsh[] =
    R"(#compdef @PROGRAM@
# zsh completion of @PROGRAM@, made from its help.
@FUNCTION@() {
  local at='@PROGRAM@' word context state state_descr line
  local -a commands
  local -A opt_args
  for word in "${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
@PATHS@    esac
  done
  case "$at" in
@COMMANDS@  esac
  [[ $state != command ]] || _describe command commands
}
@FUNCTION@ "$@"
)";

}  // namespace

std::string ZshCompletion(const HelpCommand& program) {
  std::string paths, commands;
  for (const HelpCommand* command : WithCommands(program)) {
    if (command != &program)
      absl::StrAppend(&paths, "      ('", command->path, "') at+=\" $word\" ;;\n");
    absl::StrAppend(&commands, CaseOfCommandForZsh(*command));
  }
  if (paths.empty()) paths = "      (*) ;;\n";
  const std::string function = "_" + program.path;
  return absl::StrReplaceAll(kScriptForZsh, {{"@PROGRAM@", program.path},
                                             {"@FUNCTION@", function},
                                             {"@PATHS@", paths},
                                             {"@COMMANDS@", commands}});
}

}  // namespace opic::cli
