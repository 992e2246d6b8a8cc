#include "cli/rank_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"

namespace opic::cli {
namespace {

constexpr size_t kRowsTogether = 4096;

struct Row {
  uint32_t page = 0;
  std::vector<double> values;  // of each column
  bool known = true;           // false: known elsewhere, without a URL
  std::string url;
};

bool Better(const Row& a, const Row& b) {
  return a.values[0] != b.values[0] ? a.values[0] > b.values[0] : a.page < b.page;
}

// Rows in the order of pages.
class Rows {
 public:
  Rows(const std::vector<RankColumn>& columns, uint32_t pages) : columns_(columns), pages_(pages) {}

  // The next row, without its URL. REQUIRES: called at most once a page.
  absl::StatusOr<Row> Next() {
    if (next_ == begin_ + size_) RETURN_IF_ERROR(Load());
    Row row{.page = next_};
    for (const std::vector<double>& column : buffers_) row.values.push_back(column[next_ - begin_]);
    ++next_;
    return row;
  }

 private:
  absl::Status Load() {
    begin_ = next_;
    size_ = static_cast<uint32_t>(std::min<uint64_t>(kRowsTogether, pages_ - begin_));
    buffers_.clear();
    for (const RankColumn& column : columns_) {
      std::vector<double>& buffer = buffers_.emplace_back(size_);
      RETURN_IF_ERROR(column.values.Read(begin_, absl::MakeSpan(buffer)));
    }
    return absl::OkStatus();
  }

  const std::vector<RankColumn>& columns_;
  const uint32_t pages_;
  uint32_t begin_ = 0, size_ = 0, next_ = 0;
  std::vector<std::vector<double>> buffers_;
};

class Printer {
 public:
  Printer(const std::vector<RankColumn>& columns, bool json, bool urls, std::FILE* out)
      : columns_(columns), json_(json), urls_(urls), out_(out) {
    if (json_) return;
    fmt::print(out_, "# page");
    for (const RankColumn& column : columns_) fmt::print(out_, "\t{}", column.name);
    fmt::print(out_, "{}\n", urls_ ? "\turl" : "");
  }

  void Print(const Row& row) const { json_ ? PrintJson(row) : PrintLine(row); }

 private:
  void PrintLine(const Row& row) const {
    fmt::print(out_, "{}", row.page);
    for (const double value : row.values) fmt::print(out_, "\t{:.17g}", value);
    fmt::print(out_, "{}{}\n", urls_ ? "\t" : "", row.url);
  }
  void PrintJson(const Row& row) const {
    nlohmann::ordered_json json = {{"page", row.page}};
    for (size_t i = 0; i < columns_.size(); ++i) json[columns_[i].name] = row.values[i];
    if (urls_ && row.known) json["url"] = row.url;
    if (!row.known) json["state"] = node::kKnownElsewhere;
    fmt::print(out_, "{}\n", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }

  const std::vector<RankColumn>& columns_;
  const bool json_, urls_;
  std::FILE* const out_;
};

// Best first.
absl::StatusOr<std::vector<Row>> TopRows(Rows& rows, uint32_t pages, uint32_t top) {
  std::vector<Row> best;  // a heap, the worst in front
  for (uint32_t page = 0; page < pages; ++page) {
    ASSIGN_OR_RETURN(Row row, rows.Next());
    if (best.size() == top && !Better(row, best.front())) continue;
    best.push_back(std::move(row));
    std::push_heap(best.begin(), best.end(), Better);
    if (best.size() <= top) continue;
    std::pop_heap(best.begin(), best.end(), Better);
    best.pop_back();
  }
  std::sort_heap(best.begin(), best.end(), Better);
  return best;
}

void Name(const node::ExportedPage& page, Row& row) {
  row.known = page.known;
  row.url = page.record.url;
}

absl::Status NameRows(node::Export& crawl, std::vector<Row>& rows) {
  absl::flat_hash_map<uint32_t, Row*> wanted;
  for (Row& row : rows) wanted[row.page] = &row;
  return crawl.ForEach([&](const node::ExportedPage& page) {
    if (const auto at = wanted.find(page.number); at != wanted.end()) Name(page, *at->second);
    return absl::OkStatus();
  });
}

}  // namespace

absl::Status PrintRanks(const std::vector<RankColumn>& columns, uint32_t pages, uint32_t top,
                        bool json, node::Export* crawl, std::FILE* out) {
  Rows rows(columns, pages);
  const Printer printer(columns, json, crawl != nullptr, out);
  if (top > 0) {
    ASSIGN_OR_RETURN(std::vector<Row> best, TopRows(rows, pages, top));
    if (crawl != nullptr) RETURN_IF_ERROR(NameRows(*crawl, best));
    for (const Row& row : best) printer.Print(row);
    return absl::OkStatus();
  }
  if (crawl != nullptr) {
    return crawl->ForEach([&](const node::ExportedPage& page) -> absl::Status {
      ASSIGN_OR_RETURN(Row row, rows.Next());
      Name(page, row);
      printer.Print(row);
      return absl::OkStatus();
    });
  }
  for (uint32_t page = 0; page < pages; ++page) {
    ASSIGN_OR_RETURN(const Row row, rows.Next());
    printer.Print(row);
  }
  return absl::OkStatus();
}

}  // namespace opic::cli
