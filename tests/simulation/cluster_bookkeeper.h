// The naive bookkeeper of a whole cluster: it reads what nodes hold and what their stores say, and
// adds up. It shares the formats with the ledger and nothing else.
//
// After every step: pages + virtual pages + batches that lie in an outbox and are not in the books
// of their receiver = supply, to the unit. A sealed batch never changes; watermarks never fall;
// each receiver's sum is that of the batches it has applied.
//
// What a lost folder held stays counted until its successor is born with it. What each other node
// ends of its channels with the lost one moves there: batches of the lost one that it had not
// applied come to it, and batches that the lost one had applied, and that are sealed anew for the
// successor, go from it. What a *disputed* folder (one of two copies, or an older one) holds nobody
// can say; then only its successor's birth tells the total.
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
  // Its folder is lost for good; or nobody knows which one it runs on.
  void Lose(uint16_t n);
  void Dispute(uint16_t n);
  // A first look at a lost node's successor. REQUIRES: all others have ended their channels to the
  // lost folder, or were lost with it.
  void Born(uint16_t n, const ledger::Ledger& ledger, store::Store& rows);
  // The sum over all that was seen last; nothing while a folder is disputed.
  void CheckSum() const;
  // Of all that was seen last: every page that any table ever had is in the table of one node, or
  // in one piece of a move that lies in an outbox and is not in the books of its receiver. And
  // every table has the rows of its pages, no more. Nothing is said of it after a loss.
  void CheckPlaces() const;
  // Nothing is under way.
  void CheckQuiet() const;

  // A page that a durable group of node `n` has told of.
  void Discovered(uint16_t n, PageId page, const std::string& url);
  // Every page that was told of is known at its owner, by its URL, and nowhere else. One that was
  // lost with a folder may be unknown.
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
    bool disputed = false;                      // nothing of it is known
  };
  struct Node {
    cash::Sum held = 0;
    std::set<PageId> pages;
    uint32_t generation = 1;                   // of its folder
    std::map<uint16_t, uint32_t> generations;  // of its peers' folders, as it knows them
    bool lost = false, disputed = false;
  };
  Channel& ChannelOf(uint16_t from, uint16_t to) { return channels_[from * nodes_.size() + to]; }
  // In the outbox and not applied.
  static cash::Sum UnderWay(const Channel& channel);
  void ReadGenerations(uint16_t n, store::Store& rows);
  // Node `n` has declared the folders of these lost.
  void EndChannels(uint16_t n, const std::set<uint16_t>& peers, store::Store& rows);
  void BeginChannel(uint16_t from, uint16_t to);
  void CheckSealedAnew(const Channel& before, const Channel& anew) const;
  void NamesAreLost(const ledger::TransferBatch& batch);
  void NamesUnderWayAreLost(const Channel& channel);
  bool IsSettled() const;  // no folder is disputed, or lost and without a successor
  void ReadOutbox(uint16_t n, store::Store& rows);
  void ReadBooks(uint16_t n, store::Store& rows);
  void CheckRows(uint16_t n, store::Store& rows) const;

  const cash::Amount supply_;
  std::vector<Node> nodes_;
  std::vector<Channel> channels_;
  std::map<PageId, std::string> discovered_;
  std::set<PageId> ever_;  // in any table
  std::set<PageId> gone_;  // were lost with a folder, perhaps
  bool lossless_ = true;
};

}  // namespace opic
