#include "tests/support/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/time/clock.h"

extern char** environ;

namespace opic::support {
namespace {

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Between fork and exec: nothing but system calls.
[[noreturn]] void Become(char** words, char** environment, const char* output, const char* errors,
                         uint64_t file_bytes) {
  constexpr int kFlags = O_CREAT | O_WRONLY | O_TRUNC | O_APPEND;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(open(output, kFlags, 0600), STDOUT_FILENO);
  dup2(*errors == '\0' ? STDOUT_FILENO : open(errors, kFlags, 0600), STDERR_FILENO);
  if (file_bytes > 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{file_bytes, file_bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  execve(words[0], words, environment);
  _exit(127);
}

}  // namespace

Process::Process(std::vector<std::string> words, Options options)
    : options_(std::move(options)), started_(WallTime()) {
  std::vector<std::string> environment = options_.environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!absl::StartsWith(*entry, "OPIC_")) environment.emplace_back(*entry);
  }
  const std::vector<char*> word_pointers = Pointers(words);
  const std::vector<char*> environment_pointers = Pointers(environment);
  pid_ = fork();
  if (pid_ == 0) {
    Become(const_cast<char**>(word_pointers.data()),
           const_cast<char**>(environment_pointers.data()), options_.output.c_str(),
           options_.errors.c_str(), options_.file_bytes_max);
  }
}

Process::~Process() { Kill(); }

void Process::Signal(int signal) const {
  if (pid_ > 0 && !code_) kill(pid_, signal);
}

void Process::LimitFiles(uint64_t bytes) const {
  const rlimit limit{bytes, bytes};
  if (pid_ > 0 && !code_) prlimit(pid_, RLIMIT_FSIZE, &limit, nullptr);
}

std::optional<int> Process::Wait(absl::Duration patience) {
  Eventually(patience, [this] {
    int status = 0;
    if (!code_ && waitpid(pid_, &status, WNOHANG) == pid_) {
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return code_.has_value();
  });
  return code_;
}

void Process::Kill() {
  Signal(SIGKILL);
  Wait(absl::Seconds(60));
}

std::string Process::output() const { return Contents(options_.output); }
std::string Process::errors() const { return Contents(options_.errors); }

void ShortPause() { absl::SleepFor(absl::Milliseconds(2)); }
absl::Time WallTime() { return absl::Now(); }

}  // namespace opic::support
