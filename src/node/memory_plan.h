// What the parts of a node may take of the memory that `--memory` gives the process.
//
//   bodies         1/4   answers on their way from the web to a worker (fetch::Options::bodies)
//   robots         1/16  rules of robots.txt; the others are in the store
//   reports        1/16  visits and links on their way from the workers to the ledger's thread
//   group          1/64  of reports: what one commit group takes in, and what of peers waits for
//                        it. Until it is written its names are in memory about six times (visit,
//                        group, batch, RocksDB's batch, its log and its table), and one page may
//                        be larger (links::LinkSink)
//   cookies        1/32  with --cookies: those of hosts (fetch/cookie_jar.h)
//   connections    1/8   those that stay open for later requests, with TLS and HTTP/2
//   settling_plan  1/4   links of all pages, for what they are to pay (settling_plan.h): when
//                        nothing is fetched, and no bodies come in
//   rows           1/16  of pages that were visited last (ledger/kept_rows.h)
//   store_cache    1/8   blocks and filters of RocksDB
//   store_buffers  1/16  its tables in memory; as much again while they are written
//
// The rest, some 3/16, is for what these cost in passing, for the scheduler's store (16 MiB), and
// for the program itself. Beside it stand the page table, 8 bytes a known page, and what calls from
// outside may take (rpc/limits.h).
//
// Thread safety: immutable.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opic::node {

struct MemoryPlan {
  // The whole is at least so many times the largest body, so that what is in hand of one page fits
  // into the parts.
  static constexpr uint64_t kWholeInBodies = 24;
  static constexpr uint64_t kWholeMin = uint64_t{128} << 20;

  static constexpr uint64_t kConnectionBytes = 64 << 10;  // an idle one, about

  uint64_t whole = uint64_t{512} << 20;

  size_t bodies() const { return whole / 4; }
  size_t robots() const { return whole / 16; }
  size_t reports() const { return whole / 16; }
  size_t cookies() const { return whole / 32; }
  size_t group() const { return whole / 64; }
  size_t connections() const { return whole / 8 / kConnectionBytes; }  // how many
  size_t settling_plan() const { return bodies(); }
  size_t rows() const { return whole / 16; }
  size_t store_cache() const { return whole / 8; }
  size_t store_buffers() const { return whole / 16; }
};

}  // namespace opic::node
