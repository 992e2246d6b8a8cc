#include "rpc/in_force_wire.h"

#include <map>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "base/utf8.h"
#include "opic/v1/control.pb.h"
#include "rpc/host_rules_wire.h"
#include "rpc/limits_wire.h"
#include "rpc/log_levels_wire.h"
#include "rpc/refresh_wire.h"
#include "rpc/restating_wire.h"
#include "rpc/time_wire.h"

namespace opic::rpc {
namespace {

constexpr size_t kPathBytesMax = 4096;

void FileToWire(const node::HostsFile& file, v1::HostsFile* wire) {
  wire->set_path(base::PlainText(file.path, kPathBytesMax));
  *wire->mutable_read() = WireTime(file.read);
  for (const schedule::HostRule& rule : file.rules) rpc::ToWire(rule, wire->add_rules());
  std::map<std::string, v1::HostGroup*> groups;
  for (const auto& [name, settings] : file.groups) {
    v1::HostGroup* group = groups[name] = wire->add_groups();
    group->set_name(name);
    if (settings.pages) group->set_pages(*settings.pages);
    if (settings.bytes) group->set_bytes(*settings.bytes);
    if (settings.delay) *group->mutable_delay() = WireDuration(*settings.delay);
    if (settings.share) group->set_share(*settings.share);
    if (settings.parallel) group->set_parallel(*settings.parallel);
  }
  for (const auto& [of, share] : file.shares) {
    v1::HostShare* told = wire->add_shares();
    told->set_domain(of.domain);
    told->set_name(of.name);
    told->set_share(share);
  }
  for (const auto& [of, depth] : file.depths) {
    v1::HostDepth* told = wire->add_depths();
    told->set_domain(of.domain);
    told->set_name(of.name);
    told->set_depth(depth);
  }
  for (const auto& [member, name] : file.members) {
    const auto group = groups.find(name);
    if (group == groups.end()) continue;
    *(member.domain ? group->second->add_domains() : group->second->add_hosts()) = member.name;
  }
}

node::HostsFile FileFromWire(const v1::HostsFile& wire) {
  node::HostsFile file{.path = base::PlainText(wire.path(), kPathBytesMax),
                       .read = TimeOf(wire.read())};
  for (const v1::HostRule& entry : wire.rules()) {
    if (std::optional<schedule::HostRule> rule = rpc::FromWire(entry))
      file.rules.push_back(*std::move(rule));
  }
  for (const v1::HostGroup& entry : wire.groups()) {
    node::GroupSettings& settings = file.groups[entry.name()];
    if (entry.has_pages()) settings.pages = entry.pages();
    if (entry.has_bytes()) settings.bytes = entry.bytes();
    if (entry.has_delay()) settings.delay = DurationOf(entry.delay());
    if (entry.has_share()) settings.share = entry.share();
    if (entry.has_parallel()) settings.parallel = entry.parallel();
    for (const std::string& host : entry.hosts()) file.members[{false, host}] = entry.name();
    for (const std::string& domain : entry.domains()) file.members[{true, domain}] = entry.name();
  }
  for (const v1::HostShare& entry : wire.shares())
    file.shares[{entry.domain(), entry.name()}] = entry.share();
  for (const v1::HostDepth& entry : wire.depths())
    file.depths[{entry.domain(), entry.name()}] = entry.depth();
  return file;
}

}  // namespace

void ToWire(const node::InForce& now, v1::InForceResponse* wire) {
  wire->set_node(now.node);
  if (now.paused_since) *wire->mutable_paused_since() = WireTime(*now.paused_since);
  ToWire(now.crawl, wire->mutable_crawl());
  wire->set_seeds(now.seeds);
  wire->set_pages_max(now.limits.pages);
  wire->set_in_flight_max(now.limits.in_flight);
  ToWire(now.limits_set, wire->mutable_limits_set());
  ToWire(now.log, wire);
  wire->set_reads_again(now.reads_again);
  ToWire(now.refresh, wire->mutable_refresh());
  for (const node::KeptRule& rule : now.hosts) ToWire(rule, wire->add_hosts());
  if (now.hosts_file) FileToWire(*now.hosts_file, wire->mutable_hosts_file());
  for (const node::LastAct& act : now.acts) {
    v1::LastAct& entry = *wire->add_acts();
    entry.set_name(act.name);
    *entry.mutable_at() = WireTime(act.at);
    entry.set_by(act.by);
  }
}

absl::StatusOr<node::InForce> FromWire(const v1::InForceResponse& wire) {
  node::InForce now;
  now.node = wire.node();
  if (wire.has_paused_since()) now.paused_since = TimeOf(wire.paused_since());
  ASSIGN_OR_RETURN(now.crawl, FromWire(wire.crawl()));
  now.seeds = wire.seeds();
  now.limits = {wire.pages_max(), wire.in_flight_max()};
  now.limits_set = FromWire(wire.limits_set());
  now.log = LogLevelsOf(wire);
  now.reads_again = wire.reads_again();
  ASSIGN_OR_RETURN(now.refresh, FromWire(wire.refresh()));
  for (const v1::KeptHostRule& entry : wire.hosts()) {
    if (std::optional<node::KeptRule> rule = FromWire(entry)) now.hosts.push_back(*std::move(rule));
  }
  if (wire.has_hosts_file()) now.hosts_file = FileFromWire(wire.hosts_file());
  for (const v1::LastAct& entry : wire.acts())
    now.acts.push_back({entry.name(), TimeOf(entry.at()), entry.by()});
  return now;
}

}  // namespace opic::rpc
