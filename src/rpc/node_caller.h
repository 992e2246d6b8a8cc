// The calls of a client to one node: each has a deadline and shows who calls, its error says who
// was asked, and of one that lasts NodeClientOptions::waiting is told.
//
// Thread safety: immutable.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rpc/node_client_options.h"
#include "rpc/wait_notice.h"

namespace opic::rpc {

class NodeCaller {
 public:
  NodeCaller(const std::string& address, const NodeClientOptions& options);

  const NodeClientOptions& options() const { return options_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

  // Makes one call of a stub of `channel`. Unimplemented: the node is of an older release, or of
  // another kind.
  template <typename Stub, typename Request, typename Reply>
  absl::StatusOr<Reply> Ask(Stub& stub,
                            grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                         Reply*),
                            const Request& request) const {
    return Ask(stub, method, request, options_.patience);
  }
  // The same for an answer that takes a walk of all rows.
  template <typename Stub, typename Request, typename Reply>
  absl::StatusOr<Reply> AskForScan(Stub& stub,
                                   grpc::Status (Stub::*method)(grpc::ClientContext*,
                                                                const Request&, Reply*),
                                   const Request& request) const {
    const bool own = options_.scan_patience > absl::ZeroDuration();
    return Ask(stub, method, request, own ? options_.scan_patience : options_.patience);
  }

  // Reads a stream until it ends, or until `take` says false: Ok then. It has no deadline; it is
  // waited for until something comes.
  template <typename Stub, typename Request, typename Reply>
  absl::Status Read(Stub& stub,
                    std::unique_ptr<grpc::ClientReader<Reply>> (Stub::*method)(grpc::ClientContext*,
                                                                               const Request&),
                    const Request& request, const std::function<bool(const Reply&)>& take) const {
    grpc::ClientContext context;
    Prepare(context, absl::InfiniteDuration());
    const std::unique_ptr<grpc::ClientReader<Reply>> stream = (stub.*method)(&context, request);
    std::optional<WaitNotice> notice(std::in_place, Notice(), options_.told_after);
    bool wanted = true;
    for (Reply reply; wanted && stream->Read(&reply);) {
      notice.reset();
      wanted = take(reply);
    }
    if (!wanted) context.TryCancel();
    const grpc::Status ended = stream->Finish();
    return wanted ? Told(ended) : absl::OkStatus();
  }

 private:
  template <typename Stub, typename Request, typename Reply>
  absl::StatusOr<Reply> Ask(Stub& stub,
                            grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                         Reply*),
                            const Request& request, absl::Duration patience) const {
    grpc::ClientContext context;
    Prepare(context, patience);
    const WaitNotice notice(Notice(), options_.told_after);
    Reply reply;
    const absl::Status status = Told((stub.*method)(&context, request, &reply));
    if (!status.ok()) return status;
    return reply;
  }
  void Prepare(grpc::ClientContext& context, absl::Duration patience) const;
  absl::Status Told(const grpc::Status& ended) const;
  // What is told of a call that lasts; empty: nothing.
  std::function<void()> Notice() const;
  std::string WhyItLasts() const;

  const std::string address_;
  const NodeClientOptions options_;
  const std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace opic::rpc
