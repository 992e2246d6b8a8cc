#include "rpc/error_info.h"

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace opic::rpc {
namespace {

// gRPC takes 8 kB of trailers, in which the message stands twice, once in base64.
constexpr size_t kTrailerBytesMax = 5'000;

google::rpc::ErrorInfo InfoOf(const absl::Status& error) {
  const base::Reason reason = ReasonToTell(error);
  google::rpc::ErrorInfo info;
  info.set_reason(reason.word);
  info.set_domain(kErrorDomain);
  for (const auto& [name, fact] : reason.facts) (*info.mutable_metadata())[name] = fact;
  return info;
}

}  // namespace

base::Reason ReasonToTell(const absl::Status& error) {
  if (std::optional<base::Reason> reason = base::ReasonOf(error)) return *std::move(reason);
  const std::string code = absl::StatusCodeToString(error.code());
  return {.word = code.empty() ? "UNKNOWN" : code, .facts = {}};
}

std::string ErrorInfoOf(const absl::Status& error) { return InfoOf(error).SerializeAsString(); }

std::string ErrorDetailsOf(const absl::Status& error) {
  google::rpc::Status status;
  status.set_code(static_cast<int>(error.code()));
  status.set_message(std::string(error.message()));
  status.add_details()->PackFrom(InfoOf(error));
  if (status.message().size() + status.ByteSizeLong() / 3 * 4 > kTrailerBytesMax) return "";
  return status.SerializeAsString();
}

absl::Status WithDetails(absl::Status error, const std::string& details) {
  google::rpc::Status status;
  if (error.ok() || details.empty() || !status.ParseFromString(details)) return error;
  for (const google::protobuf::Any& detail : status.details()) {
    google::rpc::ErrorInfo info;
    if (!detail.Is<google::rpc::ErrorInfo>() || !detail.UnpackTo(&info)) continue;
    if (info.domain() != kErrorDomain || info.reason() == ReasonToTell(error).word) continue;
    return base::WithReason(std::move(error), info.reason(),
                            {info.metadata().begin(), info.metadata().end()});
  }
  return error;
}

}  // namespace opic::rpc
