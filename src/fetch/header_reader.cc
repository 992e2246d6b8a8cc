#include "fetch/header_reader.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace opic::fetch {
namespace {

struct Kept {
  std::string_view name;
  std::string Response::*value;
  const char* between = nullptr;  // its lines, where each adds to it; else the field is a singleton
};

constexpr Kept kKept[] = {
    {"content-type", &Response::content_type},
    {"location", &Response::location},
    {"etag", &Response::etag},
    {"last-modified", &Response::last_modified},
    {"retry-after", &Response::retry_after},
    // An agent in one line is not that of the next.
    {"x-robots-tag", &Response::x_robots_tag, "\n"},
    {"link", &Response::link, ", "},
    {"refresh", &Response::refresh},
};

absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

// Most names differ in their length already.
bool Is(std::string_view name, std::string_view field) {
  return name.size() == field.size() && absl::EqualsIgnoreCase(ToAbsl(name), ToAbsl(field));
}

void AddTo(std::string& list, std::string_view value, const char* between = ", ") {
  absl::StrAppend(&list, list.empty() ? "" : between, ToAbsl(value));
}

}  // namespace

bool HeaderReader::Line(std::string_view line) {
  bytes_ += line.size();
  if (bytes_ > bytes_max_) return false;
  at_end_of_head_ = false;
  if (!in_head_) {
    if (line.starts_with("HTTP/")) StartHead();
    return true;
  }
  const absl::string_view text = absl::StripAsciiWhitespace(ToAbsl(line));
  if (line.starts_with(' ') || line.starts_with('\t')) {
    GoOn({text.data(), text.size()});
    return true;
  }
  if (text.empty()) {
    in_head_ = false;
    at_end_of_head_ = true;
    return true;
  }
  last_value_ = nullptr;
  const size_t colon = text.find(':');
  if (colon == absl::string_view::npos) return true;
  const absl::string_view value = absl::StripAsciiWhitespace(text.substr(colon + 1));
  Keep({text.data(), colon}, {value.data(), value.size()});
  return true;
}

void HeaderReader::StartHead() {
  in_head_ = true;
  last_value_ = nullptr;
  content_encoding_.clear();
  transfer_encoding_.clear();
  response_.content_length.reset();
  for (const Kept& kept : kKept) (response_.*kept.value).clear();
}

void HeaderReader::Keep(std::string_view name, std::string_view value) {
  if (Is(name, "content-encoding")) {
    AddTo(content_encoding_, value);
    last_value_ = &content_encoding_;
  } else if (Is(name, "transfer-encoding")) {
    AddTo(transfer_encoding_, value);
    last_value_ = &transfer_encoding_;
  } else if (Is(name, "content-length")) {
    content_length_ = value;
    last_value_ = &content_length_;
    ReadLength();
  }
  for (const Kept& kept : kKept) {
    if (!Is(name, kept.name)) continue;
    std::string& target = response_.*kept.value;
    if (kept.between == nullptr) {
      target = value;
    } else {
      AddTo(target, value, kept.between);
    }
    last_value_ = &target;
  }
}

void HeaderReader::GoOn(std::string_view text) {
  if (last_value_ == nullptr || text.empty()) return;
  std::string& value = *last_value_;
  // Nothing is there of this line yet, but perhaps what parts it from an earlier one of its field.
  const bool begins = value.empty() || value.ends_with(' ') || value.ends_with('\n');
  absl::StrAppend(&value, begins ? "" : " ", ToAbsl(text));
  if (last_value_ != &content_length_) return;
  response_.content_length.reset();
  ReadLength();
}

void HeaderReader::ReadLength() {
  uint64_t length = 0;
  if (absl::SimpleAtoi(content_length_, &length)) response_.content_length = length;
}

}  // namespace opic::fetch
