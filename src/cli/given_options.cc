#include "cli/given_options.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/secret_settings.h"
#include "cli/setting_source.h"

namespace opic::cli {

std::string ForShell(const std::string& word) {
  static constexpr char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,=";
  // For zsh "=word" is a program's path.
  const bool plain = !word.empty() && word.front() != '=';
  if (plain && word.find_first_not_of(kPlain) == word.npos) return word;
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

bool IsTyped(const CLI::App& app, const std::string& name) {
  return WasFlag(name, app.get_option("--" + name)->count() > 0);
}

GivenWords GivenOptions(const CLI::App& app, const std::set<std::string>& left_out) {
  GivenWords given;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    if (left_out.contains(name) || !SourceOf(name).empty()) continue;
    if (option->get_expected_min() == 0) {  // a switch
      if (option->as<bool>()) absl::StrAppend(&given.words, " --", name);
      continue;
    }
    for (const std::string& value : option->results()) {
      const std::string shown = WithoutSecret(name, value);
      given.secrets_left_out |= shown != value;
      absl::StrAppend(&given.words, " --", name, " ", ForShell(shown));
    }
  }
  return given;
}

}  // namespace opic::cli
