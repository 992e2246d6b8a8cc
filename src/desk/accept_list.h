// Which media types are worth the download of their bodies: the --accept list.
//
// Thread safety: immutable.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace opic::desk {

// What links are read from, and plain text.
inline constexpr std::string_view kAcceptDefault = "html,xml,feed,text";

class AcceptList {
 public:
  AcceptList();  // kAcceptDefault
  // Words (html, xml, feed, text, pdf, any) and media types or ranges ("application/pdf",
  // "image/*"), with commas between them. InvalidArgument names the part that is neither.
  static absl::StatusOr<AcceptList> Parse(std::string_view list);

  // `content_type` is the header's value as received. What says no type is wanted: it is sniffed.
  bool Wants(std::string_view content_type) const;

  // The value of the Accept header: what is listed, in its order of preference, and all else below
  // that, so that no server answers 406 where it has something else.
  std::string Header() const;

 private:
  explicit AcceptList(std::vector<std::string> ranges) : ranges_(std::move(ranges)) {}
  bool Holds(std::string_view essence) const;

  // Lower case: "text/html", "image/*", "*/*", and "*/*+xml" for all that is XML by its name.
  std::vector<std::string> ranges_;
};

}  // namespace opic::desk
