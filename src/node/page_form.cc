#include "node/page_form.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/encoding.h"
#include "desk/page_category.h"

namespace opic::node {
namespace {

constexpr double kTrustInEndings = 0.9;  // so much of what an ending says is expected
constexpr size_t kEndingBytesMax = 8;

// "xml" of /a/b.xml, "feed/" of /a/feed/, "feed" of /a/feed; "/" of what is none of these.
std::string EndingOf(std::string_view path) {
  const bool directory = path.ends_with('/');
  if (directory) path.remove_suffix(1);
  std::string_view last = path.substr(path.rfind('/') + 1);
  const size_t dot = directory ? std::string_view::npos : last.rfind('.');
  if (dot != std::string_view::npos) last.remove_prefix(dot + 1);
  const bool word = !last.empty() && last.size() <= kEndingBytesMax &&
                    std::all_of(last.begin(), last.end(), absl::ascii_isalpha);
  if (!word) return "/";
  std::string ending(last);
  absl::AsciiStrToLower(&ending);
  return dot != std::string_view::npos ? "." + ending : directory ? ending + "/" : ending;
}

std::string DirectoryOf(std::string_view path) {
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  path = path.substr(0, path.rfind('/') + 1);
  std::string directory;
  for (const char c : path) {
    const bool digit = absl::ascii_isdigit(static_cast<unsigned char>(c));
    if (digit && directory.ends_with('0')) continue;
    directory.push_back(digit ? '0' : c);
  }
  return directory;
}

}  // namespace

schedule::PageForm FormOf(const url::Url& url, const refresh::Factors& wanted) {
  const std::string ending = EndingOf(url.path());
  const std::string of_host = absl::StrCat(std::string(url.host()), " ", ending);
  schedule::PageForm form;
  form.keys = {base::Hash64(ending, 0), base::Hash64(url.host(), 1), base::Hash64(of_host, 2),
               base::Hash64(absl::StrCat(of_host, " ", DirectoryOf(url.path())), 3)};
  const auto category =
      static_cast<size_t>(desk::CategoryOf(url, links::Kind::kOther, /*content_type=*/""));
  form.expected = std::max(schedule::Interest::kExpected, kTrustInEndings * wanted[category]);
  return form;
}

}  // namespace opic::node
