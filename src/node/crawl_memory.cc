#include "node/crawl_memory.h"

#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::node {
namespace {

constexpr char kKey[] = "crawl";

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

}  // namespace

std::string CrawlMemory::Encode() const {
  std::string out;
  AppendList(out, seeds);
  out.push_back(static_cast<char>(scope.kind));
  AppendList(out, scope.include);
  AppendList(out, scope.exclude);
  base::AppendVarint(out, depth_max);
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
  if (!in.done() || memory.scope.kind > url::ScopeKind::kAny)
    return absl::DataLossError("what the data folder remembers of its crawl is damaged");
  return memory;
}

url::Scope CrawlMemory::MakeScope() const {
  url::Scope made(scope);
  for (const std::string& seed : seeds) {
    if (const std::optional<url::Url> url = url::Parse(seed)) made.AddSeed(*url);
  }
  return made;
}

absl::StatusOr<CrawlMemory> RecallCrawl(store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> value, store.Get(store::Table::kMeta, kKey));
  if (!value) return CrawlMemory();
  return CrawlMemory::Decode(*value);
}

absl::Status RememberCrawl(store::Store& store, const CrawlMemory& memory) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, kKey, memory.Encode());
  return store.Write(batch, store::Sync::kYes);
}

}  // namespace opic::node
