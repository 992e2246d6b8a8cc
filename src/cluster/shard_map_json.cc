// Implements a part of cluster/shard_map.h. The file of a shard map (docs/operations.md has an
// example): written so that a person can read and edit it, read so that no slip of theirs goes
// unnoticed.
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "cluster/shard_map.h"

namespace opic::cluster {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kNodesMax = 1024;
constexpr int kDebtSupplies = 2;  // what a folder held, or owed, at most

// A slip in the file; it travels as an exception inside this file only.
struct ParseError {
  std::string where, why;
};

// One object of the file, of which every key is to be taken, and no other may be there.
class Object {
 public:
  Object(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) throw ParseError{where_, "must be an object"};
  }

  const Json& Take(const char* key) {
    taken_.insert(key);
    const auto found = json_.find(key);
    if (found == json_.end()) throw ParseError{At(key), "is missing"};
    return *found;
  }
  std::string String(const char* key) {
    const Json& value = Take(key);
    if (!value.is_string()) throw ParseError{At(key), "must be a string"};
    return value.get<std::string>();
  }
  uint64_t Number(const char* key, uint64_t min, uint64_t max) {
    const Json& value = Take(key);
    const bool whole = value.is_number_unsigned();
    if (!whole || value.get<uint64_t>() < min || value.get<uint64_t>() > max) {
      throw ParseError{At(key), absl::StrCat("must be a whole number from ", min, " to ", max)};
    }
    return value.get<uint64_t>();
  }
  // Units of cash, more than a number of JSON holds.
  cash::Sum Sum(const char* key) {
    const std::optional<cash::Sum> sum = cash::ReadSum(String(key));
    if (!sum) throw ParseError{At(key), "must be a whole number between quotes"};
    return *sum;
  }
  double Real(const char* key) {
    const Json& value = Take(key);
    if (!value.is_number()) throw ParseError{At(key), "must be a number"};
    return value.get<double>();
  }
  bool Bool(const char* key) {
    const Json& value = Take(key);
    if (!value.is_boolean()) throw ParseError{At(key), "must be true or false"};
    return value.get<bool>();
  }
  bool Has(const char* key) const { return json_.contains(key); }
  const Json& Array(const char* key) {
    const Json& value = Take(key);
    if (!value.is_array()) throw ParseError{At(key), "must be a list"};
    return value;
  }
  std::string At(std::string_view key) const {
    return where_.empty() ? std::string(key) : where_ + "." + std::string(key);
  }
  void RefuseOthers() const {
    for (const auto& [key, value] : json_.items()) {
      if (!taken_.contains(key)) throw ParseError{At(key), "is not known here"};
    }
  }

 private:
  const Json& json_;
  const std::string where_;
  std::set<std::string> taken_;
};

// The shortest decimal fraction that means these parts of 2^32.
double ShortShare(cash::SmallEdge edge) {
  for (int digits = 1; digits < 17; ++digits) {
    double share = 0;
    if (!absl::SimpleAtod(absl::StrFormat("%.*g", digits, edge.share()), &share)) break;
    if (cash::SmallEdge::FromShare(share) == edge) return share;
  }
  return edge.share();
}

importance::WindowOptions ReadWindow(const Json& json) {
  Object object(json, "window");
  importance::WindowOptions window;
  const std::string kind = object.String("kind");
  const auto known = importance::WindowFromName(kind);
  if (!known) throw ParseError{"window.kind", absl::StrCat("\"", kind, "\" is not a window")};
  window.kind = *known;
  window.supplies = object.Real("supplies");
  window.measures = static_cast<uint32_t>(object.Number("measures", 1, importance::kMeasuresMax));
  object.RefuseOthers();
  return window;
}

// Absent in the files of clusters that were begun before there was a choice.
void ReadMethod(Object& object, ledger::Charter& charter) {
  const std::string method = object.String("importance");
  if (method != "push" && method != "window")
    throw ParseError{"importance", "must be \"push\" or \"window\""};
  charter.method = method == "push" ? importance::Method::kPush : importance::Method::kWindow;
  charter.base = cash::Amount(object.Number("base", 1, cash::kSupply.units()));
}

ledger::Charter ReadCharter(Object& object) {
  ledger::Charter charter;
  const std::string cluster = object.String("cluster");
  if (cluster.size() != 16 || !absl::SimpleHexAtoi(cluster, &charter.cluster_id)) {
    throw ParseError{"cluster", "must be 16 hexadecimal digits"};
  }
  charter.supply = cash::Amount(object.Number("supply", 1, cash::kSupply.units()));
  charter.shards = static_cast<uint32_t>(object.Number("shards", 1, 65'536));
  const std::string shard_by = object.String("h_url");
  if (shard_by != "host" && shard_by != "url")
    throw ParseError{"h_url", "must be \"host\" or \"url\""};
  charter.shard_by = shard_by == "host" ? url::ShardBy::kHost : url::ShardBy::kUrl;
  const double epsilon = object.Real("epsilon");
  if (!(epsilon >= 0 && epsilon <= 1)) throw ParseError{"epsilon", "must be from 0 to 1"};
  charter.epsilon = cash::SmallEdge::FromShare(epsilon);
  if (object.Has("importance")) ReadMethod(object, charter);
  charter.window = ReadWindow(object.Take("window"));
  charter.keep_links = object.Bool("keep_links");
  charter.genesis = charter.supply;
  if (const absl::Status sound = charter.Validate(); !sound.ok()) {
    throw ParseError{"the cluster", std::string(sound.message())};
  }
  return charter;
}

// The name stands in certificates, files and commands; all digits would be a number.
void CheckName(const std::string& name, const std::string& where) {
  bool number = true;
  for (char c : name) {
    if (!absl::ascii_islower(c) && !absl::ascii_isdigit(c) && c != '-' && c != '.') {
      throw ParseError{where, "may have small letters, digits, '-' and '.' only"};
    }
    number &= absl::ascii_isdigit(c) != 0;
  }
  if (name.empty() || name.size() > 63 || number) {
    throw ParseError{where, "must have 1 to 63 characters, not all of them digits"};
  }
}

void CheckAddress(const std::string& address, const std::string& where) {
  const size_t colon = address.rfind(':');
  uint32_t port = 0;
  const bool sound = colon != std::string::npos && colon > 0 && address.size() < 300 &&
                     absl::SimpleAtoi(address.substr(colon + 1), &port) && port <= 65'535;
  if (!sound) throw ParseError{where, "must be HOST:PORT"};
}

// "lost" of a node. Its peers may stand further down, so they are named by number.
std::vector<ledger::LostChannel> ReadLost(const Json& list, const std::string& where,
                                          const MemberNode& node, size_t nodes) {
  std::vector<ledger::LostChannel> channels;
  for (size_t i = 0; i < list.size(); ++i) {
    Object object(list[i], absl::StrCat(where, "[", i, "]"));
    const NodeId peer = NodeAt(object.Number("id", 0, nodes - 1));
    if (peer == node.id) throw ParseError{object.At("id"), "is the node itself"};
    if (!channels.empty() && peer <= channels.back().peer) {
      throw ParseError{object.At("id"), "must be more than the one before"};
    }
    channels.push_back({peer, object.Sum("received"), object.Sum("sealed"), object.Sum("clock")});
    if (channels.back().clock < 0) throw ParseError{object.At("clock"), "must not be negative"};
    object.RefuseOthers();
  }
  return channels;
}

// What the channels say that a lost folder held must be near the supply.
void CheckLost(const ledger::Charter& charter, const MemberNode& node) {
  cash::Sum held = node.id.value == 0 ? charter.supply.units() : 0;
  for (const ledger::LostChannel& channel : node.lost) held += channel.received - channel.sealed;
  const cash::Sum most = kDebtSupplies * cash::Sum{charter.supply.units()};
  if (held > most || held < -most) {
    throw ParseError{absl::StrCat("nodes[", node.id.value, "].lost"),
                     "adds up to more cash than there can be"};
  }
}

std::vector<MemberNode> ReadNodes(const Json& list, const ledger::Charter& charter) {
  const uint32_t shards = charter.shards;
  if (list.empty()) throw ParseError{"nodes", "must have a node at least"};
  if (list.size() > std::min<uint64_t>(kNodesMax, shards)) {
    throw ParseError{"nodes",
                     absl::StrCat("are more than ", std::min<uint64_t>(kNodesMax, shards))};
  }
  std::vector<MemberNode> nodes;
  std::set<std::string> names, addresses;
  for (size_t n = 0; n < list.size(); ++n) {
    Object object(list[n], absl::StrCat("nodes[", n, "]"));
    MemberNode node;
    node.id = NodeAt(n);
    if (object.Number("id", 0, kNodesMax) != n) {
      throw ParseError{object.At("id"), absl::StrCat("must be ", n, ": nodes are numbered from 0")};
    }
    node.name = object.String("name");
    CheckName(node.name, object.At("name"));
    node.address = object.String("address");
    CheckAddress(node.address, object.At("address"));
    node.generation = static_cast<uint32_t>(object.Number("generation", 1, UINT32_MAX));
    if (node.generation > 1) {
      node.lost = ReadLost(object.Array("lost"), object.At("lost"), node, list.size());
      CheckLost(charter, node);
    }
    object.RefuseOthers();
    if (!names.insert(node.name).second) throw ParseError{object.At("name"), "is there twice"};
    if (!addresses.insert(node.address).second)
      throw ParseError{object.At("address"), "is there twice"};
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::vector<NodeId> ReadOwners(const Json& list, const ShardMap& nodes, uint32_t shards) {
  std::vector<NodeId> owners;
  for (size_t i = 0; i < list.size(); ++i) {
    Object object(list[i], absl::StrCat("owners[", i, "]"));
    const uint64_t first = object.Number("first", 0, shards - 1);
    const uint64_t last = object.Number("last", first, shards - 1);
    const std::string name = object.String("node");
    object.RefuseOthers();
    if (first != owners.size()) {
      throw ParseError{
          object.At("first"),
          absl::StrCat("must be ", owners.size(), ": every shard has one owner, in their order")};
    }
    const std::optional<NodeId> owner = nodes.Find(name);
    if (!owner)
      throw ParseError{object.At("node"), absl::StrCat("\"", name, "\" is not among the nodes")};
    owners.resize(last + 1, *owner);
  }
  if (owners.size() != shards) {
    throw ParseError{"owners", absl::StrCat("end before shard ", owners.size(), " of ", shards)};
  }
  return owners;
}

Json LostToJson(const MemberNode& node) {
  Json list = Json::array();
  for (const ledger::LostChannel& channel : node.lost) {
    list.push_back({{"id", channel.peer.value},
                    {"received", cash::ToString(channel.received)},
                    {"sealed", cash::ToString(channel.sealed)},
                    {"clock", cash::ToString(channel.clock)}});
  }
  return list;
}

// nlohmann's parser takes the last of two equal keys; we take neither.
Json ParseText(std::string_view text) {
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int /*depth*/, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key &&
        !open.back().insert(parsed.get<std::string>()).second) {
      throw ParseError{parsed.get<std::string>(), "is there twice"};
    }
    return true;
  };
  return Json::parse(text, watch);
}

}  // namespace

absl::StatusOr<ShardMap> ShardMap::Parse(std::string_view json) {
  try {
    const Json text = ParseText(json);
    Object object(text, "");
    ShardMap map;
    map.version_ = object.Number("version", 1, uint64_t{1} << 62);
    map.charter_ = ReadCharter(object);
    map.nodes_ = ReadNodes(object.Array("nodes"), map.charter_);
    map.owners_ = ReadOwners(object.Array("owners"), map, map.charter_.shards);
    object.RefuseOthers();
    return map;
  } catch (const ParseError& slip) {
    return absl::InvalidArgumentError(
        absl::StrCat("the shard map is wrong: ", slip.where, " ", slip.why));
  } catch (const std::exception& error) {
    // Of the JSON library; names line and column.
    return absl::InvalidArgumentError(absl::StrCat("the shard map is not JSON: ", error.what()));
  }
}

std::string ShardMap::ToJson() const {
  Json json = {
      {"version", version_},
      {"cluster", absl::StrFormat("%016x", charter_.cluster_id)},
      {"supply", charter_.supply.units()},
      {"shards", charter_.shards},
      {"h_url", charter_.shard_by == url::ShardBy::kHost ? "host" : "url"},
      {"epsilon", ShortShare(charter_.epsilon)},
      {"importance", importance::Name(charter_.method)},
      {"base", charter_.base.units()},
      {"window",
       {{"kind", importance::Name(charter_.window.kind)},
        {"supplies", charter_.window.supplies},
        {"measures", charter_.window.measures}}},
      {"keep_links", charter_.keep_links},
      {"nodes", Json::array()},
      {"owners", Json::array()},
  };
  for (const MemberNode& node : nodes_) {
    json["nodes"].push_back({{"id", node.id.value},
                             {"name", node.name},
                             {"address", node.address},
                             {"generation", node.generation}});
    if (node.generation > 1) json["nodes"].back()["lost"] = LostToJson(node);
  }
  for (size_t first = 0, next; first < owners_.size(); first = next) {
    for (next = first; next < owners_.size() && owners_[next] == owners_[first];) ++next;
    json["owners"].push_back(
        {{"first", first}, {"last", next - 1}, {"node", node(owners_[first]).name}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opic::cluster
