// The naive bookkeeper of a whole cluster: it reads what nodes hold and what their stores say, and
// adds up. It shares the formats with the ledger and nothing else.
//
// After every step: pages + virtual pages + batches that lie in an outbox and are not in the books
// of their receiver = supply, to the unit. A sealed batch never changes; watermarks never fall;
// each receiver's sum is that of the batches it has applied.
//
// Failures are told through GoogleTest.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ledger/ledger.h"

namespace opic {

class ClusterBookkeeper {
 public:
  ClusterBookkeeper(uint16_t nodes, cash::Amount supply);

  // Reads node `n` anew. REQUIRES: its group is empty.
  void Look(uint16_t n, const ledger::Ledger& ledger, store::Store& rows);
  // The sum over all that was seen last.
  void CheckSum() const;
  // Of all that was seen last: every page that any table ever had is in the table of one node, or
  // in one piece of a move that lies in an outbox and is not in the books of its receiver. And
  // every table has the rows of its pages, no more.
  void CheckPlaces() const;
  // Nothing is under way.
  void CheckQuiet() const;

  // A page that a durable group has told of.
  void Discovered(PageId page, const std::string& url) { discovered_.emplace(page, url); }
  // Every page that was told of is known at its owner, by its URL, and nowhere else.
  void CheckPages(PageId page, uint16_t owner, const std::string& url, uint16_t node,
                  const ledger::Ledger& ledger, store::Store& rows) const;
  const std::map<PageId, std::string>& discovered() const { return discovered_; }

  uint64_t applied() const;  // batches, in all channels

 private:
  struct Channel {
    std::vector<ledger::TransferBatch> sealed;  // ever, in order
    std::vector<std::string> bytes;             // of them
    std::vector<bool> in_outbox;                // by sequence number - 1
    uint64_t applied = 0;                       // of the receiver's book
  };
  struct Node {
    cash::Sum held = 0;
    std::set<PageId> pages;
  };
  Channel& ChannelOf(uint16_t from, uint16_t to) { return channels_[from * nodes_.size() + to]; }
  void ReadOutbox(uint16_t n, store::Store& rows);
  void ReadBooks(uint16_t n, store::Store& rows);
  void CheckRows(uint16_t n, store::Store& rows) const;

  const cash::Amount supply_;
  std::vector<Node> nodes_;
  std::vector<Channel> channels_;
  std::map<PageId, std::string> discovered_;
  std::set<PageId> ever_;  // in any table
};

}  // namespace opic
