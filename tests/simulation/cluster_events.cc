#include "tests/simulation/cluster_events.h"

#include "absl/strings/str_cat.h"

namespace opic {

void ClusterEvents::Add(const ClusterEvents& other) {
  steps += other.steps, crashes += other.crashes, surprises += other.surprises;
  full_disks += other.full_disks, pauses += other.pauses, partitions += other.partitions;
  sessions += other.sessions, sent += other.sent, dropped += other.dropped;
  duplicated += other.duplicated, reordered += other.reordered;
  applied += other.applied, repeated += other.repeated, resent += other.resent;
  forwarded += other.forwarded, audits += other.audits, torn += other.torn;
  clocks_set += other.clocks_set;
  departures += other.departures, arrivals += other.arrivals, unnamed += other.unnamed;
  losses += other.losses, lost_together += other.lost_together, lost_again += other.lost_again;
  restored += other.restored, doubled += other.doubled, found_out += other.found_out;
  harmless += other.harmless, strays += other.strays, damaged_reads += other.damaged_reads;
  above_supply += other.above_supply;
}

std::string ClusterEvents::ToString() const {
  return absl::StrCat(
      steps, " steps, ", crashes, " crashes (", surprises, " behind a sync), ", full_disks,
      " full disks, ", pauses, " pauses, ", partitions, " partitions, ", sessions, " sessions, ",
      sent, " messages (", dropped, " dropped, ", duplicated, " duplicated, ", reordered,
      " reordered), ", applied, " batches applied (", resent, " sent again, ", repeated,
      " came again), ", forwarded, " transfers posted on, ", audits, " audits (", torn, " torn), ",
      departures, " shards departed, ", arrivals, " arrived, ", unnamed, " overtook their names; ",
      clocks_set, " clocks set; ", losses, " folders lost (", lost_together, " not alone, ",
      lost_again, " successors), ", restored, " restored, ", doubled, " doubled (", found_out,
      " found out, ", harmless, " harmless), ", strays, " strays, ", damaged_reads,
      " damaged reads");
}

}  // namespace opic
