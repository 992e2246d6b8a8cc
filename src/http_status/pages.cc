#include "http_status/pages.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/json_string.h"
#include "base/metric.h"

namespace opic::http_status {
namespace {

using http::Answer;
using http::Request;

// There a counter's name does not end in _total, as its samples do. `text` is of Prometheus.
std::string OpenMetrics(const std::string& text) {
  const std::string total = "_total";
  std::string out;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(text, "\n", absl::SkipEmpty()))) {
    const size_t name_ends = line.find(' ', line.find(' ', 2) + 1);  // "# TYPE name counter"
    std::string declared = line.substr(0, name_ends);
    if (line[0] == '#' && declared.ends_with(total))
      declared.resize(declared.size() - total.size());
    absl::StrAppend(&out, declared, name_ends == line.npos ? "" : line.substr(name_ends), "\n");
  }
  return out + "# EOF\n";
}

Answer Metrics(const Board& board, bool open) {
  std::string text = board.Metrics();
  base::Metric(text, "opic_ready", "gauge", "1 while /readyz answers with 200")
      .Add({}, board.NotReady().empty() ? 1 : 0);
  if (!open)
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = std::move(text)};
  return {.content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
          .body = OpenMetrics(text)};
}

std::string Line(const Reason& reason) {
  return absl::StrCat(reason.code, ": ", reason.sentence, "\n");
}

Answer Live(const Board& board) {
  const std::optional<Reason> dead = board.NotAlive();
  return dead ? Answer{.status = 503, .body = Line(*dead)} : Answer{.body = "ok\n"};
}

std::string Json(const std::vector<Reason>& reasons) {
  const std::string list = absl::StrJoin(reasons, ",", [](std::string* out, const Reason& reason) {
    absl::StrAppend(out, "{\"code\":", base::JsonString(reason.code),
                    ",\"sentence\":", base::JsonString(reason.sentence), "}");
  });
  return absl::StrCat("{\"ready\":", reasons.empty() ? "true" : "false", ",\"reasons\":[", list,
                      "]}\n");
}

Answer Ready(const Board& board, bool json) {
  const std::vector<Reason> reasons = board.NotReady();
  Answer answer{.status = reasons.empty() ? 200 : 503};
  if (json) {
    answer.content_type = "application/json";
    answer.body = Json(reasons);
    return answer;
  }
  answer.body = reasons.empty() ? "ok\n" : "not ready\n";
  for (const Reason& reason : reasons) answer.body += Line(reason);
  return answer;
}

bool Accepts(const Request& request, const std::string& type) {
  const std::string* accept = request.Header("Accept");
  return accept != nullptr && absl::StrContains(absl::AsciiStrToLower(*accept), type);
}

}  // namespace

http::Answer AnswerTo(const http::Request& request, const Board& board) {
  if (request.method != "GET" && request.method != "HEAD")
    return {.status = 405, .body = "only GET and HEAD\n", .allow = "GET, HEAD"};
  if (request.path == "/metrics")
    return Metrics(board, Accepts(request, "application/openmetrics-text"));
  if (request.path == "/livez") return Live(board);
  if (request.path == "/readyz") {
    return Ready(board,
                 request.Argument("json") != nullptr || Accepts(request, "application/json"));
  }
  return {.status = 404, .body = "no such page; there are /metrics, /livez and /readyz\n"};
}

}  // namespace opic::http_status
