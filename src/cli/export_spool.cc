#include "cli/export_spool.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/encoding.h"
#include "base/spool_file.h"
#include "base/status_macros.h"

namespace opic::cli {
namespace {

constexpr uint64_t kReadBytes = uint64_t{1} << 20;
constexpr size_t kLengthBytes = sizeof(uint32_t);

// Records one behind the other, each after its length.
class SpooledReader final : public node::PageReader {
 public:
  explicit SpooledReader(base::SpoolFile& file) : file_(file) {}

  absl::StatusOr<bool> Next(node::PageRecord& page) override {
    RETURN_IF_ERROR(Have(kLengthBytes));
    if (rest_.empty()) return false;
    const size_t length = base::Decoder(rest_).Fixed32();
    RETURN_IF_ERROR(Have(kLengthBytes + length));
    if (rest_.size() < kLengthBytes + length) {
      return Damaged("is cut off");
    }
    absl::StatusOr<node::PageRecord> record =
        node::DecodePageRecord(rest_.substr(kLengthBytes, length));
    if (!record.ok()) return Damaged("cannot be read");
    page = *std::move(record);
    ++read_;
    rest_.remove_prefix(kLengthBytes + length);
    return true;
  }

 private:
  absl::Status Damaged(std::string_view what) const {
    return absl::DataLossError(absl::StrCat("page ", read_ + 1, " of those spooled on disk ",
                                            std::string(what),
                                            ": check the disk, and run the command again"));
  }
  // Reads on until so many bytes are there, or all.
  absl::Status Have(size_t bytes) {
    if (rest_.size() >= bytes || at_ == file_.size()) return absl::OkStatus();
    std::string more(std::min(std::max(kReadBytes, uint64_t{bytes}), file_.size() - at_), '\0');
    RETURN_IF_ERROR(file_.Read(at_, absl::MakeSpan(more)));
    at_ += more.size();
    buffer_ = std::string(rest_) + more;
    rest_ = buffer_;
    return absl::OkStatus();
  }

  base::SpoolFile& file_;
  uint64_t at_ = 0;
  uint64_t read_ = 0;  // pages
  std::string buffer_;
  std::string_view rest_;  // of it
};

class SpooledPart final : public node::CrawlPart {
 public:
  explicit SpooledPart(base::SpoolFile file) : file_(std::move(file)) {}
  const node::PartHead& head() const override { return head_; }
  std::unique_ptr<node::PageReader> Read() override {
    return std::make_unique<SpooledReader>(file_);
  }

  void SetHead(const node::PartHead& head) { head_ = head; }
  absl::Status Append(const node::PageRecord& page) {
    const std::string record = Encode(page);
    std::string length;
    base::AppendFixed32(length, static_cast<uint32_t>(record.size()));
    RETURN_IF_ERROR(file_.Append(length));
    return file_.Append(record);
  }

 private:
  base::SpoolFile file_;
  node::PartHead head_;
};

absl::StatusOr<node::ExportedRows> ReadPatiently(const ReadExport& read,
                                                 const node::ExportPosition& position,
                                                 const Patience& patience) {
  node::ExportedRows rows;
  const auto ask = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(rows, read(position));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(AskPatiently(ask, patience));
  return rows;
}

}  // namespace

// The head is that of the last cut: what the pages add up to changes little between two.
absl::StatusOr<Spooled> Spool(const ReadExport& read, const SpoolOptions& options) {
  ASSIGN_OR_RETURN(base::SpoolFile file, base::SpoolFile::Create(options.folder));
  auto part = std::make_unique<SpooledPart>(std::move(file));
  Spooled spooled;
  node::ExportPosition position;
  for (bool last = false; !last;) {
    ASSIGN_OR_RETURN(const node::ExportedRows rows,
                     ReadPatiently(read, position, options.patience));
    if (rows.cut != position.cut) ++spooled.cuts;
    position.cut = rows.cut;
    part->SetHead(rows.head);
    for (const node::PageRecord& page : rows.pages) {
      if (position.after && page.page <= *position.after) {
        return absl::DataLossError(absl::StrCat("node ", rows.head.node.value, " sent page ",
                                                page.page.shard().value, "/", page.page.id(),
                                                " out of order: run the command again"));
      }
      RETURN_IF_ERROR(part->Append(page));
      position.after = page.page;
    }
    last = rows.last;
  }
  spooled.part = std::move(part);
  return spooled;
}

}  // namespace opic::cli
