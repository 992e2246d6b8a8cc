// A call of a service whose reply is a stream, as JSON: the next message is read when it is wanted.
//
// Thread safety: synchronised inside.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace grpc {
class ByteBuffer;
class Channel;
class ClientContext;
}  // namespace grpc

namespace opic::rpc {

class JsonStream {
 public:
  // Run on threads of gRPC, one at a time. After a reply there is none before Next. `ended` comes
  // once, at last.
  struct Listener {
    std::function<void(const grpc::ByteBuffer&)> reply;
    std::function<void(absl::Status)> ended;
  };
  // Begins the call, and reads the first message.
  static std::shared_ptr<JsonStream> Begin(std::shared_ptr<grpc::Channel> channel,
                                           const std::string& path,
                                           std::unique_ptr<grpc::ClientContext> context,
                                           const std::string& request, Listener listener);

  virtual ~JsonStream() = default;
  // To be called once after each reply, unless the call is given up.
  virtual void Next() = 0;
  // `ended` still comes. May be called again, and when the call is over.
  virtual void GiveUp() = 0;
};

}  // namespace opic::rpc
