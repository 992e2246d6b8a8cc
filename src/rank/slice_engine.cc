// Implements a part of rank/slice_store.h. The vectors of a ranking in files, beside the slices of
// slice_store.h.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/status_macros.h"
#include "rank/slice_store.h"
#include "rank/slice_window.h"

namespace opic::rank {
namespace {

// Sums that are added to a little later: their memory is asked for when the share is known, and is
// there when its turn comes. A slice is far larger than a processor's cache.
class LateSums {
 public:
  explicit LateSums(absl::Span<double> sums) : sums_(sums) {}
  ~LateSums() {
    for (const Late& late : waiting_) sums_[late.target] += late.share;
  }
  // Targets that the slice does not have are left out: the file was damaged.
  void Add(uint32_t target, double share) {
    if (target >= sums_.size()) return;
    __builtin_prefetch(&sums_[target], 1);
    Late& turn = waiting_[next_++ % kWaiting];
    sums_[turn.target] += turn.share;
    turn = {target, share};
  }

 private:
  static constexpr size_t kWaiting = 64;
  struct Late {
    uint32_t target = 0;
    double share = 0;
  };
  const absl::Span<double> sums_;
  std::array<Late, kWaiting> waiting_;
  size_t next_ = 0;
};

// Asks for large memory pages, of which a processor knows enough by heart to cover a slice. Only a
// hint: nothing depends on it.
template <typename T>
void UseLargePages(std::vector<T>& values, size_t size) {
  constexpr uintptr_t kPage = uintptr_t{2} << 20;
  values.reserve(size);
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(values.data()) + kPage - 1) & ~(kPage - 1);
  const uintptr_t end = reinterpret_cast<uintptr_t>(values.data() + size) & ~(kPage - 1);
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

template <typename Real>
class SliceEngine final : public RankEngine {
 public:
  SliceEngine(const SliceStore& links, const RankOptions& options, const Rankings& rankings)
      : links_(links), options_(options), rankings_(rankings), sums_(options.workers) {
    for (std::vector<double>& sums : sums_) UseLargePages(sums, std::min(links_.width(), pages()));
  }

  // Writes the first vectors: E.
  absl::Status Begin() {
    for (const Direction direction : kDirections) {
      if (ranks(direction)) RETURN_IF_ERROR(Begin(direction));
    }
    if (ranks(Direction::kInverse)) {
      ASSIGN_OR_RETURN(inverse_sums_, NewFile());
      UseLargePages(target_shares_, std::min(links_.width(), pages()));
    }
    return absl::OkStatus();
  }

  uint32_t pages() const override { return links_.pages(); }
  bool ranks(Direction direction) const override {
    return rankings_[IndexOf(direction)].has_value();
  }
  RankTotals totals(Direction direction) const override {
    return vectors_[IndexOf(direction)].totals;
  }
  // The inverse ranking needs the pass over the slices too.
  uint32_t units(Direction direction) const override {
    return direction == Direction::kDirect || ranks(direction) ? links_.slices() : 0;
  }
  IoCount io() const override { return {links_.traffic().read, links_.traffic().written}; }

  absl::StatusOr<RenewalSums> Work(Direction direction, uint32_t unit, uint32_t worker,
                                   const RankStep& step) override {
    const uint32_t begin = unit * links_.width();
    std::vector<double>& sums = sums_[worker];
    sums.assign(std::min(links_.width(), pages() - begin), 0);
    if (direction == Direction::kInverse) {
      RETURN_IF_ERROR(inverse_sums_->ReadValues(begin, absl::MakeSpan(sums)));
    } else {
      RETURN_IF_ERROR(PassSlice(unit, absl::MakeSpan(sums)));
      if (!ranks(direction)) return RenewalSums();
    }
    for (double& sum : sums) sum *= step.follow;
    rankings_[IndexOf(direction)]->AddTo(begin, pages(), step.jump, absl::MakeSpan(sums));
    return Store(direction, begin, absl::MakeSpan(sums), step);
  }

  void EndIteration() override {
    Vector& direct = vectors_[IndexOf(Direction::kDirect)];
    if (direct.renewed) std::swap(*direct.shares, *direct.renewed);
  }

  absl::Status Read(Direction direction, uint32_t first, absl::Span<double> values) override {
    std::vector<Real> shares(chunk());
    std::vector<uint32_t> counts(chunk());
    for (size_t done = 0; done < values.size(); done += shares.size()) {
      shares.resize(std::min(shares.size(), values.size() - done));
      counts.resize(shares.size());
      RETURN_IF_ERROR(ReadChunk(direction, first + done, shares, counts));
      for (size_t i = 0; i < shares.size(); ++i) {
        values[done + i] = shares[i] * SharesOf(options_, counts[i]);
      }
    }
    return absl::OkStatus();
  }

 private:
  struct Vector {
    std::optional<SliceFile> shares, renewed;  // no `renewed` when renewed in place
    RankTotals totals{1, 1};
  };

  size_t chunk() const { return links_.plan().buffer_bytes() / sizeof(double); }
  absl::StatusOr<SliceFile> NewFile() const {
    return SliceFile::Create(links_.plan().resources.folder, links_.traffic());
  }

  absl::Status Begin(Direction direction) {
    Vector& vector = vectors_[IndexOf(direction)];
    ASSIGN_OR_RETURN(vector.shares, NewFile());
    const RankStep from_nothing;
    RenewalSums all;
    std::vector<double> values(std::min<size_t>(chunk(), pages()));
    std::vector<Real> shares(values.size());
    std::vector<uint32_t> counts(values.size());
    for (uint64_t begin = 0; begin < pages(); begin += values.size()) {
      const size_t size = std::min<uint64_t>(values.size(), pages() - begin);
      values.assign(size, 0), shares.assign(size, 0), counts.resize(size);
      RETURN_IF_ERROR(links_.LinkCounts(direction).ReadValues(begin, absl::MakeSpan(counts)));
      rankings_[IndexOf(direction)]->AddTo(static_cast<uint32_t>(begin), pages(), 1,
                                           absl::MakeSpan(values));
      all += Renew<Real>(options_, from_nothing, counts, shares, absl::MakeSpan(values),
                         absl::MakeSpan(shares));
      RETURN_IF_ERROR(vector.shares->template WriteValues<Real>(begin, shares));
    }
    vector.totals = all.after;
    // Of the inverse ranking all sums are complete before the first value is renewed.
    if (options_.order == Order::kJacobi && direction == Direction::kDirect) {
      ASSIGN_OR_RETURN(vector.renewed, NewFile());
    }
    return absl::OkStatus();
  }

  // Sums up the shares that reach the slice's pages (direct) and adds those that its pages send
  // back to the sources' sums (inverse).
  absl::Status PassSlice(uint32_t slice, absl::Span<double> sums) {
    const size_t buffer = links_.plan().buffer_bytes();
    SliceReader reader = links_.ReaderOf(slice);
    std::optional<SliceWindow<Real>> shares;
    std::optional<SliceWindow<double>> sources;
    if (ranks(Direction::kDirect)) shares.emplace(*vectors_[0].shares, pages(), buffer, false);
    if (ranks(Direction::kInverse)) {
      if (slice == 0) RETURN_IF_ERROR(ZeroInverseSums());
      sources.emplace(*inverse_sums_, pages(), buffer, true);
      target_shares_.resize(sums.size());
      RETURN_IF_ERROR(vectors_[1].shares->ReadValues(uint64_t{slice} * links_.width(),
                                                     absl::MakeSpan(target_shares_)));
    }
    LateSums late(sums);
    while (true) {
      ASSIGN_OR_RETURN(const bool more, reader.Next());
      if (!more) break;
      const uint32_t source = reader.source();
      if (source >= pages()) return reader.Damaged();
      RETURN_IF_ERROR(Pass(reader, source, shares, sources, late));
    }
    return sources ? sources->Flush() : absl::OkStatus();
  }

  absl::Status Pass(SliceReader& reader, uint32_t source, std::optional<SliceWindow<Real>>& shares,
                    std::optional<SliceWindow<double>>& sources, LateSums& sums) {
    double share = 0, back = 0;
    if (shares) {
      RETURN_IF_ERROR(shares->Reach(source));
      share = (*shares)[source];
    }
    if (!sources) {
      return reader.ForEachTarget([&](uint32_t target) { sums.Add(target, share); });
    }
    RETURN_IF_ERROR(reader.ForEachTarget([&](uint32_t target) {
      if (shares) sums.Add(target, share);
      if (target < target_shares_.size()) back += target_shares_[target];
    }));
    RETURN_IF_ERROR(sources->Reach(source));
    (*sources)[source] += back;
    return absl::OkStatus();
  }

  absl::Status ZeroInverseSums() {
    const std::vector<double> zeros(chunk());
    for (uint64_t at = 0; at < pages(); at += zeros.size()) {
      const size_t size = std::min<uint64_t>(zeros.size(), pages() - at);
      RETURN_IF_ERROR(inverse_sums_->WriteValues(at, absl::MakeConstSpan(zeros).first(size)));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<RenewalSums> Store(Direction direction, uint32_t begin, absl::Span<double> sums,
                                    const RankStep& step) {
    Vector& vector = vectors_[IndexOf(direction)];
    SliceFile& target = vector.renewed ? *vector.renewed : *vector.shares;
    std::vector<Real> shares(std::min(chunk(), sums.size()));
    std::vector<uint32_t> counts(shares.size());
    RenewalSums all;
    for (size_t done = 0; done < sums.size(); done += shares.size()) {
      shares.resize(std::min(shares.size(), sums.size() - done));
      counts.resize(shares.size());
      RETURN_IF_ERROR(ReadChunk(direction, begin + done, shares, counts));
      all += Renew<Real>(options_, step, counts, shares, sums.subspan(done, shares.size()),
                         absl::MakeSpan(shares));
      RETURN_IF_ERROR(target.WriteValues<Real>(begin + done, shares));
    }
    return all;
  }

  absl::Status ReadChunk(Direction direction, uint64_t first, std::vector<Real>& shares,
                         std::vector<uint32_t>& counts) const {
    RETURN_IF_ERROR(vectors_[IndexOf(direction)].shares->ReadValues(first, absl::MakeSpan(shares)));
    return links_.LinkCounts(direction).ReadValues(first, absl::MakeSpan(counts));
  }

  const SliceStore& links_;
  const RankOptions options_;
  const Rankings rankings_;
  std::array<Vector, 2> vectors_;
  std::optional<SliceFile> inverse_sums_;
  std::vector<Real> target_shares_;        // of the inverse ranking, of the slice's pages
  std::vector<std::vector<double>> sums_;  // of each worker
};

template <typename Real>
absl::StatusOr<std::unique_ptr<RankEngine>> NewEngine(const SliceStore& links,
                                                      const RankOptions& options,
                                                      const Rankings& rankings) {
  auto engine = std::make_unique<SliceEngine<Real>>(links, options, rankings);
  RETURN_IF_ERROR(engine->Begin());
  return engine;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RankEngine>> SliceStore::Prepare(const RankOptions& options,
                                                                const Rankings& rankings) {
  RETURN_IF_ERROR(CheckRanking(options, rankings, pages_));
  if (rankings[IndexOf(Direction::kInverse)] && (options.workers > 1 || plan_.workers > 1)) {
    return absl::InvalidArgumentError("the inverse ranking of links on disk takes one worker");
  }
  const int wanted = static_cast<int>(rankings[0].has_value()) + rankings[1].has_value();
  if (options.workers > plan_.workers || wanted > plan_.rankings) {
    return absl::InvalidArgumentError("more workers or rankings than memory was planned for");
  }
  if (plan_.resources.single_precision) return NewEngine<float>(*this, options, rankings);
  return NewEngine<double>(*this, options, rankings);
}

}  // namespace opic::rank
