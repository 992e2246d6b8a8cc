// A cluster of scripted nodes that commands find by its file.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/shard_map.h"
#include "rpc/node_services.h"
#include "rpc/server.h"
#include "tests/cli/program_run.h"
#include "tests/rpc/scripted_node.h"

namespace opic::cli {

// Nodes "n0", "n1" and so on, of a class derived from rpc::ScriptedNode; all answer until one is
// stopped.
template <class Node, size_t kNodes>
class ServedCluster : public InOwnFolder {
 protected:
  void SetUp() override {
    InOwnFolder::SetUp();
    std::vector<cluster::MemberNode> members;
    for (size_t i = 0; i < kNodes; ++i) {
      cluster::MemberNode& member = members.emplace_back();
      member.name = "n" + std::to_string(i);
      member.address = served_[i].server->address();
    }
    ledger::Charter charter;
    charter.cluster_id = 0xabc;
    charter.shards = 8;
    map_ = cluster::ShardMap::Even(charter, members);
    file_ = Write("cluster.json", map_->ToJson());
  }

  Node& node(size_t i) { return served_[i].node; }
  const cluster::ShardMap& map() const { return *map_; }
  const std::string& file() const { return file_; }
  void Stop(size_t i) { served_[i].Stop(); }
  // Again at its address, as after a restart. False: another process has taken the port.
  bool Start(size_t i) { return served_[i].Start(map_->nodes()[i].address); }

 private:
  struct Served {
    Served() { Start("127.0.0.1:0"); }
    ~Served() { Stop(); }
    bool Start(const std::string& address) {
      services =
          std::make_unique<rpc::NodeServices>(node, rpc::NodeServices::Options{.cluster = &node});
      auto started = rpc::Server::Start(address, services->services());
      if (!started.ok()) return false;
      server = *std::move(started);
      services->Open();
      return true;
    }
    void Stop() {
      if (server == nullptr) return;
      services->Stop();
      server->Shutdown();
      server.reset(), services.reset();
    }

    Node node;
    std::unique_ptr<rpc::NodeServices> services;
    std::unique_ptr<rpc::Server> server;
  };

  std::array<Served, kNodes> served_;
  std::optional<cluster::ShardMap> map_;
  std::string file_;
};

}  // namespace opic::cli
