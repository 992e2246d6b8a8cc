// Reads the hosts file again for a running node, on a thread of its own: to put it in force may
// take minutes (node/hosts_file_change.h), in which whoever asked has other things to look after.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <future>
#include <string>
#include <utility>

namespace opic::node {
class Node;
}  // namespace opic::node

namespace opic::cli {

class HostsFileReader {
 public:
  // Of the file at `path`; empty: the node has none. `node` must outlive the reader, which waits
  // for what is under way when it ends: stop the node before.
  HostsFileReader(node::Node& node, std::string path) : node_(node), path_(std::move(path)) {}

  // The file is to be read again.
  void Ask() { asked_ = !path_.empty(); }
  // To be called now and then: begins what was asked for once nothing is under way.
  void Turn();

 private:
  node::Node& node_;
  const std::string path_;
  bool asked_ = false;
  std::future<void> reading_;  // joins when it ends
};

}  // namespace opic::cli
