#include "desk/fetch_log.h"

#include <fmt/format.h>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"

namespace opic::desk {
namespace {

// Length of the well-formed UTF-8 sequence at `at`, 0 when there is none.
size_t Utf8Length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<uint8_t>(text[at + i]) : 0;
  };
  const auto tail = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0 && tail(1)) return 2;
  if (lead >= 0xe0 && lead < 0xf0 && tail(1) && tail(2) && (lead != 0xe0 || byte(1) >= 0xa0) &&
      (lead != 0xed || byte(1) < 0xa0)) {
    return 3;
  }
  if (lead >= 0xf0 && lead < 0xf5 && tail(1) && tail(2) && tail(3) &&
      (lead != 0xf0 || byte(1) >= 0x90) && (lead != 0xf4 || byte(1) < 0x90)) {
    return 4;
  }
  return 0;
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const size_t length = Utf8Length(text, i);
    const char c = text[i];
    if (length == 0) {
      out += "\xef\xbf\xbd";
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (length == 1 && static_cast<uint8_t>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out.append(text.substr(i, length));
    }
    i += length;
  }
  return out + "\"";
}

FetchLine LineOf(const fetch::Response& response) {
  FetchLine line;
  line.at = response.started;
  line.status = response.status;
  if (response.error != fetch::Error::kNone) line.error = std::string(fetch::Name(response.error));
  line.detail = response.detail;
  line.wire_bytes = response.wire_bytes;
  line.body_bytes = response.body.size();
  line.duration = response.ended - response.started;
  line.content_type = response.content_type;
  line.address = response.address;
  return line;
}

FetchLog::FetchLog(const std::string& path) : file_(std::fopen(path.c_str(), "ae")) {}

FetchLog::~FetchLog() {
  if (file_ != nullptr) std::fclose(file_);
}

void FetchLog::Append(const FetchLine& line) {
  const std::string text = fmt::format(
      "{{\"time\":{:.3f},\"url\":{},\"outcome\":{},\"status\":{},\"error\":{},\"detail\":{},\"wire_"
      "bytes\":{},"
      "\"body_bytes\":{},\"seconds\":{:.4f},\"links\":{},\"content_type\":{},\"address\":{}}}\n",
      absl::ToDoubleSeconds(line.at - absl::UnixEpoch()), JsonString(line.url),
      JsonString(line.outcome), line.status, JsonString(line.error), JsonString(line.detail),
      line.wire_bytes, line.body_bytes, absl::ToDoubleSeconds(line.duration), line.links,
      JsonString(line.content_type), JsonString(line.address));
  absl::MutexLock lock(&mu_);
  // Flushed line by line: a killed process loses none that it had told.
  if (file_ == nullptr || std::fwrite(text.data(), 1, text.size(), file_) != text.size() ||
      std::fflush(file_) != 0) {
    ++lost_;
  }
}

}  // namespace opic::desk
