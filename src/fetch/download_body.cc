// Implements a part of fetch/download.h. What becomes of the body that comes: whether it is wanted,
// how it is decoded, how much of it is kept, and when it has to wait for memory.
#include <curl/curl.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/clock.h"
#include "fetch/content_coding.h"
#include "fetch/download.h"
#include "fetch/settings.h"

namespace opic::fetch {
namespace {

// A body that cannot be packed is so much longer packed, at most: headers, and some bytes for each
// block. What is longer decodes to nothing.
constexpr size_t kMoreThanDecodedMax = 64 << 10;

// A coding of content that somebody has registered.
bool IsCoding(absl::string_view encoding) {
  for (const char* coding : {"gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress",
                             "dcb", "dcz", "exi", "pack200-gzip", "aes128gcm"}) {
    if (encoding == coding) return true;
  }
  return false;
}

}  // namespace

bool Download::JudgeType() {
  long status = 0;
  curl_easy_getinfo(easy(), CURLINFO_RESPONSE_CODE, &status);
  const bool has_body = status >= 200 && status <= 999 && status != 204 && status != 304;
  if (!has_body || any_type_ || !options_.wants || options_.wants(response_.content_type))
    return true;
  response_.unwanted = true;
  // What is only dropped need not be decoded, and cannot fail at it.
  decoder_.reset();
  response_.stopped = response_.content_length.value_or(kDrainBytesMax + 1) > kDrainBytesMax;
  return !response_.stopped;
}

// Chunks may be more than the length that stands beside them.
bool Download::Drain(size_t bytes) {
  drained_ += bytes;
  response_.stopped = drained_ > kDrainBytesMax;
  return !response_.stopped;
}

// Names that are no coding are seen in the wild ("utf-8", "foo"): as in browsers, they mean none.
// No server has use for a coding of a coding, and a stranger multiplies by each what a byte costs.
// What is packed for the transfer is not asked for; libcurl would unpack it in memory of its own.
bool Download::ChooseDecoder() {
  decoder_.reset();
  coding_.clear();
  for (const absl::string_view one : absl::StrSplit(reader_->transfer_encoding(), ',')) {
    if (!IsCoding(absl::AsciiStrToLower(absl::StripAsciiWhitespace(one)))) continue;
    Refuse(Error::kBadEncoding, absl::StrCat("encoded for the transfer: ", one.substr(0, 100)));
    return false;
  }
  const std::string encoding = absl::AsciiStrToLower(reader_->content_encoding());
  for (const absl::string_view part : absl::StrSplit(encoding, ',')) {
    const absl::string_view one = absl::StripAsciiWhitespace(part);
    if (!IsCoding(one)) continue;
    if (!coding_.empty()) {
      Refuse(Error::kBadEncoding, "encoded more than once: " + encoding.substr(0, 100));
      return false;
    }
    coding_ = std::string(one);
  }
  decoder_ = MakeBodyDecoder(coding_);
  return true;
}

bool Download::Decode(std::string_view bytes) {
  if (coding_.empty()) return AppendBody(bytes);
  encoded_ += bytes.size();
  if (encoded_ > body_bytes_max_ + kMoreThanDecodedMax) {
    Refuse(Error::kBadEncoding,
           absl::StrCat("the ", coding_, " body is longer than what is in it"));
    return false;
  }
  const auto append = [this](std::string_view decoded) { return AppendBody(decoded); };
  if (decoder_ && decoder_->Write(bytes, append)) return true;
  if (response_.error == Error::kNone) {
    Refuse(Error::kBadEncoding,
           absl::StrCat("the ", coding_, " body ", decoder_ ? "is damaged" : "cannot be read"));
  }
  return false;
}

// At most 16 KB a call are decoded, so a decompression bomb ends here. A request that shares its
// connection is not held back: libcurl 7.88 would hold back the others with it, and among them may
// be the one that all wait for (BodyRoom).
size_t Download::OnBody(char* bytes, size_t one, size_t size, void* self) {
  Download& download = *static_cast<Download*>(self);
  if (!download.MayRead()) {
    if (download.connections_.shared(download.connection_)) {
      download.Refuse(Error::kNoRoom, "the memory for answers is full");
      return 0;
    }
    download.NoteHeldBack();
    return CURL_WRITEFUNC_PAUSE;  // the same bytes come again
  }
  download.response_.ended = base::RealClock::Get().Now();
  const bool goes_on = download.response_.unwanted ? download.Drain(one * size)
                                                   : download.Decode({bytes, one * size});
  return goes_on ? one * size : 0;
}

bool Download::AppendBody(std::string_view bytes) {
  std::string& body = response_.body;
  const size_t room = body_bytes_max_ - body.size();
  const size_t kept = std::min(room, bytes.size());
  if (body.size() + kept > body.capacity()) {
    // Doubling, but never past the limit that the header promises: string's own growth would.
    std::string larger;
    larger.reserve(std::min(body_bytes_max_,
                            std::max({body.size() + kept, 2 * body.capacity(), PromisedBytes()})));
    body.swap(larger.append(body));
    room_.Take(this, response_.held, Cost());
  }
  body.append(bytes.substr(0, kept));
  if (kept == bytes.size()) return true;
  Refuse(Error::kBodyTooLarge, absl::StrCat("body above ", body_bytes_max_, " bytes"));
  return false;
}

// A length is of what is sent.
size_t Download::PromisedBytes() const {
  return coding_.empty() ? std::min(response_.content_length.value_or(0), room_.promised_max()) : 0;
}

// A decoder's window holds what was decoded last.
size_t Download::Cost() const {
  const size_t window_bytes_max = decoder_ ? decoder_->window_bytes_max() : 0;
  return BytesOf(response_) + std::min(response_.body.capacity(), window_bytes_max);
}

void Download::NoteHeldBack() {
  if (held_back()) return;
  held_back_since_ = base::RealClock::Get().Steady();
  room_.HeldBack(1);
  SetTotalTimeout(easy(), 2 * total_timeout_);  // until it is known how long it was
}

void Download::NoteGoesOn() {
  if (!held_back()) return;
  held_back_ += base::RealClock::Get().Steady() - *held_back_since_;
  held_back_since_.reset();
  room_.HeldBack(-1);
}

// libcurl does not call a transfer slow whose reading is paused, and counts anew afterwards.
CURLcode Download::GoOn() {
  NoteGoesOn();
  if (held_back_ > options_.total_timeout) {
    Refuse(Error::kNoRoom, "held back too long: the memory for answers was full");
    return CURLE_WRITE_ERROR;
  }
  SetTotalTimeout(easy(), total_timeout_ + held_back_);
  const CURLcode code = curl_easy_pause(easy(), CURLPAUSE_CONT);
  // Said of one that has no connection at the moment, and so was not paused either.
  return code == CURLE_BAD_FUNCTION_ARGUMENT ? CURLE_OK : code;
}

}  // namespace opic::fetch
