#include "fetch/response.h"

namespace opic::fetch {

std::string_view Name(Error error) {
  switch (error) {
    case Error::kNone:
      return "none";
    case Error::kResolve:
      return "resolve";
    case Error::kConnect:
      return "connect";
    case Error::kTls:
      return "tls";
    case Error::kTimeout:
      return "timeout";
    case Error::kTooSlow:
      return "too slow";
    case Error::kNoAnswer:
      return "no answer";
    case Error::kCut:
      return "cut";
    case Error::kReset:
      return "reset";
    case Error::kGarbage:
      return "garbage";
    case Error::kBadHeader:
      return "bad header";
    case Error::kHeaderTooLarge:
      return "header too large";
    case Error::kBadChunks:
      return "bad chunks";
    case Error::kBodyTooLarge:
      return "body too large";
    case Error::kBadEncoding:
      return "bad encoding";
    case Error::kRefusedAddress:
      return "refused address";
    case Error::kAddressBusy:
      return "address busy";
    case Error::kNoDescriptor:
      return "no descriptor";
    case Error::kProxy:
      return "proxy";
    case Error::kNoRoom:
      return "no room";
    case Error::kWithdrawn:
      return "withdrawn";
    case Error::kStopped:
      return "stopped";
    case Error::kOther:
      return "other";
  }
  return "unknown";
}

size_t BytesOf(const Response& response) {
  size_t bytes = sizeof(Response) + response.body.capacity();
  for (const std::string* value :
       {&response.content_type, &response.location, &response.etag, &response.last_modified,
        &response.retry_after, &response.x_robots_tag, &response.link, &response.refresh}) {
    bytes += value->size();
  }
  return bytes;
}

}  // namespace opic::fetch
