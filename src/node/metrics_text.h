// What a node or a cluster tells of itself, as metrics: the text exposition format of Prometheus
// (version 0.0.4), with names and units as Prometheus advises.
#pragma once

#include <string>

#include "node/answers.h"

namespace opic::node {

// In a cluster: a sample a node that answered, labelled with its name; opic_up tells who did not.
// Of one node: samples without that label. With `at_rest`, of a folder that nothing runs in:
// opic_up is 0. Bounded: some 70 samples a node, and 6 a channel.
std::string MetricsText(const NodeStats& stats, bool at_rest = false);

}  // namespace opic::node
