#include "rpc/top_wire.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/quoted.h"
#include "base/reason.h"
#include "opic/v1/importance.pb.h"
#include "rpc/answer_wire.h"
#include "rpc/enum_words.h"

namespace opic::rpc {
namespace {

constexpr uint32_t kPlacesUnlessTold = 10;
constexpr size_t kFieldHeadBytes = 6;  // tag and length

// As many of the part as fit, but one at least. How many.
size_t AddPages(const node::Answers::TopPages& top, const TopPart& part, v1::TopResponse* wire) {
  size_t bytes = 0;
  for (size_t place = part.begin; place < std::min(part.end, top.pages.size()); ++place) {
    v1::PageImportance* page = wire->add_pages();
    ToWire(top.pages[place], page);
    bytes += page->ByteSizeLong() + kFieldHeadBytes;
    if (bytes > part.bytes_max && wire->pages_size() > 1) {
      wire->mutable_pages()->RemoveLast();
      break;
    }
  }
  return static_cast<size_t>(wire->pages_size());
}

}  // namespace

absl::StatusOr<TopPart> TopPart::Of(const v1::TopRequest& request) {
  TopPart part;
  if (!request.page_token().empty() &&
      (!absl::SimpleAtoi(request.page_token(), &part.begin) || part.begin >= kPlacesMax)) {
    return base::WithReason(
        absl::InvalidArgumentError(absl::StrCat("page_token: ", base::Quoted(request.page_token()),
                                                " is not a next_page_token of an earlier reply")),
        "NO_PAGE_TOKEN");
  }
  const size_t count = request.count() == 0 ? kPlacesUnlessTold : request.count();
  part.end = part.begin + count;
  if (part.end > kPlacesMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("count: ", count, part.begin > 0 ? absl::StrCat(" after ", part.begin) : "",
                     " is too many; Top gives the first ", kPlacesMax, " pages, Export gives all"));
  }
  part.bytes_max = request.reply_bytes_max() == 0
                       ? kBytesUnlessTold
                       : std::min<size_t>(request.reply_bytes_max(), kBytesMax);
  return part;
}

void ToWire(const node::Answers::TopPages& top, const TopPart& part, v1::TopResponse* wire) {
  const size_t next = part.begin + AddPages(top, part, wire);
  const bool more = next < top.pages.size() || (next == part.end && next < top.matching);
  if (more && next < TopPart::kPlacesMax) wire->set_next_page_token(absl::StrCat(next));
  wire->set_known(top.known);
  wire->set_matching(top.matching);
  wire->set_clock_supplies(top.clock);
  wire->set_error_bound(top.error_bound);
  wire->set_method(MethodToWire(top.method));
  for (const std::string& name : top.missing) wire->add_missing_nodes(name);
}

node::Answers::TopPages FromWire(const v1::TopResponse& wire) {
  node::Answers::TopPages top;
  for (const v1::PageImportance& page : wire.pages()) top.pages.push_back(FromWire(page));
  top.known = wire.known();
  top.matching = wire.has_matching() ? wire.matching() : wire.known();
  top.clock = wire.clock_supplies();
  top.error_bound = wire.error_bound();
  top.method = MethodFromWire(wire.method());
  top.missing.assign(wire.missing_nodes().begin(), wire.missing_nodes().end());
  return top;
}

void ToWire(const node::PageFilter& filter, v1::PageFilter* wire) {
  wire->set_host(filter.host);
  wire->set_domain(filter.domain);
  wire->set_state(ValueOf<v1::PageState>(filter.state));
  wire->set_category(filter.category);
}

absl::StatusOr<node::PageFilter> FromWire(const v1::PageFilter& wire) {
  node::PageFilter filter{
      .host = wire.host(), .domain = wire.domain(), .category = wire.category()};
  if (wire.state() == v1::PAGE_STATE_UNSPECIFIED) return filter;
  if (!v1::PageState_IsValid(wire.state())) {
    return absl::InvalidArgumentError(
        absl::StrCat("state: there is none with the number ", static_cast<int>(wire.state())));
  }
  filter.state = WordOf(wire.state());
  return filter;
}

}  // namespace opic::rpc
