#include "node/export.h"

#include <algorithm>

#include "base/status_macros.h"
#include "ledger/ledger.h"
#include "store/store.h"

namespace opic::node {

Export::Export() = default;
Export::~Export() = default;

absl::StatusOr<std::unique_ptr<Export>> Export::Open(const DataFolder& folder) {
  std::unique_ptr<Export> opened(new Export());
  RETURN_IF_ERROR(opened->Prepare(folder));
  return opened;
}

absl::Status Export::Prepare(const DataFolder& folder) {
  store::RocksOptions rocks;
  rocks.read_only = true;
  rocks.create = false;
  rocks.check_bytes_max = 0;  // what is asked for is checked when it is read
  ASSIGN_OR_RETURN(store_, store::OpenRocksStore(folder.store(), rocks));
  ledger::Options options;
  options.checkpoint_folder = folder.checkpoints();
  options.read_only = true;
  ASSIGN_OR_RETURN(ledger_, ledger::Ledger::Open(options, *store_, nullptr));
  return ReadWords();
}

absl::Status Export::ReadWords() {
  const std::unique_ptr<store::Cursor> rows = store_->Scan(store::Table::kPage, "");
  for (; rows->Valid(); rows->Next()) {
    ASSIGN_OR_RETURN(const PageId page, ledger::PageOfKey(rows->key()));
    words_.push_back(page.word());
  }
  return rows->status();
}

absl::Status Export::ForEach(absl::FunctionRef<absl::Status(const ExportedPage&)> take) {
  const ledger::Books& books = ledger_->books();
  const std::unique_ptr<store::Cursor> names = store_->Scan(store::Table::kPage, "");
  const std::unique_ptr<store::Cursor> visits = store_->Scan(store::Table::kHistory, "");
  links_elsewhere_ = visits_ = 0;
  ExportedPage out;
  for (uint32_t number = 0; names->Valid(); names->Next(), ++number) {
    ASSIGN_OR_RETURN(const ledger::PageRow name, ledger::DecodePageRow(names->value()));
    out.number = number;
    out.page = PageId::FromWord(words_[number]);
    out.url = name.url;
    out.state = "unread";
    out.links.clear();
    importance::History history = ledger_->accounting().Unvisited(name);
    while (visits->Valid() && visits->key() < names->key()) visits->Next();
    if (visits->Valid() && visits->key() == names->key()) {
      ASSIGN_OR_RETURN(ledger::HistoryRow row,
                       ledger::DecodeHistoryRow(visits->value(), ledger_->window()));
      out.state = std::string(ledger::Name(row.kind));
      history = std::move(row.history);
      visits_ += row.visits;
      NumberLinks(row.links, out.links);
    }
    const auto cell = books.table().Find(out.page);
    if (!cell) return absl::DataLossError("a page of the store is not in the table");
    out.importance = ledger_->accounting().Estimate(history, cell->cash.value());
    RETURN_IF_ERROR(take(out));
  }
  RETURN_IF_ERROR(names->status());
  return visits->status();
}

void Export::NumberLinks(const std::vector<PageId>& links, std::vector<uint32_t>& numbers) {
  for (const PageId link : links) {
    const auto at = std::lower_bound(words_.begin(), words_.end(), link.word());
    if (at == words_.end() || *at != link.word()) {
      ++links_elsewhere_;
    } else {
      numbers.push_back(static_cast<uint32_t>(at - words_.begin()));
    }
  }
}

double Export::clock_supplies() const {
  return static_cast<double>(ledger_->books().clock()) /
         static_cast<double>(ledger_->books().supply().units());
}

double Export::visits_per_page() const {
  return words_.empty() ? 0 : static_cast<double>(visits_) / static_cast<double>(words_.size());
}

}  // namespace opic::node
