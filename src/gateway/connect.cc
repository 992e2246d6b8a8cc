#include "gateway/connect.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/json_string.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "rpc/error_info.h"

namespace opic::gateway {
namespace {

using http::Answer;
using http::Request;

constexpr char kVersion[] = "1";
constexpr size_t kTimeoutDigitsMax = 10;

// "Error Codes" in connectrpc.com/docs/protocol.
int HttpStatusOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kCancelled:
      return 499;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
      return 409;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnimplemented:
      return 501;
    case absl::StatusCode::kUnavailable:
      return 503;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    default:
      return 500;
  }
}

std::string ValueOf(const std::string* field) { return field == nullptr ? "" : *field; }

// Without its parameters: "application/json; charset=utf-8".
bool IsJson(const std::string& content_type) {
  const std::string type = content_type.substr(0, content_type.find(';'));
  return absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(type), "application/json");
}

bool IsPlain(const std::string& encoding) {
  return encoding.empty() || absl::EqualsIgnoreCase(encoding, "identity");
}

Answer Compressed() {
  return ErrorAnswer(absl::UnimplementedError(
      "compressed messages are not accepted: send them uncompressed (identity)"));
}

absl::StatusOr<absl::Duration> PatienceOf(const Request& request) {
  const std::string* given = request.Header("Connect-Timeout-Ms");
  if (given == nullptr) return kPatience;
  int64_t ms = 0;
  if (given->size() > kTimeoutDigitsMax ||
      !std::all_of(given->begin(), given->end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(*given, &ms)) {
    return absl::InvalidArgumentError(absl::StrCat("Connect-Timeout-Ms: ", base::Quoted(*given),
                                                   " must be a number of milliseconds, of at most "
                                                   "ten digits"));
  }
  return std::min(absl::Milliseconds(ms), kPatienceMax);
}

absl::Status CheckVersion(const std::string* given, const std::string& expected) {
  if (given == nullptr || *given == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the version ", base::Quoted(*given),
                                                 " of the Connect protocol is not supported: send ",
                                                 expected));
}

std::variant<Question, Answer> ReadPost(Request request, absl::Duration patience) {
  if (!IsJson(ValueOf(request.Header("Content-Type")))) {
    return ErrorAnswer(415,
                       absl::UnknownError(absl::StrCat(
                           "Content-Type: ", base::Quoted(ValueOf(request.Header("Content-Type"))),
                           " must be application/json")));
  }
  if (!IsPlain(ValueOf(request.Header("Content-Encoding")))) return Compressed();
  switch (request.unread) {
    case http::Unread::kTooLong:
      return ErrorAnswer(
          413, absl::ResourceExhaustedError("the request body is too long: ask for less at once"));
    case http::Unread::kNoRoom:
      return ErrorAnswer(
          absl::UnavailableError("too many questions are being answered: try again later"));
    case http::Unread::kNo:
      break;
  }
  return Question{std::move(request.body), patience};
}

std::variant<Question, Answer> ReadGet(const Request& request, absl::Duration patience) {
  const std::string* message = request.Argument("message");
  if (message == nullptr) {
    return ErrorAnswer(absl::InvalidArgumentError(
        "a question by GET needs the arguments encoding=json and message={...}, percent-encoded"));
  }
  if (ValueOf(request.Argument("encoding")) != "json")
    return ErrorAnswer(415, absl::UnknownError(absl::StrCat(
                                "encoding: ", base::Quoted(ValueOf(request.Argument("encoding"))),
                                " must be json")));
  if (!IsPlain(ValueOf(request.Argument("compression")))) return Compressed();
  if (const absl::Status version = CheckVersion(request.Argument("connect"), "v1"); !version.ok())
    return ErrorAnswer(version);
  if (ValueOf(request.Argument("base64")) != "1") return Question{*message, patience};
  std::string decoded;
  if (!absl::WebSafeBase64Unescape(*message, &decoded))
    return ErrorAnswer(
        absl::InvalidArgumentError("message: with base64=1 it must be URL-safe base64"));
  return Question{std::move(decoded), patience};
}

// The reason, encoded, and readable in "debug".
std::string DetailOf(const absl::Status& error) {
  const base::Reason reason = rpc::ReasonToTell(error);
  std::string facts;
  for (const auto& [name, fact] : reason.facts) {
    absl::StrAppend(&facts, facts.empty() ? "" : ",", base::JsonString(name), ":",
                    base::JsonString(fact));
  }
  std::string value = absl::Base64Escape(rpc::ErrorInfoOf(error));
  value.erase(value.find_last_not_of('=') + 1);
  return absl::StrCat("{\"type\":\"", rpc::kErrorInfoType, "\",\"value\":\"", value,
                      "\",\"debug\":{\"reason\":", base::JsonString(reason.word), ",\"domain\":\"",
                      rpc::kErrorDomain, "\",\"metadata\":{", facts, "}}}");
}

}  // namespace

std::string CodeOf(absl::StatusCode code) {
  if (code == absl::StatusCode::kCancelled) return "canceled";
  const std::string name = absl::AsciiStrToLower(absl::StatusCodeToString(code));
  return name.empty() ? "unknown" : name;
}

http::Answer ErrorAnswer(int http_status, const absl::Status& error) {
  return {.status = http_status,
          .content_type = "application/json",
          .body = absl::StrCat("{\"code\":", base::JsonString(CodeOf(error.code())),
                               ",\"message\":", base::JsonString(std::string(error.message())),
                               ",\"details\":[", DetailOf(error), "]}\n")};
}

http::Answer ErrorAnswer(const absl::Status& error) {
  return ErrorAnswer(HttpStatusOf(error.code()), error);
}

std::variant<Question, http::Answer> Read(http::Request request, bool safe) {
  const bool get = safe && request.method == "GET";
  if (!get && request.method != "POST") {
    Answer refusal =
        ErrorAnswer(405, absl::UnknownError(safe ? "use GET or POST"
                                                 : "use POST: this call cannot be asked by GET"));
    refusal.allow = safe ? "GET, POST" : "POST";
    return refusal;
  }
  const absl::StatusOr<absl::Duration> patience = PatienceOf(request);
  if (!patience.ok()) return ErrorAnswer(patience.status());
  const absl::Status version = CheckVersion(request.Header("Connect-Protocol-Version"), kVersion);
  if (!version.ok()) return ErrorAnswer(version);
  return get ? ReadGet(request, *patience) : ReadPost(std::move(request), *patience);
}

}  // namespace opic::gateway
