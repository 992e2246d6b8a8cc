// The pages of the status server: /metrics, /livez and /readyz.
//
// Thread safety: pure.
#pragma once

#include "http/message.h"
#include "http_status/board.h"

namespace opic::http_status {

// GET and HEAD only.
//   /metrics  the last report, and opic_ready; in the text format of Prometheus, or in OpenMetrics
//             for who accepts that
//   /livez    200 while the main loop answers, else 503
//   /readyz   200, or 503 with the reasons: "code: sentence" a line, or
//             {"ready":false,"reasons":[{"code":"paused","sentence":"..."}]} for who asks with
//             ?json or accepts that
http::Answer AnswerTo(const http::Request& request, const Board& board);

}  // namespace opic::http_status
