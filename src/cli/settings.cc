#include "cli/settings.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/named_file.h"
#include "base/status_macros.h"

namespace opic::cli {
namespace {

constexpr size_t kConfigBytesMax = 1 << 20;
constexpr char kByteOrderMark[] = "\xef\xbb\xbf";

struct Setting {
  std::string name, value, source;
};

// An empty value is an argument of its own: after "=" it would be taken for none, and the next
// argument for it.
void AppendArgument(const Setting& setting, std::vector<std::string>& arguments) {
  if (setting.value.empty()) {
    arguments.insert(arguments.end(), {"--" + setting.name, ""});
  } else {
    arguments.push_back("--" + setting.name + "=" + setting.value);
  }
}

// "--in-flight=64" and "--in-flight" are "in-flight"; anything else is nothing.
std::optional<std::string> LongName(const std::string& argument) {
  if (!absl::StartsWith(argument, "--") || argument.size() == 2) return std::nullopt;
  return argument.substr(
      2, argument.find('=') == std::string::npos ? std::string::npos : argument.find('=') - 2);
}

std::optional<std::string> ValueOf(const std::vector<std::string>& arguments,
                                   const std::string& name) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (LongName(arguments[i]) != name) continue;
    const size_t equals = arguments[i].find('=');
    if (equals != std::string::npos) return arguments[i].substr(equals + 1);
    return i + 1 < arguments.size() ? arguments[i + 1] : "";
  }
  return std::nullopt;
}

bool BeginsComment(absl::string_view line, size_t at) {
  return line[at] == '#' &&
         (at == 0 || absl::ascii_isspace(static_cast<unsigned char>(line[at - 1])));
}

// Without what is not the value: spaces, a comment, the quotes. Nothing: a quote is not closed, or
// something follows it.
std::optional<std::string> ValueIn(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  const bool quoted = !text.empty() && text[0] == '"';
  const size_t closed = quoted ? text.find('"', 1) : 0;
  if (closed == text.npos) return std::nullopt;
  size_t end = quoted ? closed + 1 : 0;
  while (end < text.size() && !BeginsComment(text, end)) ++end;
  const absl::string_view value = absl::StripAsciiWhitespace(text.substr(0, end));
  if (!quoted) return std::string(value);
  if (value.size() != closed + 1) return std::nullopt;
  return std::string(value.substr(1, closed - 1));
}

absl::StatusOr<std::vector<Setting>> ReadConfig(
    const std::string& path, const TakesSetting& taken_here,
    const std::function<bool(const std::string&)>& known_anywhere) {
  const absl::StatusOr<std::string> text = base::ReadFile(path, kConfigBytesMax);
  if (!text.ok()) return base::WithContext(base::OfNamedFile(text.status()), "--config");
  std::vector<Setting> settings;
  int number = 0;
  for (const absl::string_view raw :
       absl::StrSplit(absl::StripPrefix(*text, kByteOrderMark), '\n')) {
    ++number;
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty() || line[0] == '#') continue;
    const std::string where = absl::StrCat(path, ":", number);
    const auto wrong = [&](const std::string& what) {
      return absl::InvalidArgumentError(absl::StrCat(where, ": ", what));
    };
    const size_t equals = line.find('=');
    if (equals == absl::string_view::npos) return wrong("expected `key = value`");
    const std::string name(absl::StripAsciiWhitespace(line.substr(0, equals)));
    const std::optional<std::string> value = ValueIn(line.substr(equals + 1));
    if (name.empty()) return wrong("there is no key before \"=\"; expected `key = value`");
    if (!value) return wrong("the value must end with the quote that it begins with");
    if (name == "config" || !known_anywhere(name)) return wrong("unknown key \"" + name + "\"");
    if (taken_here(name, *value)) settings.push_back({name, *value, where});
  }
  return settings;
}

absl::StatusOr<std::vector<Setting>> ReadEnvironment(
    const std::vector<std::string>& environment, const TakesSetting& taken_here,
    const std::function<bool(const std::string&)>& known_anywhere) {
  std::vector<Setting> settings;
  for (const std::string& entry : environment) {
    if (!absl::StartsWith(entry, "OPIC_")) continue;
    const size_t equals = std::min(entry.find('='), entry.size());
    std::string name = absl::AsciiStrToLower(entry.substr(5, equals - 5));
    absl::StrReplaceAll({{"_", "-"}}, &name);
    if (!known_anywhere(name)) {
      return absl::InvalidArgumentError("unknown variable " + entry.substr(0, equals) +
                                        " in the environment");
    }
    if (equals == entry.size()) continue;
    std::string value = entry.substr(equals + 1);
    if (taken_here(name, value))
      settings.push_back({name, std::move(value), "the variable " + entry.substr(0, equals)});
  }
  return settings;
}

}  // namespace

absl::StatusOr<GatheredSettings> GatherArguments(
    const std::vector<std::string>& command_line, const std::vector<std::string>& environment,
    const TakesSetting& taken_here, const std::function<bool(const std::string&)>& known_anywhere) {
  absl::flat_hash_set<std::string> taken;
  for (const std::string& argument : command_line) {
    if (const std::optional<std::string> name = LongName(argument)) taken.insert(*name);
  }
  ASSIGN_OR_RETURN(const std::vector<Setting> variables,
                   ReadEnvironment(environment, taken_here, known_anywhere));
  GatheredSettings gathered;
  const auto add = [&gathered](const Setting& setting) {
    AppendArgument(setting, gathered.arguments);
    gathered.sources.try_emplace(setting.name, setting.source);
  };
  std::optional<std::string> config = ValueOf(command_line, "config");
  for (const Setting& variable : variables) {
    if (!taken.insert(variable.name).second) continue;
    if (variable.name == "config") config = variable.value;
    add(variable);
  }
  if (config) {
    ASSIGN_OR_RETURN(const std::vector<Setting> settings,
                     ReadConfig(*config, taken_here, known_anywhere));
    for (const Setting& setting : settings) {
      if (!taken.contains(setting.name)) add(setting);
    }
  }
  gathered.arguments.insert(gathered.arguments.end(), command_line.begin(), command_line.end());
  return gathered;
}

}  // namespace opic::cli
