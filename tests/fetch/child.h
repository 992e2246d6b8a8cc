// A program run beside a test, ended with it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace opic::fetch {

class Child {
 public:
  // Starts `words`[0], looked up in PATH; its standard output goes to the file `out`, its standard
  // input stays open and empty.
  Child(std::vector<std::string> words, const std::string& out) {
    if (pipe2(input_, O_CLOEXEC) != 0) return;
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = fork();
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(input_[0], STDIN_FILENO);
    const int file = open(out.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  ~Child() {
    if (pid_ > 0) {
      kill(pid_, SIGTERM);
      kill(pid_, SIGCONT);  // a stopped one would not end
      waitpid(pid_, nullptr, 0);
    }
    for (int end : input_) close(end);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void Signal(int number) const {
    if (pid_ > 0) kill(pid_, number);
  }

 private:
  int input_[2] = {-1, -1};
  pid_t pid_ = -1;
};

}  // namespace opic::fetch
