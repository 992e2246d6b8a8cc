// A thread of a test that is to wait for something: the test goes on when it does, not after a time
// that is hoped to be enough.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

namespace opic::support {

class SleepingThread {
 public:
  explicit SleepingThread(std::function<void()> work)
      : thread_([this, work = std::move(work)] {
          number_ = static_cast<pid_t>(syscall(SYS_gettid));
          work();
          ended_ = true;
        }) {}
  ~SleepingThread() { Join(); }

  // Until some looks in a row have found it asleep: a lock of the allocator may stop it for a
  // moment. False: it ended, and never waited for long enough to be seen.
  bool AwaitSleep() {
    for (int asleep = 0; !ended_;) {
      asleep = number_ != 0 && State() == 'S' ? asleep + 1 : 0;
      if (asleep == kLooks) return true;
      std::this_thread::yield();
    }
    return false;
  }
  void Join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  static constexpr int kLooks = 5;

  // proc(5), /proc/[pid]/stat: the letter behind the name, which stands in parentheses.
  char State() const {
    std::ifstream file("/proc/self/task/" + std::to_string(number_) + "/stat");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    const size_t name_end = line.rfind(')');
    return name_end != std::string::npos && name_end + 2 < line.size() ? line[name_end + 2] : '?';
  }

  std::atomic<pid_t> number_ = 0;
  std::atomic<bool> ended_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace opic::support
