// What the sample web remembers of a request.
//
// Thread safety: compatible.
#pragma once

#include <cstdint>
#include <string>

namespace opic::sample {

// One request served.
struct Hit {
  std::string host, target;
  int status = 0;                    // 0: the client left before there was an answer
  int64_t start_us = 0, end_us = 0;  // monotonic clock: request line read, last byte sent
};

}  // namespace opic::sample
