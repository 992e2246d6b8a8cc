// Errors on the wire as programs read them: google.rpc.Status with one google.rpc.ErrorInfo, in
// gRPC's trailer grpc-status-details-bin and in the details of the JSON gateway's errors. Every
// error of ours has one, of the domain "opic". Its reason is the one that the error was given
// (base/reason.h), else the name of its code, such as "INVALID_ARGUMENT".
//
// Thread safety: pure.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "base/reason.h"

namespace opic::rpc {

inline constexpr char kErrorDomain[] = "opic";
inline constexpr char kErrorInfoType[] = "google.rpc.ErrorInfo";

// What is told of an error as its reason.
base::Reason ReasonToTell(const absl::Status& error);
// Encoded google.rpc.ErrorInfo.
std::string ErrorInfoOf(const absl::Status& error);
// Encoded google.rpc.Status; empty when the error is so long that its trailer might not pass.
std::string ErrorDetailsOf(const absl::Status& error);
// The same error with the reason that these details tell. What cannot be read, or is of another
// domain, is left out, and so is a reason that is only the name of the code.
absl::Status WithDetails(absl::Status error, const std::string& details);

}  // namespace opic::rpc
