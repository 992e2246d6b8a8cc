// What cells of ledger push round: counted, told, and gone when all is restated
// (src/page_table/roundings.h).
#include "tests/ledger/push_fixture.h"

namespace opic {
namespace {

class PushRoundingTest : public PushTest {
 protected:
  // Anew, with amounts that cells round.
  void CrawlInRoundedCells() {
    base_ = importance::kBase.units();
    store_ = CrashingStore();
    Open();
    Seed(1);
    Commit();
    for (uint64_t n = 1; n < 30; ++n) {
      Fetch(n, {n + 1, n / 2 + 1});
      Commit();
    }
  }
};

// What cells round is counted, told, kept over restarts, and gone when all is restated.
TEST_F(PushRoundingTest, RoundingIsKnownUntilItIsCorrected) {
  Seed(1);
  Commit();
  Fetch(1, {2, 3});
  Commit();
  EXPECT_EQ(ledger_->accounting().RoundingError(), 0) << "small cells are exact";
  CrawlInRoundedCells();
  const double error = ledger_->accounting().RoundingError();
  ledger::Equation equation(ledger_->charter());
  ASSERT_TRUE(equation.Add(*ledger_, store_).ok());
  double off = 0;
  for (const ledger::Drift& drift : equation.Drifts()) {
    off += std::abs(static_cast<double>(drift.amount));
  }
  const double flow = static_cast<double>(equation.history());
  EXPECT_GT(error, off / epsilon_ / flow / 3);
  EXPECT_LT(error, off / epsilon_ / flow * 5);
  EXPECT_TRUE(ledger_->Sums().rounded > 0);
  Open();
  EXPECT_NEAR(ledger_->accounting().RoundingError() / error, 1, 0.1);
  ledger_->Correct(equation.Drifts());
  ledger_->restating().Restated();
  Commit();
  EXPECT_LT(ledger_->accounting().RoundingError(), error / 2);
}

// Where nothing was off there is no correction to write, but that all was restated is.
TEST_F(PushRoundingTest, ARestatementThatFoundNothingIsKept) {
  CrawlInRoundedCells();
  ASSERT_GT(ledger_->accounting().RoundingError(), 0);
  ledger_->restating().Restated();
  Commit();
  Open();
  EXPECT_EQ(ledger_->accounting().RoundingError(), 0);
}

}  // namespace
}  // namespace opic
