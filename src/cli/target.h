// Whom a question goes to: the node at an address, the node that uses a data folder, or the folder
// itself at rest.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "node/data_folder.h"
#include "node/node.h"
#include "rpc/node_client.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct TargetFlags {
  std::string data = "opic-data";
  std::string node;
  std::string patience = "60s";
  bool json = false;
  void AddTo(CLI::App& app);
};

// Holds what the answers come from.
class Target {
 public:
  static absl::StatusOr<Target> Find(const TargetFlags& flags);
  node::Answers& answers() { return client_ ? *client_ : *resting_; }
  // Null when the folder is at rest.
  rpc::NodeClient* client() { return client_.get(); }

 private:
  std::unique_ptr<node::DataFolder> folder_;
  std::unique_ptr<node::Answers> resting_;
  std::unique_ptr<rpc::NodeClient> client_;
};

}  // namespace opic::cli
