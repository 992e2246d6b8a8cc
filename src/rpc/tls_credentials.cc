#include "rpc/tls_credentials.h"

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include "certs/at_exit.h"  // gRPC's threads outlive main()
#include "rpc/tls_in_force.h"

namespace opic::rpc {

std::shared_ptr<grpc::ServerCredentials> ServerCredentialsOf(
    const std::optional<TlsIdentity>& tls) {
  if (!tls) return grpc::InsecureServerCredentials();
  if (tls->in_force) {
    grpc::experimental::TlsServerCredentialsOptions options(tls->in_force->provider());
    options.watch_root_certs();
    options.watch_identity_key_cert_pairs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    return grpc::experimental::TlsServerCredentials(options);
  }
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = tls->ca;
  options.pem_key_cert_pairs.push_back({tls->key, tls->certificate});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> ClientCredentialsOf(
    const std::optional<TlsIdentity>& tls) {
  if (!tls) return grpc::InsecureChannelCredentials();
  if (tls->in_force) {
    grpc::experimental::TlsChannelCredentialsOptions options;
    options.set_certificate_provider(tls->in_force->provider());
    options.watch_root_certs();
    options.watch_identity_key_cert_pairs();
    return grpc::experimental::TlsCredentials(options);
  }
  return grpc::SslCredentials({tls->ca, tls->key, tls->certificate});
}

}  // namespace opic::rpc
