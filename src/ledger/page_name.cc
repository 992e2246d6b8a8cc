#include "ledger/page_name.h"

#include <algorithm>

#include "base/encoding.h"

namespace opic::ledger {

std::string JoinedName(std::string_view url, std::string_view referrer) {
  std::string text(url);
  if (referrer.empty()) return text;
  const auto differs = std::mismatch(url.begin(), url.end(), referrer.begin(), referrer.end());
  const auto alike = static_cast<size_t>(differs.first - url.begin());
  text.push_back('\0');
  base::AppendVarint(text, alike);
  text.append(referrer.substr(alike));
  return text;
}

bool SplitName(std::string_view text, std::string& url, std::string& referrer) {
  const size_t end = text.find('\0');
  url = text.substr(0, end);
  referrer.clear();
  if (end == std::string_view::npos) return !url.empty();
  base::Decoder in(text.substr(end + 1));
  const uint64_t alike = in.Varint();
  if (url.empty() || !in.ok() || alike > url.size()) return false;
  referrer = url.substr(0, alike);
  referrer.append(in.rest());
  return !referrer.empty();
}

}  // namespace opic::ledger
