#include "rpc/gate.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "certs/mac.h"

namespace opic::rpc {
namespace {

constexpr char kHeader[] = "authorization";
constexpr char kBearer[] = "Bearer ";
constexpr char kOperatorName[] = "operator";
constexpr size_t kTokenBytesMin = 16;

Role RoleNamed(std::string_view name) {
  for (Role role : {Role::kReader, Role::kNode, Role::kOperator}) {
    if (name == Name(role)) return role;
  }
  return Role::kStranger;
}

}  // namespace

std::string Name(Role role) {
  switch (role) {
    case Role::kStranger:
      return "stranger";
    case Role::kReader:
      return "reader";
    case Role::kNode:
      return "node";
    case Role::kOperator:
      return "operator";
  }
  return "";
}

absl::StatusOr<Tokens> ReadTokens(const std::string& path) {
  Tokens tokens;
  if (path.empty()) return tokens;
  std::ifstream file(path);
  if (!file) return absl::NotFoundError("--token-file " + path + " cannot be read");
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string role, token, more;
    if (!(words >> role)) continue;
    words >> token;
    if (RoleNamed(role) == Role::kStranger || token.size() < kTokenBytesMin || words >> more) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--token-file ", path, ", line ", number,
          ": say \"reader\", \"node\" or \"operator\", and a token of 16 characters or more"));
    }
    tokens[token] = RoleNamed(role);
  }
  return tokens;
}

std::string BestOf(const Tokens& tokens) {
  std::string best;
  Role role = Role::kStranger;
  for (const auto& [token, of] : tokens) {
    if (of > role) best = token, role = of;
  }
  return best;
}

absl::StatusOr<std::string> ReadBestToken(const std::string& path) {
  ASSIGN_OR_RETURN(const Tokens tokens, ReadTokens(path));
  return BestOf(tokens);
}

void ShowToken(const std::string& token, grpc::ClientContext& context) {
  if (!token.empty()) context.AddMetadata(kHeader, absl::StrCat(kBearer, token));
}

// A caller behind any socket has an address of its kind. The channel inside the process has none:
// gRPC calls such a peer "unknown", or "inproc" in later releases.
bool IsInside(const grpc::CallbackServerContext& context) {
  const std::string peer = context.peer();
  return peer == "unknown" || absl::StartsWith(peer, "inproc");
}

Gate Gate::Between(Role lowest, Role highest) const {
  Gate gate = *this;
  gate.lowest_ = lowest;
  gate.highest_ = highest;
  return gate;
}

Role Gate::RoleOf(const grpc::CallbackServerContext& context) const {
  if (absl::StartsWith(context.peer(), "unix:")) return Role::kOperator;
  Role role = Role::kStranger;
  const std::shared_ptr<const grpc::AuthContext> auth = context.auth_context();
  if (certificates_ && auth != nullptr && auth->IsPeerAuthenticated()) {
    role = Role::kReader;
    for (const grpc::string_ref& shown : auth->GetPeerIdentity()) {
      const std::string name(shown.data(), shown.size());
      if (nodes_.contains(name)) role = std::max(role, Role::kNode);
      if (name == kOperatorName) role = Role::kOperator;
    }
  }
  const auto& metadata = context.client_metadata();
  const auto shown = metadata.find(kHeader);
  if (shown == metadata.end()) return role;
  const std::string value(shown->second.data(), shown->second.size());
  for (const auto& [token, of] : tokens_) {
    if (certs::Same(value, absl::StrCat(kBearer, token))) role = std::max(role, of);
  }
  return role;
}

absl::Status Gate::Admit(const grpc::CallbackServerContext& context, Role needed) const {
  if (IsInside(context)) return absl::OkStatus();
  if (needed > highest_) {
    return absl::PermissionDeniedError(
        absl::StrCat("calls of a ", Name(needed),
                     " are taken at another address of this node (--listen-control; "
                     "its data folder's socket where nothing else was said)"));
  }
  if (!certificates_ && tokens_.empty()) return absl::OkStatus();
  needed = std::max(needed, lowest_);
  const Role role = RoleOf(context);
  if (role >= needed) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(
      "this needs the role ", Name(needed), ", and the caller has the role ", Name(role),
      ": show a certificate of that role (--tls-cert), or a token (--token-file)"));
}

}  // namespace opic::rpc
