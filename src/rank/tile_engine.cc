// The vectors of a ranking in memory, beside the links of rank/tiles.h.
#include <algorithm>

#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "rank/tiles.h"

namespace opic::rank {
namespace {

constexpr Direction Other(Direction direction) {
  return direction == Direction::kDirect ? Direction::kInverse : Direction::kDirect;
}

// Shares are cut into blocks as sources are. Newest values may be read while others are renewed:
// then a block's lock is held, shared or alone.
template <typename Real>
class TileEngine final : public RankEngine {
 public:
  TileEngine(const TileMatrix& matrix, const RankOptions& options, const Rankings& rankings)
      : matrix_(matrix), options_(options), rankings_(rankings), sums_(options.workers) {
    for (const Direction direction : kDirections) {
      if (ranks(direction)) Begin(direction);
    }
  }

  uint32_t pages() const override { return matrix_.pages(); }
  bool ranks(Direction direction) const override {
    return rankings_[IndexOf(direction)].has_value();
  }
  RankTotals totals(Direction direction) const override {
    return vectors_[IndexOf(direction)].totals;
  }
  uint32_t units(Direction direction) const override {
    return ranks(direction) ? matrix_.blocks(direction) : 0;
  }

  absl::StatusOr<RenewalSums> Work(Direction direction, uint32_t unit, uint32_t worker,
                                   const RankStep& step) override {
    Vector& vector = vectors_[IndexOf(direction)];
    const uint32_t begin = unit * matrix_.block_pages(direction);
    const uint32_t size = std::min(matrix_.block_pages(direction), pages() - begin);
    std::vector<double>& sums = sums_[worker];
    sums.assign(size, 0);
    SumUp(direction, unit, vector, sums.data());
    for (double& sum : sums) sum *= step.follow;
    rankings_[IndexOf(direction)]->AddTo(begin, pages(), step.jump, absl::MakeSpan(sums));
    return Store(direction, vector, begin, absl::MakeSpan(sums), step);
  }

  void EndIteration() override {
    if (in_place()) return;
    for (Vector& vector : vectors_) vector.shares.swap(vector.renewed);
  }

  absl::Status Read(Direction direction, uint32_t first, absl::Span<double> values) override {
    const Vector& vector = vectors_[IndexOf(direction)];
    const absl::Span<const uint32_t> counts = matrix_.LinkCounts(direction);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = vector.shares[first + i] * SharesOf(options_, counts[first + i]);
    }
    return absl::OkStatus();
  }

 private:
  struct Vector {
    std::vector<Real> shares, renewed;  // `renewed` is empty when renewed in place
    std::unique_ptr<absl::Mutex[]> locks;
    RankTotals totals{1, 1};
  };

  bool in_place() const { return options_.order != Order::kJacobi; }
  uint32_t source_pages(Direction direction) const { return matrix_.block_pages(Other(direction)); }

  // From E itself.
  void Begin(Direction direction) {
    Vector& vector = vectors_[IndexOf(direction)];
    vector.shares.resize(pages());
    vector.locks = std::make_unique<absl::Mutex[]>(matrix_.blocks(Other(direction)));
    const absl::Span<const uint32_t> counts = matrix_.LinkCounts(direction);
    const RankStep from_nothing;
    RenewalSums all;
    std::vector<double> values;
    for (uint32_t begin = 0; begin < pages(); begin += static_cast<uint32_t>(values.size())) {
      values.assign(std::min<uint32_t>(source_pages(direction), pages() - begin), 0);
      rankings_[IndexOf(direction)]->AddTo(begin, pages(), 1, absl::MakeSpan(values));
      const auto shares = absl::MakeSpan(vector.shares).subspan(begin, values.size());
      all += Renew<Real>(options_, from_nothing, counts.subspan(begin, values.size()), shares,
                         absl::MakeSpan(values), shares);
    }
    vector.totals = all.after;
    if (!in_place()) vector.renewed.resize(pages());
  }

  void SumUp(Direction direction, uint32_t block, Vector& vector, double* sums) const {
    for (uint32_t source = 0; source < matrix_.blocks(Other(direction)); ++source) {
      const Real* shares = vector.shares.data() + size_t{source} * source_pages(direction);
      if (in_place()) {
        absl::ReaderMutexLock lock(&vector.locks[source]);
        matrix_.Sum(direction, block, source, shares, sums);
      } else {
        matrix_.Sum(direction, block, source, shares, sums);
      }
    }
  }

  // Piece by piece, as the locks go.
  RenewalSums Store(Direction direction, Vector& vector, uint32_t begin, absl::Span<double> sums,
                    const RankStep& step) const {
    const absl::Span<const uint32_t> counts = matrix_.LinkCounts(direction);
    std::vector<Real>& target = in_place() ? vector.shares : vector.renewed;
    RenewalSums all;
    for (size_t done = 0, size; done < sums.size(); done += size) {
      const uint32_t first = begin + static_cast<uint32_t>(done);
      const uint32_t source = first / source_pages(direction);
      const uint64_t source_end = (uint64_t{source} + 1) * source_pages(direction);
      size = std::min<uint64_t>(sums.size() - done, source_end - first);
      absl::MutexLock lock(&vector.locks[source]);
      all += Renew<Real>(options_, step, counts.subspan(first, size),
                         absl::MakeConstSpan(vector.shares).subspan(first, size),
                         sums.subspan(done, size), absl::MakeSpan(target).subspan(first, size));
    }
    return all;
  }

  const TileMatrix& matrix_;
  const RankOptions options_;
  const Rankings rankings_;
  std::array<Vector, 2> vectors_;
  std::vector<std::vector<double>> sums_;  // of each worker
};

}  // namespace

absl::StatusOr<std::unique_ptr<RankEngine>> TileStore::Prepare(const RankOptions& options,
                                                               const Rankings& rankings) {
  RETURN_IF_ERROR(CheckRanking(options, rankings, pages()));
  if (single_precision_) return std::make_unique<TileEngine<float>>(matrix_, options, rankings);
  return std::make_unique<TileEngine<double>>(matrix_, options, rankings);
}

uint64_t TileStore::BytesToRank(uint64_t pages, uint32_t workers, int rankings,
                                bool single_precision) {
  const uint64_t sums = std::min(pages, uint64_t{1} << TileShape().to_bits);
  return pages * 2 * static_cast<uint64_t>(rankings) * (single_precision ? 4 : 8) +
         workers * sums * sizeof(double);
}

}  // namespace opic::rank
