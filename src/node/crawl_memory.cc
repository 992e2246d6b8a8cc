#include "node/crawl_memory.h"

#include "absl/container/flat_hash_set.h"
#include "base/damaged_folder.h"
#include "base/encoding.h"
#include "base/quoted.h"
#include "base/reason.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace opic::node {
namespace {

constexpr char kKey[] = "crawl";
constexpr char kDepthsKey[] = "host_depths";
constexpr auto kUsualTraps =
    url::TrapUse::kSkip;  // has no byte, as in folders before there was any

void AppendList(std::string& out, const std::vector<std::string>& list) {
  base::AppendVarint(out, list.size());
  for (const std::string& item : list) base::AppendBytes(out, item);
}

std::vector<std::string> ReadList(base::Decoder& in) {
  std::vector<std::string> list;
  const uint64_t count = in.Varint();
  for (uint64_t i = 0; i < count && in.ok(); ++i) list.emplace_back(in.Bytes());
  return list;
}

std::string Encoded(const HostDepths& depths) {
  std::string out;
  base::AppendVarint(out, depths.size());
  for (const auto& [of, depth] : depths) {
    out.push_back(static_cast<char>(of.domain));
    base::AppendBytes(out, of.name);
    base::AppendVarint(out, depth);
  }
  return out;
}

absl::StatusOr<HostDepths> DecodedDepths(std::string_view bytes) {
  base::Decoder in(bytes);
  HostDepths depths;
  const uint64_t count = in.Varint();
  for (uint64_t i = 0; i < count && in.ok(); ++i) {
    const bool domain = in.Byte() != 0;
    const std::string name(in.Bytes());
    depths[{domain, name}] = static_cast<uint32_t>(in.Varint());
  }
  if (!in.done())
    return base::DamagedFolder("what it remembers of the depths of hosts cannot be read");
  return depths;
}

}  // namespace

std::string CrawlMemory::Encode() const {
  std::string out;
  AppendList(out, seeds);
  out.push_back(static_cast<char>(scope.kind));
  AppendList(out, scope.include);
  AppendList(out, scope.exclude);
  base::AppendVarint(out, depth_max);
  out.push_back(static_cast<char>(strip_tracking));
  if (traps != kUsualTraps) out.push_back(static_cast<char>(traps));
  return out;
}

absl::StatusOr<CrawlMemory> CrawlMemory::Decode(std::string_view bytes) {
  base::Decoder in(bytes);
  CrawlMemory memory;
  memory.seeds = ReadList(in);
  memory.scope.kind = static_cast<url::ScopeKind>(in.Byte());
  memory.scope.include = ReadList(in);
  memory.scope.exclude = ReadList(in);
  memory.depth_max = static_cast<uint32_t>(in.Varint());
  memory.strip_tracking = in.Byte() != 0;
  const bool unusual = !in.done();
  if (unusual) memory.traps = static_cast<url::TrapUse>(in.Byte());
  if (!in.done() || memory.scope.kind > url::ScopeKind::kAny ||
      (unusual && memory.traps >= kUsualTraps))
    return base::DamagedFolder("what it remembers of its crawl cannot be read");
  return memory;
}

void CrawlMemory::AddSeeds(const std::vector<ledger::Link>& pages) {
  absl::flat_hash_set<std::string> known(seeds.begin(), seeds.end());
  for (const ledger::Link& page : pages) {
    if (known.insert(page.url).second) seeds.push_back(page.url);
  }
}

bool CrawlMemory::SameScope(const CrawlMemory& other) const {
  return depth_max == other.depth_max && host_depths == other.host_depths &&
         (traps == url::TrapUse::kSkip) == (other.traps == url::TrapUse::kSkip) &&
         MakeScope().Fingerprint() == other.MakeScope().Fingerprint();
}

url::Scope CrawlMemory::MakeScope() const {
  url::Scope made(scope);
  for (const std::string& seed : seeds) {
    if (const std::optional<url::Url> url = url::Parse(seed)) made.AddSeed(*url);
  }
  return made;
}

std::optional<url::ScopeKind> ScopeFromName(std::string_view name) {
  for (const url::ScopeKind kind :
       {url::ScopeKind::kHost, url::ScopeKind::kDomain, url::ScopeKind::kAny}) {
    if (name == Name(kind)) return kind;
  }
  return std::nullopt;
}

std::string_view Name(url::ScopeKind kind) {
  switch (kind) {
    case url::ScopeKind::kHost:
      return "host";
    case url::ScopeKind::kDomain:
      return "domain";
    case url::ScopeKind::kAny:
      return "any";
  }
  return "";
}

absl::StatusOr<std::vector<ledger::Link>> PagesOf(const std::vector<std::string>& typed,
                                                  const url::UrlHash& hash) {
  std::vector<ledger::Link> pages;
  for (const std::string& text : typed) {
    url::Rejected why = url::Rejected::kNone;
    const std::optional<url::Url> url = url::Parse(text, nullptr, &why);
    if (!url) {
      return base::WithReason(
          absl::InvalidArgumentError(absl::StrCat("seed ", base::Quoted(text),
                                                  " is not a URL: ", std::string(url::Name(why)))),
          "NO_URL", {{"url", base::PlainText(text, base::kQuotedBytesMax)}});
    }
    pages.push_back({hash.PageOf(*url), url->text()});
  }
  return pages;
}

absl::StatusOr<CrawlMemory> RecallCrawl(store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> value, store.Get(store::Table::kMeta, kKey));
  if (!value) return CrawlMemory();
  ASSIGN_OR_RETURN(CrawlMemory memory, CrawlMemory::Decode(*value));
  ASSIGN_OR_RETURN(const std::optional<std::string> depths,
                   store.Get(store::Table::kMeta, kDepthsKey));
  if (!depths) return memory;
  ASSIGN_OR_RETURN(memory.host_depths, DecodedDepths(*depths));
  return memory;
}

absl::Status RememberCrawl(store::Store& store, const CrawlMemory& memory) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, kKey, memory.Encode());
  if (memory.host_depths.empty()) {
    batch.Delete(store::Table::kMeta, kDepthsKey);
  } else {
    batch.Put(store::Table::kMeta, kDepthsKey, Encoded(memory.host_depths));
  }
  return store.Write(batch, store::Sync::kYes);
}

}  // namespace opic::node
