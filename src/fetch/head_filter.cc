#include "fetch/head_filter.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace opic::fetch {
namespace {

// After 101 something else than HTTP follows.
bool IsInterim(std::string_view status_line) {
  const size_t space = status_line.find(' ');
  if (space == status_line.npos) return false;
  status_line.remove_prefix(
      std::min(status_line.find_first_not_of(' ', space), status_line.size()));
  return status_line.size() >= 3 && status_line[0] == '1' && absl::ascii_isdigit(status_line[1]) &&
         absl::ascii_isdigit(status_line[2]) && !status_line.starts_with("101");
}

}  // namespace

bool HeadFilter::Pass(std::string_view bytes, std::string& passed) {
  while (in_head() && !bytes.empty()) {
    const size_t taken = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
    bytes_ += taken;
    if (bytes_ > bytes_max_) return false;
    line_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (line_.back() != '\n') break;
    if (Passes(line_)) passed.append(line_);
    line_.clear();
  }
  passed.append(bytes);
  return true;
}

void HeadFilter::End(std::string& passed) {
  passed.append(line_);
  line_.clear();
}

bool HeadFilter::Passes(std::string_view line) {
  if (at_ == At::kStatusLine) {
    at_ = line.starts_with("HTTP/") ? At::kFields : At::kBody;
    interim_ = IsInterim(line);
    after_field_ = false;
    return true;
  }
  if (line.front() == '\r' || line.front() == '\n') {
    at_ = interim_ ? At::kStatusLine : At::kBody;
    return true;
  }
  const bool continues = after_field_ && (line.front() == ' ' || line.front() == '\t');
  if (!continues) field_passes_ = line.find(':') != line.npos;
  after_field_ = true;
  return field_passes_;
}

}  // namespace opic::fetch
