#include "store/rocks_log.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/log.h"

namespace opic::store {

void RocksLog::Logv(const rocksdb::InfoLogLevel level, const char* format, va_list arguments) {
  if (level < GetInfoLogLevel()) return;
  char line[1000];
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  if (length < 0) return;
  // Some events go on for dozens of lines; what happened stands in the first.
  const std::string_view all(line, std::min(static_cast<size_t>(length), sizeof line - 1));
  const std::string text(all.substr(0, all.find('\n')));
  if (level >= rocksdb::InfoLogLevel::ERROR_LEVEL) {
    base::LogError("store: {}", text);
  } else {
    base::LogWarning("store: {}", text);
  }
}

}  // namespace opic::store
