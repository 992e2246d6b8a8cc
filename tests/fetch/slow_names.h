// Names that a test's name server knows nothing about, or never answers for, or counts.
//
// slow_names.cc defines getaddrinfo for the test program, which libcurl then calls; all other names
// go to the system.
#pragma once

namespace opic::fetch {

inline constexpr char kUnknownName[] = "unknown.test";
inline constexpr char kStuckName[] = "stuck.test";
inline constexpr char kCountedName[] = "counted.test";  // 127.0.0.1

// How often kCountedName was looked up since the program began.
int TimesLookedUp();

// While it lives, looking kStuckName up does not return. Its end lets all look-ups fail and waits
// for them.
class StuckNames {
 public:
  StuckNames();
  ~StuckNames();
  StuckNames(const StuckNames&) = delete;
  StuckNames& operator=(const StuckNames&) = delete;

  // Waits until a look-up is stuck.
  void AwaitOne();
};

}  // namespace opic::fetch
