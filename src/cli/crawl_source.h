// Whose pages the off-line commands read: folders at rest, a running node, or a running cluster.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/cluster_nodes.h"
#include "node/data_folder.h"
#include "node/export.h"
#include "node/resting_parts.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct SourceFlags : CallFlags {
  std::vector<std::string> data;  // folders at rest
  std::string node;               // HOST:PORT; with `cluster` a name or number in it
  std::string folder = "/tmp";    // where the pages of running nodes are kept meanwhile
  std::function<bool()> ended;    // the node is not waited for any more (OpenAny); not a flag

  void AddTo(CLI::App& app);        // all but `folder`
  void AddFolderTo(CLI::App& app);  // for commands without a --folder of their own
  bool empty() const { return data.empty() && cluster.empty() && node.empty(); }
  bool typed() const;  // one of them was, and is not of a variable or a file
  void Clear() { data.clear(), cluster.clear(), node.clear(); }
};

// Folders are held as long as the object lives.
//
// Thread safety: confined to one thread.
class CrawlSource {
 public:
  // Flags that were typed go before those of a variable or a file; of these, a cluster or a node
  // goes before a folder. Tells on standard error what is not as one would expect: a node whose
  // pages are missing, pages of two moments. Unavailable: a node does not answer; NotFound: no
  // folder; FailedPrecondition: a process uses the folder, or the folders are of different crawls;
  // InvalidArgument: a folder was typed, and a cluster or a node, too.
  static absl::StatusOr<CrawlSource> Open(const SourceFlags& given);
  // The same of a folder that may be in use: it is read through its node then, and at rest as soon
  // as that has ended.
  static absl::StatusOr<CrawlSource> OpenAny(const SourceFlags& given);
  node::Export& pages() { return *export_; }

 private:
  using Parts = std::vector<std::unique_ptr<node::CrawlPart>>;
  absl::StatusOr<Parts> OpenFolders(const SourceFlags& flags);
  static absl::StatusOr<Parts> ReadNodes(const SourceFlags& flags);

  std::vector<std::unique_ptr<node::DataFolder>> folders_;
  std::unique_ptr<node::Export> export_;
};

}  // namespace opic::cli
