// A store that can crash and whose disk can be full, for simulations: of a kind in memory
// (CrashingStore) and of RocksDB on files that forget (ForgetfulRocks).
//
// Thread safety: confined to one thread.
#pragma once

#include "base/rng.h"
#include "store/store.h"

namespace opic {

class UnreliableStore : public store::Store {
 public:
  enum class When {
    kBefore,  // a write may have reached the disk but was not synced
    kAfter,   // the call did its work, nobody heard of it
  };

  // The `call`-th call from now on, counted from 1, crashes, and all later ones fail until Reboot.
  // What a call is, each kind of store says.
  virtual void CrashAt(uint64_t call, When when) = 0;
  virtual void CancelCrash() = 0;
  virtual bool crashed() const = 0;
  // After a power cut, whether or not it has crashed before: what was synced is there again, and of
  // the writes since then some first ones.
  virtual void Reboot(base::Rng& rng) = 0;

  // The `read`-th read from now on (a row, rows, a scan) tells damaged bytes, once; where no
  // checksum of a row would show it, the store itself does, with DataLoss. 0: none.
  virtual void DamageRead(uint64_t) {}
  // How many reads were damaged until now.
  virtual uint64_t damaged_reads() const { return 0; }

  // From now on writes fail with ResourceExhausted and change nothing.
  virtual void FillDisk(bool full) = 0;

  // The rows as they are seen now, for checks: its calls do not count and do not crash.
  virtual store::Store& rows() = 0;
};

}  // namespace opic
