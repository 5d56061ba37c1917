// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace test {

/// What a child process that runs f prints before it stops; "" where it does not stop.
template <class F>
std::string last_words(F&& f) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  pid_t const child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    for (int signal : {SIGABRT, SIGSEGV}) std::signal(signal, SIG_DFL);
    f();
    _exit(0);
  }
  close(ends[1]);
  std::string words;
  char some[256];
  for (ssize_t n = 0; (n = read(ends[0], some, sizeof some)) > 0;) words.append(some, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? words : std::string();
}
inline bool has(std::string const& text, char const* words) { return text.find(words) != std::string::npos; }

}  // namespace test
