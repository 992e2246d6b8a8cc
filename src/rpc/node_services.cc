#include "rpc/node_services.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "base/quoted.h"
#include "base/reason.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "node/typed_url.h"
#include "opic/v1/export.grpc.pb.h"
#include "opic/v1/importance.grpc.pb.h"
#include "rpc/answer_wire.h"
#include "rpc/audit_service.h"
#include "rpc/control.h"
#include "rpc/export_wire.h"
#include "rpc/limits.h"
#include "rpc/question_threads.h"
#include "rpc/sites_wire.h"
#include "rpc/top_wire.h"
#include "rpc/watch_desk.h"

namespace opic::rpc {
namespace {

using RawImportance = v1::Importance::WithCallbackMethod_Get<
    v1::Importance::WithRawCallbackMethod_BatchGet<v1::Importance::WithCallbackMethod_Top<
        v1::Importance::WithCallbackMethod_Sites<v1::Importance::WithCallbackMethod_ExplainUrl<
            v1::Importance::WithRawCallbackMethod_Watch<v1::Importance::Service>>>>>>;

class ImportanceService final : public RawImportance {
 public:
  ImportanceService(QuestionThreads& questions, WatchDesk& watchers)
      : questions_(questions), watchers_(watchers) {}

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context, const v1::GetRequest* request,
                                v1::GetResponse* reply) override {
    return questions_.At(request->local_only())
        .Answer(context, Role::kReader, [this, request, reply]() -> absl::Status {
          const absl::StatusOr<std::vector<node::PageImportance>> pages =
              questions_.AnswersFor(request->local_only()).Importance({request->url()});
          if (pages.ok()) ToWire(pages->front(), reply->mutable_page());
          return pages.status();
        });
  }

  grpc::ServerUnaryReactor* BatchGet(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* reply) override {
    const auto asked = ReadList<v1::BatchGetRequest>(*request);
    if (!asked.ok()) return Refuse(context, asked.status());
    return questions_.At((*asked)->local_only())
        .Answer(
            context, Role::kReader,
            [this, asked = *asked, reply] {
              v1::BatchGetResponse answer;
              absl::Status status = GetAll(*asked, &answer);
              if (status.ok()) *reply = Serialize(answer);
              return status;
            },
            request->Length());
  }

  grpc::ServerUnaryReactor* Top(grpc::CallbackServerContext* context, const v1::TopRequest* request,
                                v1::TopResponse* reply) override {
    return questions_.ForScan(request->local_only())
        .Answer(context, Role::kReader, [this, context, request, reply]() -> absl::Status {
          ASSIGN_OR_RETURN(const TopPart part, TopPart::Of(*request));
          node::TopQuery query{.count = part.end, .filter = {}, .given_up = GivenUp(context)};
          ASSIGN_OR_RETURN(query.filter, FromWire(request->filter()));
          const auto top = questions_.AnswersFor(request->local_only()).Top(query);
          if (top.ok()) ToWire(*top, part, reply);
          return EndOfWalk(top.status());
        });
  }

  grpc::ServerUnaryReactor* Sites(grpc::CallbackServerContext* context,
                                  const v1::SitesRequest* request,
                                  v1::SitesResponse* reply) override {
    return questions_.ForScan(request->local_only())
        .Answer(context, Role::kReader, [this, context, request, reply]() -> absl::Status {
          ASSIGN_OR_RETURN(node::SitesQuery query, FromWire(*request));
          query.given_up = GivenUp(context);
          const auto top = questions_.AnswersFor(request->local_only()).Sites(query);
          if (top.ok()) ToWire(*top, reply);
          return EndOfWalk(top.status());
        });
  }

  grpc::ServerUnaryReactor* ExplainUrl(grpc::CallbackServerContext* context,
                                       const v1::ExplainUrlRequest* request,
                                       v1::ExplainUrlResponse* reply) override {
    return questions_.At(request->local_only())
        .Answer(context, Role::kReader, [this, request, reply]() -> absl::Status {
          ASSIGN_OR_RETURN(const node::PageExplanation explanation,
                           questions_.AnswersFor(request->local_only()).Explain(request->url()));
          ToWire(explanation, reply);
          return absl::OkStatus();
        });
  }

  WatchDesk::Reactor* Watch(grpc::CallbackServerContext* context,
                            const grpc::ByteBuffer* request) override {
    return watchers_.Begin(context, *request);
  }

 private:
  // A walk ends when its caller has gone, or the node stops.
  node::GivenUp GivenUp(grpc::CallbackServerContext* context) {
    return [this, context] { return context->IsCancelled() || questions_.stopping(); };
  }

  // Who still waits is to ask again, as for all other questions to a node that stops.
  absl::Status EndOfWalk(const absl::Status& end) {
    if (!absl::IsCancelled(end) || !questions_.stopping()) return end;
    return base::WithReason(absl::UnavailableError("the node is stopping"), "NODE_STOPPING");
  }

  static void TellError(const std::string& typed, const absl::Status& why,
                        v1::PageImportance* page) {
    page->set_url(base::PlainText(typed, base::kQuotedBytesMax));
    page->set_error(std::string(why.message()));
    if (const auto reason = base::ReasonOf(why)) page->set_error_reason(reason->word);
  }

  absl::Status GetAll(const v1::BatchGetRequest& request, v1::BatchGetResponse* reply) {
    if (request.urls_size() > kBatchUrlsMax) {
      return base::WithReason(absl::InvalidArgumentError(absl::StrCat(
                                  "urls: ", request.urls_size(), " are too many; ask for at most ",
                                  kBatchUrlsMax, " in one call")),
                              "TOO_MANY_URLS", {{"most", absl::StrCat(kBatchUrlsMax)}});
    }
    std::vector<std::string> urls;
    std::vector<v1::PageImportance*> places;  // of the answers
    for (const std::string& typed : request.urls()) {
      v1::PageImportance* page = reply->add_pages();
      if (const absl::Status status = node::TypedUrl(typed).status(); !status.ok()) {
        TellError(typed, status, page);
        continue;
      }
      urls.push_back(typed);
      places.push_back(page);
    }
    ASSIGN_OR_RETURN(const std::vector<node::PageImportance> pages,
                     questions_.AnswersFor(request.local_only()).Importance(urls));
    std::set<std::string> missing;
    for (size_t i = 0; i < pages.size(); ++i) {
      ToWire(pages[i], places[i]);
      if (!pages[i].unanswered_by.empty()) missing.insert(pages[i].unanswered_by);
    }
    for (const std::string& name : missing) reply->add_missing_nodes(name);
    return absl::OkStatus();
  }

  QuestionThreads& questions_;
  WatchDesk& watchers_;
};

class ExportService final : public v1::Export::CallbackService {
 public:
  explicit ExportService(QuestionThreads& questions) : questions_(questions) {}

  grpc::ServerUnaryReactor* Read(grpc::CallbackServerContext* context,
                                 const v1::ReadRequest* request, v1::ReadResponse* reply) override {
    return questions_.ForScan(/*local_only=*/true)
        .Answer(context, Role::kReader, [this, request, reply]() -> absl::Status {
          ASSIGN_OR_RETURN(const node::ExportPosition position, FromWire(*request));
          ASSIGN_OR_RETURN(const node::ExportedRows rows, questions_.node().ReadExport(position));
          ToWire(rows, reply);
          return absl::OkStatus();
        });
  }

 private:
  QuestionThreads& questions_;
};

}  // namespace

class NodeServices::Impl {
 public:
  Impl(node::RunningNode& node, const Options& options)
      : questions(node, options), watchers(questions, options.reply_untaken_max) {
    services.push_back(std::make_unique<ImportanceService>(questions, watchers));
    services.push_back(NewControlService(questions));
    services.push_back(NewAuditService(questions));
    services.push_back(std::make_unique<ExportService>(questions));
  }
  QuestionThreads questions;
  WatchDesk watchers;
  std::vector<std::unique_ptr<grpc::Service>> services;
};

NodeServices::NodeServices(node::RunningNode& node, Options options)
    : impl_(std::make_unique<Impl>(node, options)) {}
NodeServices::~NodeServices() = default;
std::vector<grpc::Service*> NodeServices::services() {
  std::vector<grpc::Service*> services;
  for (const auto& service : impl_->services) services.push_back(service.get());
  return services;
}
void NodeServices::Open() { impl_->questions.Open(); }
void NodeServices::Stop() {
  impl_->questions.Stop();
  impl_->watchers.Stop();
}

}  // namespace opic::rpc
