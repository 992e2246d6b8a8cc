#include "cluster/handshake.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "ledger/charter.h"
#include "ledger/clock_max.h"

namespace opic::cluster {
namespace {

absl::Status Refuse(const std::string& why) { return absl::FailedPreconditionError(why); }

std::string NameOf(const PeerState& known) {
  return absl::StrCat("node ", known.map.node(known.peer).name);
}

absl::Status CheckCluster(const Hello& hello, const PeerState& known) {
  const std::string name = NameOf(known);
  if (hello.cluster_id != known.cluster_id) {
    return Refuse(
        absl::StrFormat("%s is of cluster %016x, this one is of cluster %016x: start it with this "
                        "cluster's map and "
                        "data folder",
                        name, hello.cluster_id, known.cluster_id));
  }
  if (hello.format_version < ledger::kExchangeVersion ||
      hello.format_version > ledger::kReferrersExchangeVersion) {
    return Refuse(absl::StrCat(name, " speaks format version ", hello.format_version,
                               ", this node versions ", ledger::kExchangeVersion, " to ",
                               ledger::kReferrersExchangeVersion,
                               ": run the same release on both"));
  }
  if (hello.from != known.peer || hello.to != known.self) {
    return Refuse(absl::StrCat("at the address of ", name, " (", known.peer.value,
                               ") answers node ", hello.from.value, ", who takes this node for ",
                               hello.to.value, ": give all nodes the same map"));
  }
  return absl::OkStatus();
}

absl::Status CheckFolder(const Hello& hello, const PeerState& known) {
  const std::string name = NameOf(known);
  if (hello.generation < known.generation) {
    return Refuse(absl::StrCat(name, " runs on its data folder of generation ", hello.generation,
                               ", which was declared "
                               "lost: its place was taken by generation ",
                               known.generation, "; start it with that one"));
  }
  if (hello.generation > known.generation) {
    return Refuse(absl::StrCat(name, " runs on a data folder of generation ", hello.generation,
                               ", this node knows "
                               "generation ",
                               known.generation,
                               ": if the older one is lost for good, tell every node "
                               "with `opic cluster declare-lost ",
                               known.map.node(known.peer).name, "`"));
  }
  if (known.birth != 0 && hello.birth != known.birth) {
    return Refuse(absl::StrCat(name,
                               " uses a different data folder than before: start it with the "
                               "original one; if that is lost for good, run `opic cluster "
                               "declare-lost ",
                               known.map.node(known.peer).name, "`"));
  }
  if (hello.birth == 0) {
    return Refuse(name +
                  " sent no birth number of its data folder (field birth = 0); run the same "
                  "release on both");
  }
  // Checked before the watermarks, which the peer has begun anew: they would blame its folder.
  if (hello.known_generation > known.own_generation) {
    return Refuse(
        absl::StrCat("this node runs on its data folder of generation ", known.own_generation,
                     ", which was declared lost: to ", name, " its place was taken by generation ",
                     hello.known_generation,
                     "; stop this node, and run only its successor, with the cluster file that "
                     "`opic cluster declare-lost` wrote"));
  }
  return absl::OkStatus();
}

// A process that comes after another one on the same folder counts one start more.
bool IsCopy(const Incarnation& reported, const Incarnation& known) {
  return reported.process != 0 && known.process != 0 && reported.process != known.process &&
         reported.start <= known.start;
}

constexpr char kOneOfThem[] =
    "stop both, keep the folder that was in use last, move the copy elsewhere, then start the node "
    "again";

absl::Status CheckIncarnation(const Hello& hello, const PeerState& known) {
  if (!IsCopy(hello.incarnation, known.met)) return absl::OkStatus();
  return Refuse(absl::StrCat(NameOf(known),
                             " runs twice, on two copies of one data folder: here "
                             "is its start ",
                             hello.incarnation.start, ", another process of start ",
                             known.met.start, " was met before; ", kOneOfThem));
}

absl::Status RolledBack(const std::string& whose, const std::string& evidence) {
  return Refuse(absl::StrCat(
      evidence, ": the data folder of ", whose,
      " is older than what it has already reported (a restored backup or lost writes); "
      "put the newest one back, or declare it lost with `opic cluster "
      "declare-lost`"));
}

absl::Status CheckWatermarks(const Hello& hello, const PeerState& known) {
  const std::string name = NameOf(known);
  const ledger::PeerBook& book = known.book;
  // Every peer knew our generation before this folder was made. One that does not has watermarks of
  // a lost folder's batches, which say nothing of ours even where numbers and sums agree.
  if (hello.known_generation < known.own_generation) {
    return RolledBack(
        name, absl::StrCat(name, " knows generation ", hello.known_generation,
                           " of our data folder, this is generation ", known.own_generation));
  }
  if (hello.applied > book.sealed) {
    return RolledBack("this node",
                      absl::StrCat(name, " has applied our batches up to ", hello.applied,
                                   ", the last one sealed here is ", book.sealed));
  }
  if (hello.applied < known.acknowledged()) {
    return RolledBack(name, absl::StrCat(name, " has applied our batches up to ", hello.applied,
                                         ", it had acknowledged ", known.acknowledged()));
  }
  if (hello.sealed < book.applied) {
    return RolledBack(name, absl::StrCat(name, " has sealed batches up to ", hello.sealed,
                                         ", here its batch ", book.applied, " is applied"));
  }
  if (hello.acknowledged > book.applied) {
    return RolledBack("this node",
                      absl::StrCat("we had acknowledged batch ", hello.acknowledged, " of ", name,
                                   ", here only ", book.applied, " is applied"));
  }
  return absl::OkStatus();
}

// What passed a lost folder both ends have written down alike (ledger::PeerBook). One that has not
// is a copy from before the loss, even if it had never met the other.
absl::Status CheckClosedSums(const Hello& hello, const PeerState& known) {
  const ledger::PeerBook& book = known.book;
  if (hello.closed_sealed_cash == book.closed_applied_cash &&
      hello.closed_applied_cash == book.closed_sealed_cash) {
    return absl::OkStatus();
  }
  return Refuse(absl::StrCat(
      NameOf(known), " and this node disagree about what passed data folders that were lost: ",
      cash::ToString(hello.closed_sealed_cash), " and ", cash::ToString(hello.closed_applied_cash),
      " units there, ", cash::ToString(book.closed_applied_cash), " and ",
      cash::ToString(book.closed_sealed_cash),
      " here; one of the two folders is an older copy (a backup): put the newest one back, or "
      "declare it lost with `opic cluster declare-lost`"));
}

absl::Status CheckSums(const Hello& hello, const PeerState& known) {
  const auto differ = [&](const char* whose, uint64_t sequence, cash::Sum theirs, cash::Sum ours) {
    return Refuse(absl::StrCat(
        NameOf(known), " and this node disagree about the cash of ", whose, " batches up to ",
        sequence, ": ", cash::ToString(theirs), " there, ", cash::ToString(ours),
        " here; one of the two data folders is damaged, compare them with their backups"));
  };
  cash::Sum applied_there = known.book.sealed_cash;
  for (auto batch = known.retained.rbegin();
       batch != known.retained.rend() && batch->sequence > hello.applied; ++batch) {
    applied_there -= batch->cash;
  }
  if (hello.applied_cash != applied_there) {
    return differ("our", hello.applied, hello.applied_cash, applied_there);
  }
  const bool same_end = hello.sealed == known.book.applied;
  // By ledger push what is sealed may be a debt, so the sum may fall.
  const bool may_fall = known.method == importance::Method::kPush;
  if (same_end ? hello.sealed_cash != known.book.applied_cash
               : hello.sealed_cash < known.book.applied_cash && !may_fall) {
    return differ("its", hello.sealed, hello.sealed_cash, known.book.applied_cash);
  }
  return absl::OkStatus();
}

}  // namespace

std::string CopyOfThisNode(const Hello& hello, const PeerState& known) {
  if (!CheckCluster(hello, known).ok() || !IsCopy(known.own, hello.known)) return "";
  if (hello.known_generation != known.own_generation) return "";  // it has met another folder
  // Starts are counted in the folder, so a copy has counted at least one before its own.
  if (known.own.start == 1) {
    return absl::StrCat("this is the first start of the data folder, and ", NameOf(known),
                        " has met this node on another one: start it on that one; if that is lost "
                        "for good, run `opic cluster declare-lost ",
                        known.map.node(known.self).name, "`");
  }
  return absl::StrCat("this node runs twice, on two copies of one data folder: this is its start ",
                      known.own.start, ", and ", NameOf(known),
                      " has met another process of start ", hello.known.start, "; ", kOneOfThem);
}

std::string FaultOf(const ledger::NodeSums& sums) {
  constexpr uint64_t kPagesMax = uint64_t{1} << 50;
  const cash::Sum most = cash::kHoldingMax.units();
  const struct {
    const char* name;
    cash::Sum value, most;
  } bounded[] = {
      {"cash on its virtual page", sums.virtual_page.units(), most},
      {"cash on its pages", sums.table, most},
      {"clock", sums.clock, ledger::kClockMax},
      {"clock at its last fetch", sums.fetch_clock, ledger::kClockMax},
      {"origin of its window", sums.origin, ledger::kClockMax},
      {"history of its pages", sums.history, ledger::kClockMax},
      {"cash on its read pages", sums.read_cash, ledger::kClockMax},
      {"residual", sums.residual, ledger::kClockMax},
      {"rounding", sums.rounded, ledger::kClockMax},
      {"debt of unread pages", sums.unread_debt.value_or(0), ledger::kClockMax},
  };
  for (const auto& sum : bounded) {
    if (sum.value < -sum.most || sum.value > sum.most) {
      return absl::StrCat("its ", sum.name, " is ", cash::ToString(sum.value), ", at most ",
                          cash::ToString(sum.most), " is possible");
    }
  }
  if (sums.rounded < 0)
    return absl::StrCat("its rounding count is negative: ", cash::ToString(sums.rounded));
  if (sums.unread_debt.value_or(0) < 0)
    return absl::StrCat("its debt of unread pages is negative: ",
                        cash::ToString(*sums.unread_debt));
  if (sums.pages >= kPagesMax) return absl::StrCat("it has ", sums.pages, " pages, too many");
  if (sums.unread > sums.pages || sums.reread > sums.unread) {
    return absl::StrCat("of its ", sums.pages, " pages ", sums.unread, " are unread, ", sums.reread,
                        " of them to be fetched again");
  }
  return "";
}

absl::Status CheckHello(const Hello& hello, const PeerState& known) {
  RETURN_IF_ERROR(CheckCluster(hello, known));
  RETURN_IF_ERROR(CheckFolder(hello, known));
  RETURN_IF_ERROR(CheckIncarnation(hello, known));
  RETURN_IF_ERROR(CheckWatermarks(hello, known));
  RETURN_IF_ERROR(CheckClosedSums(hello, known));
  RETURN_IF_ERROR(CheckSums(hello, known));
  if (const std::string fault = FaultOf(hello.sums); !fault.empty()) {
    return Refuse(
        absl::StrCat(NameOf(known), " sends impossible numbers: ", fault,
                     "; run the same release on both, and look for a damaged data folder"));
  }
  return absl::OkStatus();
}

}  // namespace opic::cluster
