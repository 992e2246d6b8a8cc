#include "desk/fetch_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "base/json_string.h"
#include "base/log.h"

namespace opic::desk {
namespace {

constexpr absl::Duration kLookEvery = absl::Seconds(1);
constexpr std::string_view kLineBegins = "{\"time\":";
constexpr uint64_t kHalfLineBytesMax = 256 << 10;  // URLs have 2,048 bytes at most
constexpr char kEnd[] = "}\n";                     // of a line that was begun
constexpr size_t kOtherBytes = 320;                // of a line, besides its long texts
constexpr char kImportance[] = ",\"importance\":{:.6g}";

void AddField(std::string& out, std::string_view begins, std::string_view text) {
  out.append(begins);
  base::AppendJsonString(out, text);
}

// `,"links_left_out":{...}`; nothing for none.
void AddLinksLeftOut(const FetchLine& line, std::string& out) {
  const std::pair<const char*, uint32_t> counts[] = {{"other_scheme", line.other_scheme},
                                                     {"too_long", line.too_long},
                                                     {"malformed", line.malformed},
                                                     {"nofollow", line.nofollow}};
  const char* before = ",\"links_left_out\":{\"";
  bool any = false;
  for (const auto& [name, count] : counts) {
    if (count == 0) continue;
    absl::StrAppend(&out, before, name, "\":", count);
    before = ",\"";
    any = true;
  }
  if (any) out += '}';
}

// The fields that not all lines have.
void AddRare(const FetchLine& line, std::string& out) {
  if (!line.robots.empty()) absl::StrAppend(&out, ",\"robots\":\"", line.robots, "\"");
  if (!line.left_out.empty())
    absl::StrAppend(&out, ",\"left_out\":[\"", absl::StrJoin(line.left_out, "\",\""), "\"]");
  if (line.declared_bytes) absl::StrAppend(&out, ",\"declared_bytes\":", *line.declared_bytes);
  if (line.cookies > 0) absl::StrAppend(&out, ",\"cookies\":", line.cookies);
  AddLinksLeftOut(line, out);
  if (!line.requested) absl::StrAppend(&out, ",\"requested\":false");
  if (line.shard) absl::StrAppend(&out, ",\"shard\":", *line.shard);
  if (line.depth) absl::StrAppend(&out, ",\"depth\":", *line.depth);
  if (!line.referrer.empty()) AddField(out, ",\"referrer\":", line.referrer);
  if (line.digest != 0)
    absl::StrAppend(&out, ",\"digest\":\"", absl::Hex(line.digest, absl::kZeroPad16), "\"");
}

// About how long it gets. Lines wait for the ledger, and need not take twice that.
size_t BytesOf(const FetchLine& line) {
  return line.url.size() + line.detail.size() + line.content_type.size() + line.referrer.size() +
         kOtherBytes;
}

// Whether it is the beginning of a line of this log, and not the end of somebody else's file.
bool IsOurs(std::string_view half_line) {
  const size_t shorter = std::min(half_line.size(), kLineBegins.size());
  return half_line.substr(0, shorter) == kLineBegins.substr(0, shorter);
}

// Of a file of `bytes`: those behind its last whole line, or none when these are not ours to cut.
std::optional<uint64_t> HalfLineOf(const std::string& path, uint64_t bytes) {
  std::string tail(std::min(bytes, kHalfLineBytesMax), '\0');
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  const ssize_t got =
      pread(file, tail.data(), tail.size(), static_cast<off_t>(bytes - tail.size()));
  close(file);
  if (got != static_cast<ssize_t>(tail.size())) return std::nullopt;
  const size_t end = tail.rfind('\n');
  if (end == std::string::npos && tail.size() < bytes) return std::nullopt;  // it is too long
  const size_t begin = end == std::string::npos ? 0 : end + 1;
  if (!IsOurs(std::string_view(tail).substr(begin))) return std::nullopt;
  return tail.size() - begin;
}

}  // namespace

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
  line.cookies = response.cookies;
  if (response.unwanted) line.declared_bytes = response.content_length;
  return line;
}

void AddLeftOut(LeftOut left_out, const links::Result& document, FetchLine& line) {
  line.left_out = NamesOf(left_out);
  line.other_scheme = document.other_scheme;
  line.too_long = document.too_long;
  line.malformed = document.rejected - document.other_scheme - document.too_long;
  line.nofollow = document.nofollowed;
}

BegunLine Begin(const FetchLine& line) {
  BegunLine out;
  out.reserve(BytesOf(line));
  fmt::format_to(std::back_inserter(out), "{}{:.3f}", kLineBegins,
                 absl::ToDoubleSeconds(line.at - absl::UnixEpoch()));
  AddField(out, ",\"url\":", line.url);
  AddField(out, ",\"outcome\":", line.outcome);
  absl::StrAppend(&out, ",\"status\":", line.status);
  AddField(out, ",\"error\":", line.error);
  AddField(out, ",\"detail\":", line.detail);
  fmt::format_to(std::back_inserter(out),
                 ",\"wire_bytes\":{},\"body_bytes\":{},\"seconds\":{:.4f},\"links\":{}",
                 line.wire_bytes, line.body_bytes, absl::ToDoubleSeconds(line.duration),
                 line.links);
  AddField(out, ",\"content_type\":", line.content_type);
  AddField(out, ",\"address\":", line.address);
  AddRare(line, out);
  return out;
}

FetchLog::FetchLog(const std::string& path, const Limits& limits)
    : path_(path), limits_(limits), file_(nullptr) {
  absl::MutexLock lock(&mu_);
  Open();
}

FetchLog::~FetchLog() {
  absl::MutexLock lock(&mu_);
  Close();
}

void FetchLog::Open() {
  file_ = std::fopen(path_.c_str(), "ae");
  open_error_ = errno;
  struct stat found = {};
  if (file_ == nullptr || fstat(fileno(file_), &found) != 0) return;
  bytes_ = static_cast<uint64_t>(found.st_size);
  inode_ = found.st_ino;
  regular_ = S_ISREG(found.st_mode);
  if (regular_) CutHalfLine();
}

// Left by a killed process or a full disk: readers would take the next line for its end. What
// another program has written stays, on a line of its own.
void FetchLog::CutHalfLine() {
  const std::optional<uint64_t> half = HalfLineOf(path_, bytes_);
  if (half == 0u) return;
  if (half && ftruncate(fileno(file_), static_cast<off_t>(bytes_ - *half)) == 0) {
    bytes_ -= *half;
  } else if (std::fputc('\n', file_) != EOF) {
    ++bytes_;
  }
}

void FetchLog::Close() {
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
}

// Somebody may have moved the file away, or removed it.
bool FetchLog::IsStillThere() const {
  struct stat found = {};
  return stat(path_.c_str(), &found) == 0 && found.st_ino == inode_;
}

void FetchLog::Rotate() {
  Close();
  for (int older = limits_.older_files; older > 0; --older) {
    const std::string from = older == 1 ? path_ : absl::StrCat(path_, ".", older - 1);
    std::rename(from.c_str(), absl::StrCat(path_, ".", older).c_str());
  }
  if (limits_.older_files <= 0) std::remove(path_.c_str());
  Open();
}

void FetchLog::MakeReady(size_t bytes) {
  const absl::Time now = absl::Now();
  if (now >= look_again_ || now < look_again_ - kLookEvery) {
    look_again_ = now + kLookEvery;
    if (file_ == nullptr || !IsStillThere()) {
      Close();
      Open();
    }
  }
  const bool full = limits_.bytes_max > 0 && bytes_ > 0 && bytes_ + bytes > limits_.bytes_max;
  if (file_ != nullptr && regular_ && full) Rotate();
}

void FetchLog::Write(const std::string& text, uint64_t lines) {
  absl::MutexLock lock(&mu_);
  MakeReady(text.size());
  // Flushed: a process killed from here on loses none of these.
  if (file_ == nullptr || std::fwrite(text.data(), 1, text.size(), file_) != text.size() ||
      std::fflush(file_) != 0) {
    Lose(lines);
    if (file_ != nullptr && regular_) {  // opened again, it has no half line
      Close();
      look_again_ = absl::InfinitePast();
    }
    return;
  }
  bytes_ += text.size();
  if (const uint64_t lost = std::exchange(lost_in_a_row_, 0); lost > 0)
    base::LogInfo("{} is written again; up to {} of its lines were lost", path_, lost);
}

// Told once, until a line can be written.
void FetchLog::Lose(uint64_t lines) {
  const int why = file_ == nullptr ? open_error_ : errno;
  if (lost_in_a_row_ == 0) {
    base::LogWarning("{} cannot be written: {}; the crawl goes on, and its lines are lost", path_,
                     std::strerror(why));
  }
  lost_in_a_row_ += lines;
  lost_ += lines;
}

void FetchLog::Append(const FetchLine& line) { Write(Begin(line) + kEnd, 1); }

void FetchLog::Append(absl::Span<const RecordedLine> lines) {
  if (lines.empty()) return;
  std::string text;
  for (const RecordedLine& line : lines) {
    text += line.begun;
    if (line.importance) fmt::format_to(std::back_inserter(text), kImportance, *line.importance);
    text += kEnd;
  }
  Write(text, lines.size());
}

}  // namespace opic::desk
