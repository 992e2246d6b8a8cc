#include "rpc/log_levels_wire.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "rpc/enum_words.h"

namespace opic::rpc {
namespace {

v1::LogLevel WireLevel(base::LogLevel level) { return ValueOf<v1::LogLevel>(base::Name(level)); }

std::optional<base::LogLevel> LevelOf(v1::LogLevel wire) {
  return base::LogLevelNamed(WordOf(wire));
}

absl::StatusOr<base::LogLevel> LevelTold(v1::LogLevel wire) {
  if (const std::optional<base::LogLevel> level = LevelOf(wire)) return *level;
  return absl::InvalidArgumentError(
      absl::StrCat("level: ", static_cast<int>(wire),
                   " is not one of LOG_LEVEL_DEBUG (4), LOG_LEVEL_INFO (1), LOG_LEVEL_WARNING and "
                   "LOG_LEVEL_ERROR"));
}

template <typename Entries>
void ModulesToWire(const std::map<std::string, base::LogLevel>& modules, Entries* entries) {
  for (const auto& [module, level] : modules) {
    v1::ModuleLogLevel& entry = *entries->Add();
    entry.set_module(module);
    entry.set_level(WireLevel(level));
  }
}

}  // namespace

void ToWire(const base::LogLevelChange& change, v1::SetLogLevelRequest* wire) {
  if (change.all) wire->set_level(WireLevel(*change.all));
  ModulesToWire(change.modules, wire->mutable_modules());
}

absl::StatusOr<base::LogLevelChange> FromWire(const v1::SetLogLevelRequest& wire) {
  base::LogLevelChange change;
  if (wire.level() != v1::LOG_LEVEL_UNSPECIFIED || wire.modules().empty()) {
    ASSIGN_OR_RETURN(change.all, LevelTold(wire.level()));
  }
  for (const v1::ModuleLogLevel& entry : wire.modules()) {
    RETURN_IF_ERROR(base::CheckModule(entry.module()));
    ASSIGN_OR_RETURN(change.modules[entry.module()], LevelTold(entry.level()));
  }
  return change;
}

void ToWire(const base::LogLevels& levels, v1::InForceResponse* wire) {
  wire->set_log_level(WireLevel(levels.all));
  ModulesToWire(levels.modules, wire->mutable_module_log_levels());
}

base::LogLevels LogLevelsOf(const v1::InForceResponse& wire) {
  constexpr size_t kNameBytesMax = 100;
  base::LogLevels levels = LevelOf(wire.log_level()).value_or(base::LogLevel::kInfo);
  for (const v1::ModuleLogLevel& entry : wire.module_log_levels()) {
    if (const std::optional<base::LogLevel> level = LevelOf(entry.level()))
      levels.modules[base::PlainText(entry.module(), kNameBytesMax)] = *level;
  }
  return levels;
}

}  // namespace opic::rpc
