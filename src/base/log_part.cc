#include "base/log_part.h"

namespace opic::base {
namespace {

thread_local std::string log_part;

}  // namespace

const std::string& LogPart() { return log_part; }

WithLogPart::WithLogPart(std::string name) : before_(std::exchange(log_part, std::move(name))) {}

WithLogPart::~WithLogPart() { log_part = std::move(before_); }

}  // namespace opic::base
