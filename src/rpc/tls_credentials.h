// What gRPC needs of an identity.
//
// Thread safety: pure.
#pragma once

#include <memory>
#include <optional>

#include "rpc/tls.h"

namespace grpc {
class ChannelCredentials;
class ServerCredentials;
}  // namespace grpc

namespace opic::rpc {

// Plain text without an identity. The server's demand a certificate from every client.
std::shared_ptr<grpc::ServerCredentials> ServerCredentialsOf(const std::optional<TlsIdentity>& tls);
std::shared_ptr<grpc::ChannelCredentials> ClientCredentialsOf(
    const std::optional<TlsIdentity>& tls);

}  // namespace opic::rpc
