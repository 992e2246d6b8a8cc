// Who may call what (docs/operations.md, "Roles").
//
// A caller's role is the highest of: what its certificate says, by the DNS names of its
// subjectAltName (a node's name: node; "operator": operator; any other: reader), and what the token
// says that it shows. Calls from inside the process, and through a Unix socket, which its file
// guards, may do everything. Where there are neither certificates nor tokens, everybody may, who
// can reach the server: that is loopback.
//
// An address can be kept for some roles, so that it can be firewalled by itself.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace grpc {
class CallbackServerContext;
class ClientContext;
}  // namespace grpc

namespace opic::rpc {

// Each may do what those before may.
enum class Role : uint8_t {
  kStranger,
  kReader,    // questions
  kNode,      // its part of an audit, and what is to be crawled
  kOperator,  // all the rest
};
std::string Name(Role role);

// Reads a file with lines "ROLE TOKEN"; '#' begins a comment.
using Tokens = std::map<std::string, Role>;
// No tokens for an empty path. NotFound: the file cannot be read; InvalidArgument: a line is none,
// or a token has less than 16 characters.
absl::StatusOr<Tokens> ReadTokens(const std::string& path);
// The one with the highest role, which a client shows; empty: there is none.
std::string BestOf(const Tokens& tokens);
absl::StatusOr<std::string> ReadBestToken(const std::string& path);
// Shows a token with a call; nothing for an empty one.
void ShowToken(const std::string& token, grpc::ClientContext& context);

// Thread safety: immutable.
class Gate {
 public:
  Gate() = default;  // admits everybody
  // `nodes` are the names of the cluster's nodes.
  Gate(bool certificates, std::set<std::string> nodes, Tokens tokens)
      : certificates_(certificates), nodes_(std::move(nodes)), tokens_(std::move(tokens)) {}

  // The same for an address that takes calls of these roles only.
  Gate Between(Role lowest, Role highest) const;

  // PermissionDenied says what role is needed and how one comes by it.
  absl::Status Admit(const grpc::CallbackServerContext& context, Role needed) const;

 private:
  Role RoleOf(const grpc::CallbackServerContext& context) const;

  Role lowest_ = Role::kStranger, highest_ = Role::kOperator;
  bool certificates_ = false;
  std::set<std::string> nodes_;
  Tokens tokens_;
};

// The call comes from inside this process.
bool IsInside(const grpc::CallbackServerContext& context);

}  // namespace opic::rpc
