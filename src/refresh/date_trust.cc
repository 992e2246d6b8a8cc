#include "refresh/date_trust.h"

namespace opic::refresh {

void DateTrust::Count(DateUse use) {
  if (use == DateUse::kMissing) return;
  true_ *= 1 - 1 / kRemembered;
  false_ *= 1 - 1 / kRemembered;
  (use == DateUse::kUsed ? true_ : false_) += 1;
}

}  // namespace opic::refresh
