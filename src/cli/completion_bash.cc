#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/completion.h"

namespace opic::cli {
namespace {

std::string WordsOfCommands(const HelpCommand& command) {
  std::vector<std::string> words;
  for (const HelpCommand& below : command.commands) words.push_back(LastWord(below));
  return absl::StrJoin(words, " ");
}

// Those with a value only, or all.
std::string WordsOfOptions(const HelpCommand& command, bool with_value) {
  std::vector<std::string> words;
  for (const HelpOption& option : command.options) {
    if (!with_value || !option.value.empty())
      words.insert(words.end(), option.names.begin(), option.names.end());
  }
  return absl::StrJoin(words, " ");
}

std::string CaseOfCommand(const HelpCommand& command) {
  return absl::StrCat("    '", command.path, "')\n      commands='", WordsOfCommands(command),
                      "'\n      options='", WordsOfOptions(command, /*with_value=*/false),
                      "'\n      valued='", WordsOfOptions(command, /*with_value=*/true),
                      "'\n      ;;\n");
}

std::string CasesOfChoices(const HelpCommand& command) {
  std::string cases;
  for (const HelpOption& option : command.options) {
    if (option.choices.empty()) continue;
    for (const std::string& name : option.names)
      absl::StrAppend(&cases, "    '", command.path, " ", name, "') choices='",
                      absl::StrJoin(option.choices, " "), "' ;;\n");
  }
  return cases;
}

constexpr char kScript[] =
    R"(# bash completion of @PROGRAM@, made from its help.
@FUNCTION@() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local at='@PROGRAM@' commands= options= valued= choices= n
  for ((n = 1; n < COMP_CWORD; ++n)); do
    case "$at ${COMP_WORDS[n]}" in
@PATHS@    esac
  done
  # "--option=value" is three words.
  [ "$current" != = ] || current=
  [ "$previous" != = ] || previous=${COMP_WORDS[COMP_CWORD - 2]}
  case "$at" in
@COMMANDS@  esac
  case "$at $previous" in
@CHOICES@    *) ;;
  esac
  COMPREPLY=()
  if [ -n "$choices" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current")
  elif [[ " $valued " == *" $previous "* ]]; then
    :  # a file, or anything
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
  fi
}
complete -o default -F @FUNCTION@ @PROGRAM@
)";

}  // namespace

std::string BashCompletion(const HelpCommand& program) {
  std::string paths, commands, choices;
  for (const HelpCommand* command : WithCommands(program)) {
    if (command != &program)
      absl::StrAppend(&paths, "      '", command->path, "') at+=\" ${COMP_WORDS[n]}\" ;;\n");
    absl::StrAppend(&commands, CaseOfCommand(*command));
    absl::StrAppend(&choices, CasesOfChoices(*command));
  }
  if (paths.empty()) paths = "      *) ;;\n";
  const std::string function = "_" + absl::StrReplaceAll(program.path, {{"-", "_"}});
  return absl::StrReplaceAll(kScript, {{"@PROGRAM@", program.path},
                                       {"@FUNCTION@", function},
                                       {"@PATHS@", paths},
                                       {"@COMMANDS@", commands},
                                       {"@CHOICES@", choices}});
}

}  // namespace opic::cli
