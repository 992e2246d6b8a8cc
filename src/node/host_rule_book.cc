#include "node/host_rule_book.h"

#include "absl/strings/str_cat.h"
#include "base/damaged_folder.h"
#include "base/status_macros.h"

namespace opic::node {
namespace {

bool SaysNothing(const schedule::HostRule& rule) {
  return !rule.blocked && !rule.delay && !rule.pages && !rule.bytes;
}

absl::Status CheckNumber(size_t rules) {
  if (rules <= schedule::kHostRulesMax) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "there would be ", rules, " rules for hosts, and at most ", schedule::kHostRulesMax,
      " are kept: block domains instead of hosts, or narrow the scope with "
      "`opic crawl --exclude`"));
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
    const Key key(!rule->rule.domain, rule->rule.name);
    kept.emplace(key, *std::move(rule));
  }
  RETURN_IF_ERROR(rows->status());
  book->TakeUp(std::move(kept));
  return book;
}

void HostRuleBook::TakeUp(Kept kept) {
  std::vector<schedule::HostRule> rules;
  for (const auto& [key, each] : kept) rules.push_back(each.rule);
  auto ruled = std::make_shared<const schedule::HostRules>(std::move(rules));
  const absl::MutexLock lock(&mu_);
  kept_ = std::move(kept);
  rules_ = std::move(ruled);
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
  std::vector<schedule::HostRule> rules;
  for (const auto& [key, kept] : kept_) rules.push_back(kept.rule);
  return rules;
}

std::vector<KeptRule> HostRuleBook::kept() const {
  const absl::MutexLock lock(&mu_);
  std::vector<KeptRule> all;
  for (const auto& [key, kept] : kept_) all.push_back(kept);
  return all;
}

absl::Status HostRuleBook::CheckUnblocked(const schedule::HostRule& rule, const Kept& kept) {
  std::string_view name = rule.name;
  for (bool itself = true;; itself = false) {
    const auto domain = kept.find(Key(false, std::string(name)));
    const bool other = !itself || !rule.domain;
    if (other && domain != kept.end() && domain->second.rule.blocked) {
      return absl::FailedPreconditionError(absl::StrCat(
          rule.name, " is blocked with its domain: use `opic control unblock --domain ",
          domain->second.rule.name, "`"));
    }
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos) return absl::OkStatus();
    name.remove_prefix(dot + 1);
  }
}

absl::StatusOr<std::vector<KeptRule>> HostRuleBook::Change(const std::vector<HostChange>& changes,
                                                           const std::string& by, absl::Time now) {
  Kept kept = Copy();
  std::vector<KeptRule> changed;
  store::Batch batch;
  for (const HostChange& change : changes) {
    ASSIGN_OR_RETURN(const schedule::HostRule named, RuleNamed(change));
    const Key key(!named.domain, named.name);
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
  RETURN_IF_ERROR(CheckNumber(kept.size()));
  for (size_t i = 0; i < changes.size(); ++i) {
    if (changes[i].blocked == false) RETURN_IF_ERROR(CheckUnblocked(changed[i].rule, kept));
  }
  RETURN_IF_ERROR(store_.Write(batch, store::Sync::kYes));
  TakeUp(std::move(kept));
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
    const auto [known, added] = kept.try_emplace(Key(!rule.rule.domain, rule.rule.name), rule);
    KeptRule& own = known->second;
    const KeptRule both = BothOf(own, rule);
    if (!added && both.rule == own.rule) continue;
    own = both;
    changed.push_back(own);
    batch.Put(store::Table::kMeta, KeyOfRule(own.rule), EncodeRule(own));
  }
  if (changed.empty()) return changed;
  RETURN_IF_ERROR(CheckNumber(kept.size()));
  RETURN_IF_ERROR(store_.Write(batch, store::Sync::kYes));
  TakeUp(std::move(kept));
  return changed;
}

}  // namespace opic::node
