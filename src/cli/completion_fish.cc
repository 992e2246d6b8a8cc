#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/completion.h"

namespace opic::cli {
namespace {

std::string FishQuoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}, {"\n", " "}}),
                      "'");
}

std::string LineOf(const HelpOption& option) {
  std::string line;
  for (const std::string& name : option.names)
    absl::StrAppend(&line,
                    name.substr(0, 2) == "--" ? " -l " + name.substr(2) : " -s " + name.substr(1));
  if (!option.choices.empty())
    absl::StrAppend(&line, " -x -a ", FishQuoted(absl::StrJoin(option.choices, " ")));
  else if (!option.value.empty())
    absl::StrAppend(&line, " -r");
  return absl::StrCat(line, " -d ", FishQuoted(option.description), "\n");
}

std::string LinesOf(const HelpCommand& command, const std::string& program,
                    const std::string& function) {
  const std::string begin =
      absl::StrCat("complete -c ", program, " -n '", function, " ", command.path, "'");
  std::string lines;
  for (const HelpCommand& below : command.commands)
    absl::StrAppend(&lines, begin, " -f -a ", LastWord(below), " -d ",
                    FishQuoted(below.description), "\n");
  for (const HelpOption& option : command.options) absl::StrAppend(&lines, begin, LineOf(option));
  return lines;
}

constexpr char kScriptForFish[] =
    R"(# fish completion of @PROGRAM@, made from its help.
function @FUNCTION@ --description 'whether the line has come to this command'
    set -l at @PROGRAM@
    for word in (commandline -opc)
        switch "$at $word"
@PATHS@        end
    end
    test "$at" = "$argv"
end
@COMMANDS@)";

}  // namespace

std::string FishCompletion(const HelpCommand& program) {
  const std::string function =
      absl::StrCat("__fish_", absl::StrReplaceAll(program.path, {{"-", "_"}}), "_at");
  std::string paths, commands;
  for (const HelpCommand* command : WithCommands(program)) {
    if (command != &program)
      absl::StrAppend(&paths, "            case '", command->path,
                      "'\n                set at \"$at $word\"\n");
    absl::StrAppend(&commands, LinesOf(*command, program.path, function));
  }
  return absl::StrReplaceAll(kScriptForFish, {{"@PROGRAM@", program.path},
                                              {"@FUNCTION@", function},
                                              {"@PATHS@", paths},
                                              {"@COMMANDS@", commands}});
}

}  // namespace opic::cli
