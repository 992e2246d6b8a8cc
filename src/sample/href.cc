#include "sample/href.h"

#include <algorithm>

#include "absl/strings/str_replace.h"

namespace opic::sample {
namespace {

// Up to and including the last slash of the path.
std::string_view FolderOf(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  return path.substr(0, path.rfind('/') + 1);
}

// Length of the common beginning of two folders that ends in a slash.
size_t CommonFolder(std::string_view a, std::string_view b) {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return a.substr(0, differ.first - a.begin()).rfind('/') + 1;
}

std::string InsideSite(const Web& web, uint32_t from, uint32_t to, base::Rng& rng) {
  const uint64_t form = rng.Below(10);
  if (form < 4) return RelativeReference(web.pages[from].target, web.pages[to].target);
  if (form < 8) return web.pages[to].target;
  return web.UrlOf(to);
}

std::string ToOtherSite(const Web& web, uint32_t to, base::Rng& rng) {
  std::string url = web.UrlOf(to);
  const uint64_t form = rng.Below(8);
  if (form == 0) return url.substr(url.find("//"));
  // "http://host" and "http://host/" are the same page (URL Standard, URL serializing).
  if (form == 1 && web.pages[to].target == "/") return url.substr(0, url.size() - 1);
  return url;
}

}  // namespace

std::string RelativeReference(std::string_view base, std::string_view target) {
  const std::string_view folder = FolderOf(base);
  const size_t common = CommonFolder(folder, FolderOf(target));
  std::string reference;
  for (size_t i = common; i < folder.size(); ++i) {
    if (folder[i] == '/') reference += "../";
  }
  reference += target.substr(common);
  // An empty reference, and one of a query alone, would keep the file name of the base.
  if (reference.empty() || reference[0] == '?') reference.insert(0, "./");
  return reference;
}

std::string Href(const Web& web, uint32_t from, uint32_t to, base::Rng& rng) {
  const bool inside = web.pages[from].site == web.pages[to].site;
  std::string href = inside ? InsideSite(web, from, to, rng) : ToOtherSite(web, to, rng);
  if (rng.Below(20) == 0) href += "#more";
  return href;
}

std::string Escaped(std::string_view text) {
  return absl::StrReplaceAll(
      std::string(text),
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

}  // namespace opic::sample
