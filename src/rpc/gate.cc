#include "rpc/gate.h"

#include <grpcpp/grpcpp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/reason.h"
#include "certs/mac.h"

namespace opic::rpc {
namespace {

constexpr char kHeader[] = "authorization";
constexpr char kUserHeader[] = "opic-user";
constexpr char kRequestHeader[] = "x-request-id";
constexpr char kBearer[] = "Bearer ";
constexpr char kOperatorName[] = "operator";
constexpr size_t kTokenBytesMin = 16;

Role RoleNamed(std::string_view name) {
  for (Role role : {Role::kReader, Role::kNode, Role::kOperator}) {
    if (name == Name(role)) return role;
  }
  return Role::kStranger;
}

// In a header: with other bytes in it, gRPC aborts the process.
bool CanBeSent(std::string_view token) {
  return token.size() >= kTokenBytesMin &&
         std::all_of(token.begin(), token.end(), [](char c) { return absl::ascii_isgraph(c); });
}

std::string HeaderOf(const grpc::CallbackServerContext& context, const char* header) {
  const auto found = context.client_metadata().find(header);
  if (found == context.client_metadata().end()) return "";
  return std::string(found->second.data(), std::min(found->second.size(), kUserBytesMax));
}

void AddHeader(const char* header, std::string value, grpc::ClientContext& context) {
  std::erase_if(value, [](unsigned char byte) { return byte <= ' ' || byte > '~'; });
  if (!value.empty()) context.AddMetadata(header, value);
}

absl::Status Needs(Role needed, Role role) {
  return base::WithReason(
      absl::PermissionDeniedError(absl::StrCat(
          "this needs the role ", Name(needed), ", and the caller has the role ", Name(role),
          ": show a certificate of that role (--tls-cert), or a token (--token-file)")),
      "ROLE_NEEDED", {{"needed", Name(needed)}, {"role", Name(role)}});
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

absl::StatusOr<Tokens> ParseTokens(const std::string& text) {
  Tokens tokens;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const std::vector<std::string> words = absl::StrSplit(
        line.substr(0, line.find('#')), absl::ByAnyChar(" \t\r\v\f"), absl::SkipEmpty());
    if (words.empty()) continue;
    const Role role = RoleNamed(words[0]);
    if (role == Role::kStranger || words.size() != 2 || !CanBeSent(words[1])) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number,
                       ": say \"reader\", \"node\" or \"operator\", and a token of at least 16 "
                       "printable ASCII characters"));
    }
    if (const auto [at, added] = tokens.emplace(words[1], role); !added && at->second != role) {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": a line above gives this ",
                                                     "token the role ", Name(at->second)));
    }
  }
  if (tokens.empty()) return absl::InvalidArgumentError("there is no token in it");
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

void ShowToken(const std::string& token, grpc::ClientContext& context) {
  if (!token.empty()) context.AddMetadata(kHeader, absl::StrCat(kBearer, token));
}

std::string UserOfThisProcess() {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  passwd entry = {}, *found = nullptr;
  char buffer[4096];
  if (getpwuid_r(geteuid(), &entry, buffer, sizeof(buffer), &found) != 0) found = nullptr;
  std::string user = absl::StrCat(
      found == nullptr ? absl::StrCat(geteuid()) : std::string(found->pw_name), "@", host);
  std::erase_if(user, [](unsigned char byte) { return byte <= ' ' || byte > '~'; });
  return user.substr(0, kUserBytesMax);
}

std::string UserAtRest() { return UserOfThisProcess() + ", at rest"; }

void ShowUser(grpc::ClientContext& context) {
  static const std::string& user = *new std::string(UserOfThisProcess());
  context.AddMetadata(kUserHeader, user);
}

void ShowUser(const Caller& caller, grpc::ClientContext& context) {
  AddHeader(kUserHeader, caller.user, context);
  AddHeader(kRequestHeader, caller.request, context);
}

std::string InWords(const Caller& caller) {
  std::string words;
  if (!caller.user.empty()) words = caller.user + ", ";
  absl::StrAppend(&words, Name(caller.role));
  // A certificate has mostly the name of the role.
  const bool of_role = caller.name == Name(caller.role);
  if (!caller.name.empty()) absl::StrAppend(&words, " by ", of_role ? "certificate" : caller.name);
  return absl::StrCat(words, ", ", caller.address);
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
  return std::max(role, RoleOfToken({shown->second.data(), shown->second.size()}));
}

Role Gate::RoleOfToken(std::string_view authorization) const {
  const std::string value(authorization);
  Role role = Role::kStranger;
  for (const auto& [token, of] : tokens_) {
    if (certs::Same(value, absl::StrCat(kBearer, token))) role = std::max(role, of);
  }
  return role;
}

Caller Gate::CallerOf(const grpc::CallbackServerContext& context) const {
  Caller caller;
  caller.address = context.peer();
  caller.user = HeaderOf(context, kUserHeader);
  caller.request = HeaderOf(context, kRequestHeader);
  const bool open = !certificates_ && tokens_.empty();
  caller.role = std::min(open ? Role::kOperator : RoleOf(context), highest_);
  const std::shared_ptr<const grpc::AuthContext> auth = context.auth_context();
  if (absl::StartsWith(caller.address, "unix:")) {
    caller.name = "socket";
  } else if (certificates_ && auth != nullptr && auth->IsPeerAuthenticated()) {
    for (const grpc::string_ref& shown : auth->GetPeerIdentity()) {
      if (caller.name.empty()) caller.name.assign(shown.data(), shown.size());
    }
  } else if (context.client_metadata().contains(kHeader)) {
    caller.name = "token";
  }
  return caller;
}

absl::Status Gate::Admit(const grpc::CallbackServerContext& context, Role needed) const {
  if (needed > highest_) {
    return base::WithReason(
        absl::PermissionDeniedError(
            absl::StrCat(Name(needed),
                         " calls are not accepted here; use the address of --listen-control, or "
                         "the `control` socket in the data folder")),
        "CALL_OF_ANOTHER_ADDRESS", {{"needed", Name(needed)}, {"highest", Name(highest_)}});
  }
  if (!certificates_ && tokens_.empty()) return absl::OkStatus();
  needed = std::max(needed, lowest_);
  const Role role = RoleOf(context);
  return role >= needed ? absl::OkStatus() : Needs(needed, role);
}

absl::Status Gate::AdmitToken(std::string_view authorization) const {
  if (tokens_.empty()) return absl::OkStatus();
  const Role role = RoleOfToken(authorization);
  const Role needed = std::max(Role::kReader, lowest_);
  return role >= needed ? absl::OkStatus() : Needs(needed, role);
}

}  // namespace opic::rpc
