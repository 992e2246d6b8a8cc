#include "gateway/followed.h"

#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "gateway/connect.h"
#include "http/flow.h"
#include "rpc/json_stream.h"

namespace opic::gateway {
namespace {

using Count = std::function<void(const absl::Status&)>;

// Between the call and the client. The call has it until it has ended.
class Relay : public std::enable_shared_from_this<Relay> {
 public:
  Relay(std::shared_ptr<http::Waiting> waiting, Count count)
      : waiting_(std::move(waiting)), count_(std::move(count)) {}

  void Has(std::shared_ptr<rpc::JsonStream> stream) {
    bool wanted = false, gone = false;
    {
      const absl::MutexLock lock(&mu_);
      stream_ = stream;
      wanted = std::exchange(wanted_, false);
      gone = gone_;
    }
    if (gone) stream->GiveUp();
    if (wanted) stream->Next();
  }
  void Next() {
    std::shared_ptr<rpc::JsonStream> stream;
    {
      const absl::MutexLock lock(&mu_);
      stream = stream_;
      wanted_ = stream == nullptr;
    }
    if (stream) stream->Next();
  }
  void GiveUp() {
    std::shared_ptr<rpc::JsonStream> stream;
    {
      const absl::MutexLock lock(&mu_);
      stream = stream_;
      gone_ = true;
    }
    if (stream) stream->GiveUp();
  }

  void OnReply(absl::StatusOr<std::string> json) {
    if (!json.ok()) {
      failed_ = json.status();
      return GiveUp();
    }
    if (flow_) return flow_->Add(*json + "\n");
    flow_ = std::make_shared<http::Flow>([self = shared_from_this()] { self->Next(); },
                                         [self = shared_from_this()] { self->GiveUp(); });
    flow_->Add(*json + "\n");
    waiting_->Answer([self = shared_from_this(), flow = flow_](bool room) -> http::Answer {
      const absl::Status status =
          room ? absl::OkStatus()
               : absl::UnavailableError("too many questions are being answered: try again later");
      self->count_(status);
      if (room) return {.content_type = "application/x-ndjson", .flow = flow};
      self->GiveUp();
      return ErrorAnswer(status);
    });
  }

  void OnEnd(absl::Status status) {
    if (!failed_.ok()) status = failed_;
    const std::shared_ptr<http::Flow> flow = std::move(flow_);  // which has this object
    if (!flow) {
      waiting_->Answer([count = count_, status](bool) {
        count(status);
        return ErrorAnswer(status.ok() ? absl::UnavailableError("the stream was empty") : status);
      });
    } else {
      if (!status.ok()) {
        const std::string error = ErrorAnswer(status).body;
        flow->Add(absl::StrCat("{\"error\":", absl::StripAsciiWhitespace(error), "}\n"));
      }
      flow->End();
    }
    const absl::MutexLock lock(&mu_);
    stream_ = nullptr;
    gone_ = true;
  }

 private:
  const std::shared_ptr<http::Waiting> waiting_;
  const Count count_;
  // Of the callbacks of the call, which come one at a time.
  std::shared_ptr<http::Flow> flow_;  // null: there was no reply yet
  absl::Status failed_;
  absl::Mutex mu_;
  std::shared_ptr<rpc::JsonStream> stream_ ABSL_GUARDED_BY(mu_);
  bool wanted_ ABSL_GUARDED_BY(mu_) = false;  // before there was a stream
  bool gone_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace

void Follow(rpc::JsonCalls& calls, const rpc::JsonCalls::Method& method,
            const rpc::JsonQuestion& question, std::shared_ptr<http::Waiting> waiting,
            Count count) {
  const auto relay = std::make_shared<Relay>(waiting, std::move(count));
  waiting->WhenGone([weak = std::weak_ptr<Relay>(relay)] {
    if (const std::shared_ptr<Relay> still = weak.lock()) still->GiveUp();
  });
  absl::StatusOr<std::shared_ptr<rpc::JsonStream>> stream =
      calls.Follow(method, question,
                   {[relay](absl::StatusOr<std::string> json) { relay->OnReply(std::move(json)); },
                    [relay](absl::Status status) { relay->OnEnd(std::move(status)); }});
  if (stream.ok()) return relay->Has(*std::move(stream));
  relay->OnEnd(stream.status());
}

}  // namespace opic::gateway
