// Who may call what (docs/operations.md, "Roles").
//
// A caller's role is the highest of: what its certificate says, by the DNS names of its
// subjectAltName (a node's name: node; "operator": operator; any other: reader), and what the token
// says that it shows. Calls through a Unix socket, which its file guards, may do everything. Where
// there are neither certificates nor tokens, everybody who can reach the server may: that is
// loopback.
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

// Who calls, as far as the server knows.
struct Caller {
  Role role = Role::kStranger;
  std::string name;     // of its certificate, else "token" or "socket"; empty: none shown
  std::string user;     // as the caller says, unproved; at most kUserBytesMax
  std::string address;  // as gRPC has it: ipv4:127.0.0.1:4711
  std::string request;  // its own name for the call, in `x-request-id`; at most kUserBytesMax
};
inline constexpr size_t kUserBytesMax = 128;
// "anna@desk, operator by token, ipv4:127.0.0.1:4711"; of a certificate its name, unless that is
// the role's.
std::string InWords(const Caller& caller);

using Tokens = std::map<std::string, Role>;
// From lines "ROLE TOKEN"; '#' begins a comment. InvalidArgument, with the line's number: the line
// has another form, its token is not of at least 16 printable ASCII characters, or an earlier line
// gives the token another role; without a number: there is no token, so nobody would be kept out.
absl::StatusOr<Tokens> ParseTokens(const std::string& text);
// The one with the highest role, which a client shows; empty: there is none.
std::string BestOf(const Tokens& tokens);
// Shows a token with a call; nothing for an empty one.
void ShowToken(const std::string& token, grpc::ClientContext& context);
// "anna@desk", of printable ASCII.
std::string UserOfThisProcess();
// The same for what is changed in a folder at rest: "anna@desk, at rest".
std::string UserAtRest();
// Says with a call who makes it.
void ShowUser(grpc::ClientContext& context);
// The same of a caller for whom this process calls, with the name of the call.
void ShowUser(const Caller& caller, grpc::ClientContext& context);

// Thread safety: immutable.
class Gate {
 public:
  Gate() = default;  // admits everybody
  // `nodes` are the names of the cluster's nodes.
  Gate(bool certificates, std::set<std::string> nodes, Tokens tokens)
      : certificates_(certificates), nodes_(std::move(nodes)), tokens_(std::move(tokens)) {}

  // The same for an address that takes calls of these roles only.
  Gate Between(Role lowest, Role highest) const;

  // With the highest of these roles at most, also for callers who may do more elsewhere.
  Caller CallerOf(const grpc::CallbackServerContext& context) const;
  // PermissionDenied says what role is needed and how one comes by it.
  absl::Status Admit(const grpc::CallbackServerContext& context, Role needed) const;
  // Whether a caller who shows only this, "Bearer TOKEN", may call anything at all: to be asked
  // before work is done for a call. PermissionDenied likewise.
  absl::Status AdmitToken(std::string_view authorization) const;

 private:
  Role RoleOf(const grpc::CallbackServerContext& context) const;
  Role RoleOfToken(std::string_view authorization) const;

  Role lowest_ = Role::kStranger, highest_ = Role::kOperator;
  bool certificates_ = false;
  std::set<std::string> nodes_;
  Tokens tokens_;
};

}  // namespace opic::rpc
