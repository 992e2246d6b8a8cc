#include "cli/token_file.h"

#include "base/status_macros.h"
#include "cli/regular_file.h"

namespace opic::cli {
namespace {

constexpr char kFlag[] = "--token-file";
constexpr size_t kMibMax = 1;

}  // namespace

absl::StatusOr<rpc::Tokens> ReadTokens(const std::string& path) {
  if (path.empty()) return rpc::Tokens();
  ASSIGN_OR_RETURN(const std::string text, ReadRegularFile(path, kFlag, kMibMax));
  absl::StatusOr<rpc::Tokens> tokens = rpc::ParseTokens(text);
  if (!tokens.ok()) return base::WithContext(tokens.status(), std::string(kFlag) + " " + path);
  return tokens;
}

absl::StatusOr<std::string> ReadBestToken(const std::string& path) {
  ASSIGN_OR_RETURN(const rpc::Tokens tokens, ReadTokens(path));
  return rpc::BestOf(tokens);
}

}  // namespace opic::cli
