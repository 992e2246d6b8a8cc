// What the help of a program says, as data: its commands with their arguments and options, read off
// the application that parses them. Manual pages and completions are made from it.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace opic::cli {

struct HelpArgument {
  std::string name, description;
  bool required = false;
  bool repeated = false;
};

struct HelpOption {
  std::vector<std::string> names;    // with their dashes: "-n", "--count"; at least one
  std::string value;                 // the kind of its value, such as NUMBER; empty: a switch
  std::string limits;                // of a number, such as "1 - 1000"; empty: not told
  std::vector<std::string> choices;  // the only values; empty: others
  std::string description;
  bool required = false;
};

struct HelpCommand {
  std::string path;  // as it is typed: "opic cluster init"
  std::string description, footer;
  std::vector<HelpArgument> arguments;
  std::vector<HelpOption> options;
  std::vector<HelpCommand> commands;
};

// Of a program, or of a command with its commands. What --help leaves out is left out.
HelpCommand HelpOf(const CLI::App& app, const std::string& path);

// `command` and all commands below it, each before its own commands.
std::vector<const HelpCommand*> WithCommands(const HelpCommand& command);
// The last word of its path.
std::string LastWord(const HelpCommand& command);
// Its first sentence: what it is, without its name and without the full stop.
std::string Summary(const HelpCommand& command);

}  // namespace opic::cli
