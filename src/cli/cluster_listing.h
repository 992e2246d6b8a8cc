// What is said of the nodes of a cluster one by one, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "node/running_node.h"

namespace opic::cli {

// "partial: node X did not answer", a line each. False: nobody is missing.
bool PrintMissing(const std::vector<std::string>& missing);

// "finished"; without a page "nothing to crawl yet", or that the others have them all.
std::string PhaseWords(const node::NodeStats& stats);
// ", paused"; ", paused on b, c" of a cluster whose other nodes are not; empty.
std::string PausedWords(const node::NodeStats& stats);
// "; 0.1, commit 8e97e64ef965", of a node of a cluster whose nodes are of several; empty.
std::string ReleaseWords(const node::NodeStats& stats, const node::NodeStats& node);
// One line a node, and more for what is wrong with its channels to the others.
void PrintNodes(const node::NodeStats& stats);
// The same of one node: nothing when all is well.
void PrintChannels(const node::LoopStats& loop);
nlohmann::ordered_json ChannelsJson(const node::LoopStats& loop);

void PrintAudit(const node::Audit& audit);
nlohmann::ordered_json AuditJson(const node::Audit& audit);
// kOk; kPartial: a node is missing, and those that answered keep their books in order; kFailed.
int ExitCodeOf(const node::Audit& audit);

}  // namespace opic::cli
