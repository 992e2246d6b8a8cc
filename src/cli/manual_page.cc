#include "cli/manual_page.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/version.h"
#include "cli/program.h"

namespace opic::cli {
namespace {

std::string Bold(const std::string& text) { return absl::StrCat("\\fB", Roff(text), "\\fR"); }
std::string Italic(const std::string& text) { return absl::StrCat("\\fI", Roff(text), "\\fR"); }

// "opic-crawl", "opic-cluster-init".
std::string PageName(const HelpCommand& command) {
  return absl::StrReplaceAll(command.path, {{" ", "-"}});
}

std::string Words(const HelpArgument& argument) {
  const std::string word = absl::StrCat(Italic(argument.name), argument.repeated ? "\\&..." : "");
  return argument.required ? word : absl::StrCat("[", word, "]");
}

std::string Synopsis(const HelpCommand& command) {
  std::string line = Bold(command.path);
  for (const HelpOption& option : command.options) {
    if (option.required)
      absl::StrAppend(&line, " ", Bold(option.names.back()), " ", Italic(option.value));
  }
  absl::StrAppend(&line, " [", Italic("option"), "]\\&...");
  for (const HelpArgument& argument : command.arguments)
    absl::StrAppend(&line, " ", Words(argument));
  return line + "\n";
}

std::string Entry(const HelpOption& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(Bold(name));
  std::string text = absl::StrCat(".TP\n", absl::StrJoin(names, ", "));
  if (!option.value.empty()) absl::StrAppend(&text, " ", Italic(option.value));
  absl::StrAppend(&text, "\n", Roff(option.description));
  if (!option.choices.empty())
    absl::StrAppend(&text, " (one of ", Roff(absl::StrJoin(option.choices, ", ")), ")");
  if (!option.limits.empty()) absl::StrAppend(&text, " (in ", Roff(option.limits), ")");
  if (option.required) absl::StrAppend(&text, " (required)");
  return text + "\n";
}

std::string Entry(const HelpArgument& argument) {
  return absl::StrCat(".TP\n", Italic(argument.name), "\n", Roff(argument.description), "\n");
}

// Arguments and options under `heading`, ".SH" of a page or nothing within a section.
std::string Entries(const HelpCommand& command, bool headings) {
  std::string text;
  if (headings && !command.arguments.empty()) absl::StrAppend(&text, ".SH ARGUMENTS\n");
  for (const HelpArgument& argument : command.arguments) absl::StrAppend(&text, Entry(argument));
  if (headings) absl::StrAppend(&text, ".SH OPTIONS\n");
  for (const HelpOption& option : command.options) absl::StrAppend(&text, Entry(option));
  return text;
}

// Lines that stay as they are.
std::string Verbatim(const std::string& text) {
  if (text.empty()) return "";
  return absl::StrCat(".PP\n.nf\n", Roff(std::string(absl::StripAsciiWhitespace(text))), "\n.fi\n");
}

std::string Head(const HelpCommand& command, int section) {
  const std::string name = PageName(command);
  return absl::StrCat(".\\\" Made from the help of the program.\n.TH \"",
                      Roff(absl::AsciiStrToUpper(name)), "\" \"", section, "\" \"\" \"opic ",
                      base::Version(), "\" \"opic\"\n.ad l\n.nh\n.SH NAME\n", Roff(name), " \\- ",
                      Roff(Summary(command)), "\n");
}

// A command with commands: each in a section of its own.
std::string Subcommands(const HelpCommand& command) {
  std::string text = ".SH COMMANDS\n";
  for (const HelpCommand& below : command.commands)
    absl::StrAppend(&text, ".SS \"", Roff(LastWord(below)), "\"\n", Synopsis(below), ".PP\n",
                    Roff(below.description), "\n", Entries(below, /*headings=*/false),
                    Verbatim(below.footer));
  return text;
}

std::string SeeAlso(const std::vector<std::string>& pages) {
  std::vector<std::string> words;
  for (const std::string& page : pages) {
    const size_t bracket = page.find('(');
    words.push_back(Bold(page.substr(0, bracket)) + Roff(page.substr(bracket)));
  }
  return absl::StrCat(".SH SEE ALSO\n", absl::StrJoin(words, ",\n"), "\n");
}

ManualPage CommandPage(const HelpCommand& command, int section) {
  std::string text = Head(command, section);
  absl::StrAppend(&text, ".SH SYNOPSIS\n", Synopsis(command), ".SH DESCRIPTION\n",
                  Roff(command.description), "\n", Verbatim(command.footer),
                  Entries(command, /*headings=*/true));
  if (!command.commands.empty()) absl::StrAppend(&text, Subcommands(command));
  absl::StrAppend(&text, ".SH EXIT STATUS\nAs of ", Bold("opic"), "(1).\n", SeeAlso({"opic(1)"}));
  return {absl::StrCat("man", section, "/", PageName(command), ".", section), std::move(text)};
}

ManualPage ProgramPage(const HelpCommand& program, int section,
                       const std::vector<ExitMeaning>& codes, std::vector<std::string> others) {
  std::string text = Head(program, section);
  absl::StrAppend(&text, ".SH SYNOPSIS\n");
  if (program.commands.empty()) {
    absl::StrAppend(&text, Synopsis(program));
  } else {
    absl::StrAppend(&text, Bold(program.path), " ", Italic("command"), " [", Italic("option"),
                    "]\\&... [", Italic("argument"), "]\\&...\n");
  }
  absl::StrAppend(&text, ".SH DESCRIPTION\n", Roff(program.description), "\n",
                  Entries(program, /*headings=*/true));
  if (!program.commands.empty()) absl::StrAppend(&text, ".SH COMMANDS\n");
  for (const HelpCommand& command : program.commands) {
    const std::string page = absl::StrCat(PageName(command), "(", section, ")");
    others.push_back(page);
    absl::StrAppend(&text, ".TP\n", Bold(LastWord(command)), "\n", Roff(command.description), "\n");
  }
  absl::StrAppend(&text, ".SH SETTINGS\n", Roff(SettingsText()), "\n.SH EXIT STATUS\n");
  for (const ExitMeaning& code : codes)
    absl::StrAppend(&text, ".TP\n", Bold(absl::StrCat(code.code)), "\n", Roff(code.meaning), "\n");
  absl::StrAppend(&text, SeeAlso(others));
  return {absl::StrCat("man", section, "/", PageName(program), ".", section), std::move(text)};
}

}  // namespace

std::vector<ManualPage> ManualPages(const HelpCommand& program, int section,
                                    const std::vector<ExitMeaning>& codes,
                                    const std::vector<std::string>& others) {
  std::vector<ManualPage> pages = {ProgramPage(program, section, codes, others)};
  for (const HelpCommand& command : program.commands)
    pages.push_back(CommandPage(command, section));
  return pages;
}

std::string Roff(const std::string& text) {
  std::string roff;
  bool line_begins = true;
  for (const char c : text) {
    // A dot or an apostrophe at the beginning of a line is a command.
    if (line_begins && (c == '.' || c == '\'')) roff += "\\&";
    line_begins = c == '\n';
    switch (c) {
      case '\\':
        roff += "\\e";
        break;
      case '-':
        roff += "\\-";
        break;  // else it is printed as a hyphen, which no shell knows
      case '\'':
        roff += "\\(aq";
        break;
      case '`':
        roff += "\\(ga";
        break;
      case '^':
        roff += "\\(ha";
        break;
      case '~':
        roff += "\\(ti";
        break;
      case '"':
        roff += "\\(dq";
        break;
      default:
        roff += c;
    }
  }
  return roff;
}

}  // namespace opic::cli
