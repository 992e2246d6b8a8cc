#include "cli/setting_source.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace opic::cli {
namespace {

SettingSources& Sources() {
  static SettingSources& sources = *new SettingSources();
  return sources;
}

}  // namespace

void RememberSources(SettingSources sources) { Sources() = std::move(sources); }

std::string SourceOf(const std::string& name) {
  const auto found = Sources().find(name);
  return found == Sources().end() ? "" : found->second;
}

bool WasFlag(const std::string& name, bool given) { return given && SourceOf(name).empty(); }

std::string WithSource(const std::string& message) {
  if (!absl::StartsWith(message, "--")) return message;
  const size_t end = message.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", 2);
  const std::string source = SourceOf(message.substr(2, end == message.npos ? end : end - 2));
  return source.empty() ? message : absl::StrCat(source, ": ", message);
}

}  // namespace opic::cli
