// The pages of the status server: /metrics, /livez and /readyz.
//
// Thread safety: pure.
#pragma once

#include "http_status/board.h"
#include "http_status/server.h"

namespace opic::http_status {

// GET and HEAD only.
//   /metrics  the last report, and opic_ready; in the text format of Prometheus, or in OpenMetrics
//   /livez    200 while the main loop answers, else 503
//   /readyz   200, or 503 with the reasons: "code: sentence" a line, or
//             {"ready":false,"reasons":[{"code":"paused","sentence":"..."}]}
Answer AnswerTo(const Request& request, const Board& board);

}  // namespace opic::http_status
