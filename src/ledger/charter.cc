#include "ledger/charter.h"

#include <bit>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/damaged_folder.h"
#include "base/encoding.h"

namespace opic::ledger {
namespace {

constexpr std::string_view kMagic = "opic charter";

absl::Status Differs(const char* what, const std::string& has, const std::string& wanted) {
  return absl::FailedPreconditionError(absl::StrFormat(
      "this data folder was begun with %s = %s and cannot be used with %s; use another data folder "
      "or drop the option",
      what, has, wanted));
}

importance::WindowOptions PushWindow() { return {.kind = importance::WindowKind::kNone}; }

}  // namespace

absl::Status Charter::Validate() const {
  if (!std::has_single_bit(shards) || shards > 65'536) {
    return absl::InvalidArgumentError(
        absl::StrCat("the number of shards must be a power of two up to 65536, not ", shards));
  }
  if (supply.units() <= 0 || supply > cash::kSupply) {
    return absl::InvalidArgumentError(
        absl::StrCat("the supply must be 1 to ", cash::kSupply.units(), " units"));
  }
  if (genesis > supply || genesis < cash::Amount()) {
    return absl::InvalidArgumentError("a node cannot begin with more than the supply, or a debt");
  }
  if (method == importance::Method::kPush) {
    if (!keep_links) {
      return absl::InvalidArgumentError(
          "ledger push needs the links of pages: links cannot be forgotten; use the paper's "
          "windows "
          "(importance window) or keep them");
    }
    if (window.kind != importance::WindowKind::kNone) {
      return absl::InvalidArgumentError("ledger push has no window");
    }
    if (base.units() < 1 || base > supply) {
      return absl::InvalidArgumentError("the base of a page must be 1 unit to the supply");
    }
  }
  return importance::Validate(window);
}

Charter Charter::ForNewCrawl() {
  Charter charter;
  charter.method = importance::Method::kPush;
  charter.window = PushWindow();
  return charter;
}

Charter CharterRequest::ApplyTo(Charter base) const {
  base.shards = shards.value_or(base.shards);
  base.shard_by = shard_by.value_or(base.shard_by);
  base.epsilon = epsilon.value_or(base.epsilon);
  const bool windows = window || window_supplies || window_measures || keep_links == false;
  const importance::Method before = base.method;
  base.method = method.value_or(windows ? importance::Method::kWindow : before);
  if (base.method == importance::Method::kPush) {
    base.window = PushWindow();
  } else if (before == importance::Method::kPush) {
    base.window = importance::WindowOptions();
  }
  base.window.kind = window.value_or(base.window.kind);
  base.window.supplies = window_supplies.value_or(base.window.supplies);
  base.window.measures = window_measures.value_or(base.window.measures);
  base.keep_links = keep_links.value_or(base.keep_links);
  return base;
}

std::string Charter::Encode() const {
  std::string out(kMagic);
  base::AppendFixed32(out, written_version());
  base::AppendFixed64(out, cluster_id);
  base::AppendFixed64(out, supply.units());
  base::AppendFixed32(out, shards);
  out.push_back(static_cast<char>(shard_by));
  base::AppendFixed32(out, epsilon.parts);
  out.push_back(static_cast<char>(window.kind));
  base::AppendFixed64(out, std::bit_cast<uint64_t>(window.supplies));
  base::AppendFixed32(out, window.measures);
  out.push_back(static_cast<char>(keep_links));
  base::AppendFixed32(out, node.value);
  base::AppendFixed32(out, generation);
  base::AppendFixed64(out, birth);
  base::AppendFixed64(out, genesis.units());
  out.push_back(static_cast<char>(method));
  base::AppendFixed64(out, base.units());
  base::AppendFixed64(out, base::Hash64(out));
  return out;
}

absl::StatusOr<Charter> Charter::Decode(std::string_view bytes) {
  base::Decoder in(bytes);
  if (in.Raw(kMagic.size()) != kMagic) return base::DamagedFolder("its charter cannot be read");
  const uint32_t version = in.Fixed32();
  if (in.ok() && (version < kFormatVersionMin || version > kFormatVersionMax)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the data folder has format version ", version, ", this program reads versions ",
        kFormatVersionMin, " to ", kFormatVersionMax, ": use the release that wrote it"));
  }
  Charter charter;
  charter.format_version = version;
  charter.referrers = version == kReferrersFormatVersion || version == 7;
  charter.cluster_id = in.Fixed64();
  charter.supply = cash::Amount(static_cast<int64_t>(in.Fixed64()));
  charter.shards = in.Fixed32();
  charter.shard_by = static_cast<url::ShardBy>(in.Byte());
  charter.epsilon.parts = in.Fixed32();
  charter.window.kind = static_cast<importance::WindowKind>(in.Byte());
  charter.window.supplies = std::bit_cast<double>(in.Fixed64());
  charter.window.measures = in.Fixed32();
  charter.keep_links = in.Byte() != 0;
  charter.node = NodeId{static_cast<uint16_t>(in.Fixed32())};
  charter.generation = in.Fixed32();
  charter.birth = in.Fixed64();
  charter.genesis = cash::Amount(static_cast<int64_t>(in.Fixed64()));
  if (version >= 4) {
    charter.method = static_cast<importance::Method>(in.Byte());
    charter.base = cash::Amount(static_cast<int64_t>(in.Fixed64()));
  }
  const uint64_t checksum = in.Fixed64();
  if (!in.done() || checksum != base::Hash64(bytes.substr(0, bytes.size() - 8))) {
    return base::DamagedFolder("its charter cannot be read");
  }
  if (!charter.Validate().ok() || charter.shard_by > url::ShardBy::kUrl ||
      charter.method > importance::Method::kPush) {
    return base::DamagedFolder("its charter has values that are not allowed");
  }
  return charter;
}

absl::Status Charter::AgreesWith(const Charter& wanted) const {
  if (cluster_id != wanted.cluster_id) {
    return Differs("cluster", absl::StrFormat("%016x", cluster_id),
                   absl::StrFormat("%016x", wanted.cluster_id));
  }
  if (node != wanted.node)
    return Differs("node", absl::StrCat(node.value), absl::StrCat(wanted.node.value));
  if (generation != wanted.generation) {
    return absl::FailedPreconditionError(absl::StrCat(
        "this data folder is of generation ", generation,
        " of its node, and by the cluster's file that node is in generation ", wanted.generation,
        generation < wanted.generation
            ? ": this folder was declared lost; start with an empty data folder"
            : ": the file is older than the folder; take the newest one, which the last `opic "
              "cluster declare-lost` wrote"));
  }
  if (shards != wanted.shards)
    return Differs("shards", absl::StrCat(shards), absl::StrCat(wanted.shards));
  if (supply != wanted.supply) {
    return Differs("supply", absl::StrCat(supply.units()), absl::StrCat(wanted.supply.units()));
  }
  if (shard_by != wanted.shard_by) {
    const auto name = [](url::ShardBy by) { return by == url::ShardBy::kHost ? "host" : "url"; };
    return Differs("h_url", name(shard_by), name(wanted.shard_by));
  }
  if (epsilon != wanted.epsilon) {
    return Differs("epsilon", absl::StrCat(epsilon.share()), absl::StrCat(wanted.epsilon.share()));
  }
  if (method != wanted.method) {
    return Differs("importance", std::string(importance::Name(method)),
                   std::string(importance::Name(wanted.method)));
  }
  if (base != wanted.base) {
    return Differs("base", absl::StrCat(base.units()), absl::StrCat(wanted.base.units()));
  }
  if (window.kind != wanted.window.kind) {
    return Differs("window", std::string(importance::Name(window.kind)),
                   std::string(importance::Name(wanted.window.kind)));
  }
  if (window.supplies != wanted.window.supplies) {
    return Differs("window supplies", absl::StrCat(window.supplies),
                   absl::StrCat(wanted.window.supplies));
  }
  if (window.measures != wanted.window.measures) {
    return Differs("window measures", absl::StrCat(window.measures),
                   absl::StrCat(wanted.window.measures));
  }
  if (keep_links != wanted.keep_links) {
    return Differs("links", keep_links ? "kept" : "forgotten",
                   wanted.keep_links ? "kept" : "forgotten");
  }
  return absl::OkStatus();
}

}  // namespace opic::ledger
