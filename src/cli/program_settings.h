// The settings of a program as a whole: which there are, their values, and what is wrong with one.
//
// Thread safety: confined to the program's main thread.
#pragma once

#include <string>

namespace CLI {
class App;
class ConversionError;
class Error;
}  // namespace CLI

namespace opic::cli {

// --config, --check-config, --print-config and --version, which every command has.
void AddSettingsFlags(CLI::App& app, const std::string& version);

// Whether it is a setting of the command, which a file or a variable may have: an option that is
// not "configurable" must be typed. If a name is a
// switch of some commands and takes values in others, "true" and "false" are for the switches, and
// everything else is for the others.
bool HasSetting(const CLI::App& app, const std::string& name, const std::string& value);
// Whether any program of opic has it (`name` without dashes): one file serves them all.
bool IsSettingOfAnyProgram(const std::string& name);

// Remembers the defaults, for PrintSettings. To be called before the app parses.
void CaptureDefaults(CLI::App& app);
// All settings of a command that has parsed, as lines of a settings file that say where each comes
// from. Secrets are left out (cli/secret_settings.h).
std::string PrintSettings(const CLI::App& app);

// An error of CLI11 in words that name the setting, its value, and where it was given.
std::string ParseErrorText(const CLI::App& app, const CLI::Error& error);

}  // namespace opic::cli
