#include "gateway/gateway.h"

#include <map>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/metric.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "gateway/connect.h"
#include "gateway/followed.h"
#include "gateway/foreign_pages.h"
#include "rpc/json_calls.h"
#include "rpc/limits.h"

namespace opic::gateway {
namespace {

using http::Answer;
using http::Request;
using http::Waiting;

constexpr http::Limits kLimits = {.connections_max = 64,
                                  .per_address_max = 32,
                                  .connection_time_max = absl::Seconds(10),
                                  .header_bytes_max = 16'384,
                                  .body_bytes_max = rpc::kQuestionBytesMax,
                                  .held_bytes_max = size_t{64} << 20};

// gRPC gives no message for a call that a service does not have.
absl::Status Worded(const absl::Status& error) {
  if (!absl::IsUnimplemented(error) || !error.message().empty()) return error;
  return absl::UnimplementedError("this node has no such service");
}

class HttpGateway final : public Gateway {
 public:
  HttpGateway(const GatewayOptions& options, std::shared_ptr<grpc::Channel> channel)
      : names_(options.names), admit_(options.admit), calls_(std::move(channel)) {}

  absl::Status Listen(const GatewayOptions& options, base::Clock& clock) {
    ASSIGN_OR_RETURN(
        server_, http::Server::Start(
                     options.address,
                     [this](Request request, std::shared_ptr<Waiting> waiting) {
                       OnRequest(std::move(request), std::move(waiting));
                     },
                     clock, {.flag = "--http-questions", .limits = kLimits, .tls = options.tls}));
    return absl::OkStatus();
  }

  const http::Address& address() const override { return server_->address(); }

  std::string Metrics() const override {
    std::string text;
    base::Metric metric(text, "opic_http_questions_total", "counter",
                        "Questions over HTTP that were answered, by code");
    const absl::MutexLock lock(&mu_);
    for (const auto& [code, count] : answered_)
      metric.Add({{"code", code}}, static_cast<double>(count));
    return text;
  }

 private:
  void OnRequest(Request request, std::shared_ptr<Waiting> waiting) {
    if (names_) {
      if (absl::Status foreign = RefuseForeignPages(request, *names_); !foreign.ok())
        return Refuse(*waiting, foreign.code(), ErrorAnswer(foreign));
    }
    const rpc::JsonCalls::Method* method = calls_.Find(request.path);
    if (method == nullptr) {
      const absl::Status none = absl::UnimplementedError(absl::StrCat(
          "there is no call ", base::Quoted(request.path), "; /opic.v1.Importance/Top is one"));
      return Refuse(*waiting, none.code(), ErrorAnswer(404, none));
    }
    const std::string* authorization = request.Header("Authorization");
    const std::string shown = authorization == nullptr ? "" : *authorization;
    if (const absl::Status may = admit_(shown); !may.ok())
      return Refuse(*waiting, may.code(), ErrorAnswer(may));
    const bool timed = request.Header("Connect-Timeout-Ms") != nullptr;
    std::variant<Question, Answer> read = Read(std::move(request), method->safe);
    if (auto* refusal = std::get_if<Answer>(&read))
      return Refuse(*waiting, absl::StatusCode::kInvalidArgument, std::move(*refusal));
    auto& question = std::get<Question>(read);
    if (method->stream) {
      if (!timed) question.patience = absl::InfiniteDuration();
      return Follow(calls_, *method, {std::move(question.json), shown, question.patience},
                    std::move(waiting),
                    [this](const absl::Status& status) { Count(status.code()); });
    }
    Waiting& asked = *waiting;
    asked.WhenGone(calls_.Ask(*method, {std::move(question.json), shown, question.patience},
                              [this, waiting = std::move(waiting)](rpc::JsonCalls::Ended ended) {
                                waiting->Answer([this, ended = std::move(ended)](bool room) {
                                  return AnswerTo(ended, room);
                                });
                              }));
  }

  Answer AnswerTo(const rpc::JsonCalls::Ended& ended, bool room) {
    absl::Status status = ended.status;
    if (status.ok() && !room)
      status = absl::UnavailableError("too many questions are being answered: try again later");
    const absl::StatusOr<std::string> json =
        status.ok() ? ended.json() : absl::StatusOr<std::string>(status);
    Count(json.status().code());
    if (!json.ok()) return ErrorAnswer(Worded(json.status()));
    return {.content_type = "application/json", .body = *json + "\n"};
  }

  void Refuse(Waiting& waiting, absl::StatusCode code, Answer answer) {
    Count(code);
    waiting.Answer([answer = std::move(answer)](bool) { return answer; });
  }

  void Count(absl::StatusCode code) {
    const absl::MutexLock lock(&mu_);
    ++answered_[CodeOf(code)];
  }

  const std::optional<std::set<std::string>> names_;
  const std::function<absl::Status(std::string_view)> admit_;
  rpc::JsonCalls calls_;
  mutable absl::Mutex mu_;
  std::map<std::string, uint64_t> answered_ ABSL_GUARDED_BY(mu_);  // by code
  std::unique_ptr<http::Server> server_;  // the last one: its thread uses all of the above
};

}  // namespace

absl::StatusOr<std::unique_ptr<Gateway>> Gateway::Start(const GatewayOptions& options,
                                                        std::shared_ptr<grpc::Channel> channel,
                                                        base::Clock& clock) {
  auto gateway = std::make_unique<HttpGateway>(options, std::move(channel));
  if (absl::Status status = gateway->Listen(options, clock); !status.ok()) return status;
  return gateway;
}

}  // namespace opic::gateway
