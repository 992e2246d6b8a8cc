#include "http/response.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "http/flow.h"

namespace opic::http {
namespace {

// The body of an answer on its way.
struct Sent {
  std::string body;
  base::HeldBytes held;
};

// The same of an answer in parts.
struct Flowing {
  std::shared_ptr<Flow> flow;
  MHD_Connection* connection;
};

void Forget(void* sent) { delete static_cast<Sent*>(sent); }

ssize_t Pull(void* flowing, uint64_t, char* to, size_t room) {
  const auto& from = *static_cast<Flowing*>(flowing);
  MHD_Connection* const connection = from.connection;
  const std::optional<size_t> bytes = from.flow->Take(
      to, room, [connection] { MHD_suspend_connection(connection); },
      [connection] { MHD_resume_connection(connection); });
  return bytes ? static_cast<ssize_t>(*bytes) : MHD_CONTENT_READER_END_OF_STREAM;
}

// However the connection has ended: a client that libmicrohttpd sees go is never looked after.
void ForgetFlowing(void* flowing) {
  const std::unique_ptr<Flowing> over(static_cast<Flowing*>(flowing));
  over->flow->Close();
  over->flow->GiveUp();
}

MHD_Response* PartsOf(std::shared_ptr<Flow> flow, MHD_Connection* connection) {
  constexpr size_t kPartBytes = 16'384;
  auto flowing = std::make_unique<Flowing>(Flowing{std::move(flow), connection});
  MHD_Response* response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kPartBytes, &Pull,
                                                             flowing.get(), &ForgetFlowing);
  if (response != nullptr) flowing.release();  // NOLINT(bugprone-unused-return-value): it has it
  return response;
}

MHD_Response* WholeOf(std::string body, base::ByteBudget& budget) {
  auto sent = std::make_unique<Sent>(Sent{std::move(body), base::HeldBytes(budget)});
  sent->held.Set(sent->body.capacity());
  MHD_Response* response = MHD_create_response_from_buffer_with_free_callback_cls(
      sent->body.size(), sent->body.data(), &Forget, sent.get());
  if (response != nullptr) sent.release();  // NOLINT(bugprone-unused-return-value): it has it
  return response;
}

}  // namespace

MHD_Response* ResponseOf(Answer answer, MHD_Connection* connection, base::ByteBudget& held) {
  MHD_Response* response = answer.flow ? PartsOf(std::move(answer.flow), connection)
                                       : WholeOf(std::move(answer.body), held);
  if (response == nullptr) return nullptr;
  MHD_add_response_header(response, "Content-Type", answer.content_type.c_str());
  MHD_add_response_header(response, "Cache-Control", "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "Connection", "close");
  if (!answer.allow.empty()) MHD_add_response_header(response, "Allow", answer.allow.c_str());
  return response;
}

}  // namespace opic::http
