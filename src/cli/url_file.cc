#include "cli/url_file.h"

#include "base/status_macros.h"

namespace opic::cli {

absl::StatusOr<UrlFile> UrlFile::Create(const std::string& folder) {
  ASSIGN_OR_RETURN(base::SpoolFile file, base::SpoolFile::Create(folder));
  return UrlFile(std::move(file));
}

absl::Status UrlFile::Add(std::string_view url) {
  RETURN_IF_ERROR(file_.Append(url));
  ends_.push_back(file_.size());
  return absl::OkStatus();
}

absl::StatusOr<std::string> UrlFile::Read(uint32_t page) {
  const uint64_t begin = page == 0 ? 0 : ends_[page - 1];
  std::string url(ends_[page] - begin, '\0');
  RETURN_IF_ERROR(file_.Read(begin, absl::MakeSpan(url)));
  return url;
}

}  // namespace opic::cli
