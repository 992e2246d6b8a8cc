#include "node/host_rule_book.h"

#include "absl/strings/str_cat.h"
#include "base/counted.h"
#include "base/damaged_folder.h"
#include "base/status_macros.h"

namespace opic::node {
namespace {

bool SaysNothing(const schedule::HostRule& rule) {
  return !rule.blocked && !rule.delay && !rule.pages && !rule.bytes;
}

absl::Status CheckNumber(size_t rules, const HostsFile* file) {
  if (rules <= schedule::kHostRulesMax) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("there would be ", rules, " rules for hosts",
                   file == nullptr ? "" : absl::StrCat(", with those of --hosts-file ", file->path),
                   ", and at most ", schedule::kHostRulesMax,
                   " are kept: block domains instead of hosts, or narrow the scope with "
                   "`opic crawl --exclude`"));
}

template <typename Kept>
std::vector<schedule::HostRule> RulesOf(const Kept& kept, const HostsFile* file) {
  static const HostsFile& none = *new HostsFile();
  std::vector<schedule::HostRule> given;
  for (const auto& [key, each] : kept) given.push_back(each.rule);
  return RulesTogether(given, file == nullptr ? none.rules : file->rules);
}

// What holds then.
template <typename Kept>
absl::StatusOr<std::shared_ptr<const schedule::HostRules>> Joined(const Kept& kept,
                                                                  const HostsFile* file) {
  std::vector<schedule::HostRule> rules = RulesOf(kept, file);
  RETURN_IF_ERROR(CheckNumber(rules.size(), file));
  return std::make_shared<const schedule::HostRules>(std::move(rules));
}

absl::Status UnblockRefused(const schedule::HostRule& rule, const schedule::HostRule& block,
                            const HostsFile* file) {
  if ((block.from_file & schedule::HostRule::kBlock) != 0 && file != nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(rule.name, " is blocked by --hosts-file ", file->path, " (",
                     block.domain ? "domain " : "host ", block.name,
                     "): take that out of the file and send SIGHUP to the node"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(rule.name, " is blocked with its domain: use `opic control unblock --domain ",
                   block.name, "`"));
}

// `rules`: as they would be.
absl::Status CheckUnblocked(const schedule::HostRule& rule, const schedule::HostRules& rules,
                            const HostsFile* file) {
  const schedule::HostRule* own = rules.Find(rule.name, rule.domain);
  if (own != nullptr && (own->from_file & schedule::HostRule::kBlock) != 0)
    return UnblockRefused(rule, *own, file);
  std::string_view name = rule.name;
  for (bool itself = true;; itself = false) {
    const schedule::HostRule* domain = rules.Find(name, /*domain=*/true);
    const bool other = !itself || !rule.domain;
    if (other && domain != nullptr && domain->blocked) return UnblockRefused(rule, *domain, file);
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos) return absl::OkStatus();
    name.remove_prefix(dot + 1);
  }
}

}  // namespace

absl::StatusOr<std::vector<KeptRule>> ChangeRulesAtRest(const DataFolder& folder,
                                                        const std::vector<HostChange>& changes,
                                                        const std::string& by, absl::Time now) {
  store::RocksOptions options;
  options.read_first = true;
  options.create = false;
  ASSIGN_OR_RETURN(const std::unique_ptr<store::Store> store,
                   store::OpenRocksStore(folder.store(), options));
  ASSIGN_OR_RETURN(const std::unique_ptr<HostRuleBook> book, HostRuleBook::Open(*store));
  RETURN_IF_ERROR(store->BeginWriting());
  return book->Change(changes, by, now);
}

std::string InWords(const schedule::HostRule& rule) {
  std::string words = absl::StrCat(rule.domain ? "the domain " : "", rule.name,
                                   rule.blocked ? " is blocked" : " is not blocked");
  if (rule.delay) {
    absl::StrAppend(&words, ", with a delay of ", absl::FormatDuration(*rule.delay),
                    rule.domain ? " for each of its hosts" : "");
  }
  if (rule.parallel) {
    absl::StrAppend(&words, ", with up to ", base::Counted(*rule.parallel, "request"), " at once",
                    rule.domain ? " for each of its hosts" : "");
  }
  const auto budget = [&](std::optional<uint64_t> limit, const char* what) {
    if (!limit) return;
    absl::StrAppend(&words,
                    *limit == 0 ? ", without a limit of " : absl::StrCat(", at most ", *limit, " "),
                    what, rule.domain ? " of all its hosts" : "");
  };
  budget(rule.pages, "pages");
  budget(rule.bytes, "bytes");
  return words;
}

absl::StatusOr<std::unique_ptr<HostRuleBook>> HostRuleBook::Open(store::Store& store) {
  std::unique_ptr<HostRuleBook> book(new HostRuleBook(store));
  Kept kept;
  const std::unique_ptr<store::Cursor> rows = store.Scan(store::Table::kMeta, kRulePrefix);
  for (; rows->Valid() && rows->key().starts_with(kRulePrefix); rows->Next()) {
    std::optional<KeptRule> rule = DecodeRule(rows->key(), rows->value());
    if (!rule) {
      return base::DamagedFolder(
          absl::StrCat("the rule \"", std::string(rows->key()),
                       "\" of `opic control block` or `host` cannot be read"));
    }
    const schedule::HostName name = schedule::NameOf(rule->rule);
    kept.emplace(name, *std::move(rule));
  }
  RETURN_IF_ERROR(rows->status());
  auto rules = std::make_shared<const schedule::HostRules>(RulesOf(kept, nullptr));
  book->TakeUp(std::move(kept), nullptr, std::move(rules));
  return book;
}

void HostRuleBook::TakeUp(Kept kept, std::shared_ptr<const HostsFile> file,
                          std::shared_ptr<const schedule::HostRules> rules) {
  const absl::MutexLock lock(&mu_);
  kept_ = std::move(kept);
  file_ = std::move(file);
  rules_ = std::move(rules);
}

HostRuleBook::Kept HostRuleBook::Copy() const {
  const absl::MutexLock lock(&mu_);
  return kept_;
}

std::shared_ptr<const schedule::HostRules> HostRuleBook::rules() const {
  const absl::MutexLock lock(&mu_);
  return rules_;
}

std::vector<schedule::HostRule> HostRuleBook::list() const {
  const absl::MutexLock lock(&mu_);
  return RulesOf(kept_, file_.get());
}

std::vector<schedule::HostGroup> HostRuleBook::groups() const {
  const std::shared_ptr<const HostsFile> file = this->file();
  return file == nullptr ? std::vector<schedule::HostGroup>() : file->PacedGroups();
}

std::shared_ptr<const HostsFile> HostRuleBook::file() const {
  const absl::MutexLock lock(&mu_);
  return file_;
}

absl::Status HostRuleBook::UseFile(std::shared_ptr<const HostsFile> file) {
  Kept kept = Copy();
  ASSIGN_OR_RETURN(std::shared_ptr<const schedule::HostRules> rules, Joined(kept, file.get()));
  TakeUp(std::move(kept), std::move(file), std::move(rules));
  return absl::OkStatus();
}

std::vector<KeptRule> HostRuleBook::kept() const {
  const absl::MutexLock lock(&mu_);
  std::vector<KeptRule> all;
  for (const auto& [key, kept] : kept_) all.push_back(kept);
  return all;
}

absl::StatusOr<std::vector<KeptRule>> HostRuleBook::Change(const std::vector<HostChange>& changes,
                                                           const std::string& by, absl::Time now) {
  Kept kept = Copy();
  std::vector<KeptRule> changed;
  store::Batch batch;
  for (const HostChange& change : changes) {
    ASSIGN_OR_RETURN(const schedule::HostRule named, RuleNamed(change));
    const schedule::HostName key = schedule::NameOf(named);
    // An earlier build took it, and it was never in force: it can only be lifted.
    if (named.name.find('*') != std::string::npos && (!OnlyLifts(change) || !kept.contains(key)))
      return PatternRefused(named.name);
    KeptRule& rule = kept[key];
    if (rule.rule.name.empty()) rule = {.rule = named, .since = now, .by = RuleAuthor(by)};
    const schedule::HostRule before = rule.rule;
    Apply(change, rule.rule);
    if (rule.rule != before) rule.since = now, rule.by = RuleAuthor(by);
    changed.push_back(rule);
    if (SaysNothing(rule.rule)) {
      batch.Delete(store::Table::kMeta, KeyOfRule(named));
      kept.erase(key);
    } else {
      batch.Put(store::Table::kMeta, KeyOfRule(named), EncodeRule(rule));
    }
  }
  const std::shared_ptr<const HostsFile> file = this->file();
  ASSIGN_OR_RETURN(std::shared_ptr<const schedule::HostRules> rules, Joined(kept, file.get()));
  for (size_t i = 0; i < changes.size(); ++i) {
    if (changes[i].blocked == false)
      RETURN_IF_ERROR(CheckUnblocked(changed[i].rule, *rules, file.get()));
  }
  RETURN_IF_ERROR(store_.Write(batch, store::Sync::kYes));
  TakeUp(std::move(kept), file, std::move(rules));
  return changed;
}

absl::StatusOr<std::vector<KeptRule>> HostRuleBook::Adopt(const std::vector<KeptRule>& told,
                                                          absl::Time now) {
  Kept kept = Copy();
  std::vector<KeptRule> changed;
  store::Batch batch;
  for (const KeptRule& rule : told) {
    RETURN_IF_ERROR(CheckTold(rule, now));
    if (SaysNothing(rule.rule)) continue;
    const auto [known, added] = kept.try_emplace(schedule::NameOf(rule.rule), rule);
    KeptRule& own = known->second;
    const KeptRule both = BothOf(own, rule);
    if (!added && both.rule == own.rule) continue;
    own = both;
    changed.push_back(own);
    batch.Put(store::Table::kMeta, KeyOfRule(own.rule), EncodeRule(own));
  }
  if (changed.empty()) return changed;
  const std::shared_ptr<const HostsFile> file = this->file();
  ASSIGN_OR_RETURN(std::shared_ptr<const schedule::HostRules> rules, Joined(kept, file.get()));
  RETURN_IF_ERROR(store_.Write(batch, store::Sync::kYes));
  TakeUp(std::move(kept), file, std::move(rules));
  return changed;
}

}  // namespace opic::node
