#include "rpc/health.h"

#include <grpcpp/grpcpp.h>

#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "rpc/rpc_status.h"
#include "rpc/server.h"
#include "rpc/tls_hint.h"

namespace opic::rpc {

absl::StatusOr<Health> AskHealth(const HealthQuestion& question) {
  namespace v1 = grpc::health::v1;
  const auto stub = v1::Health::NewStub(ChannelTo(question.address, question.tls, question.name));
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + question.patience));
  v1::HealthCheckResponse answer;
  const absl::Status asked = FromGrpc(stub->Check(&context, v1::HealthCheckRequest(), &answer));
  RETURN_IF_ERROR(base::WithContext(WithTlsHint(asked, question.tls.has_value()),
                                    "asking " + question.address + " for its health"));
  return answer.status() == v1::HealthCheckResponse::SERVING ? Health::kServing
                                                             : Health::kNotServing;
}

}  // namespace opic::rpc
