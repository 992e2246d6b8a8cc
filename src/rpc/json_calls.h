// Calls of the services that answer readers, with messages as JSON (rpc/json_messages.h).
//
// No method has code of its own: types come from the descriptors of proto/, and calls go over a
// channel to the services, so that their gate, limits and audit trails apply.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace google::protobuf {
class MethodDescriptor;
}

namespace grpc {
class Channel;
}

namespace opic::rpc {

class JsonMessages;
class JsonStream;

struct JsonQuestion {
  std::string json;           // an object
  std::string authorization;  // as in HTTP: "Bearer TOKEN"; may be empty
  absl::Duration patience;
};

// Thread safety: synchronised inside.
class JsonCalls {
 public:
  // A call that can be made.
  struct Method {
    const google::protobuf::MethodDescriptor* type;
    bool safe;    // it changes nothing: NO_SIDE_EFFECTS in proto/
    bool stream;  // its reply is a stream: it is followed, and not asked
  };
  // How a call has ended; if `status` is OK, `json` makes the answer.
  struct Ended {
    absl::Status status;
    std::function<absl::StatusOr<std::string>()> json;
  };

  // A channel to services of opic.v1; it may have only some of them.
  explicit JsonCalls(std::shared_ptr<grpc::Channel> channel);
  ~JsonCalls();

  // How a stream is heard. Run on any thread, one at a time; `ended` comes once, at last.
  struct Listener {
    std::function<void(absl::StatusOr<std::string>)> reply;  // the next message
    std::function<void(absl::Status)> ended;
  };
  // By "/opic.v1.Importance/Top"; null: there is none, or it is of peers.
  const Method* Find(const std::string& path) const;
  // `ended` is called once, on any thread, perhaps before this returns. InvalidArgument: the
  // question is not JSON of its type. What is returned gives the call up, at any time.
  std::function<void()> Ask(const Method& method, const JsonQuestion& question,
                            std::function<void(Ended)> ended);
  // The same of a stream, whose next message is read when it is wanted. A patience of
  // absl::InfiniteDuration() means no end. InvalidArgument as above; then nothing is heard.
  absl::StatusOr<std::shared_ptr<JsonStream>> Follow(const Method& method,
                                                     const JsonQuestion& question,
                                                     Listener listener);

 private:
  // The question in Protobuf's binary form.
  absl::StatusOr<std::string> BinaryOf(const Method& method, const JsonQuestion& question) const;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::shared_ptr<const JsonMessages> messages_;
  std::map<std::string, Method> methods_;  // by path
};

}  // namespace opic::rpc
