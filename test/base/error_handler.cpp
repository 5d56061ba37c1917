// SPDX-License-Identifier: BSL-1.0
// A program without exceptions (test/meson.build): what an error does there. Exit status 0 if all is right. Also
// compiled with ESPALIER_SMALL, where nothing is printed.
#include <espalier/base/error_handler.hpp>
#include <espalier/io/error.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace esp = espalier;
namespace io = espalier::io;

static std::jmp_buf before_the_error;
static char heard[128];

static void hear(char const* sentence) {
  std::strncpy(heard, sentence, sizeof heard - 1);
  std::longjmp(before_the_error, 1);
}
static void hear_and_return(char const* sentence) { std::strncpy(heard, sentence, sizeof heard - 1); }

static void fail() { io::throw_error<io::format_error>("%s: expected %d bytes", "weights.bin", 7); }

#if defined(ESPALIER_SMALL)
static constexpr int ending = SIGILL;
static char const* const printed = "";
#else
static constexpr int ending = SIGABRT;
static char const* const printed = "weights.bin: expected 7 bytes\n";
#endif

/// Whether a child that fails is ended, and what it writes to the standard error output.
static bool child_ends(char const* expected) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  pid_t const child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    fail();
    _exit(0);
  }
  close(ends[1]);
  char told[128] = {};
  std::size_t size = 0;
  for (ssize_t some = 1; some > 0 && size + 1 < sizeof told; size += some > 0 ? static_cast<std::size_t>(some) : 0)
    some = read(ends[0], told + size, sizeof told - 1 - size);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return std::strcmp(told, expected) == 0 && WIFSIGNALED(status) && WTERMSIG(status) == ending;
}

static int wrong = 0;
static void check(bool right, char const* what) {
  std::printf("%s: %s\n", right ? "right" : "WRONG", what);
  wrong += right ? 0 : 1;
}

int main() {
#if defined(__cpp_exceptions)
#error "this program is compiled with -fno-exceptions"
#endif
  check(child_ends(printed), "without a handler the sentence is printed, or nothing with ESPALIER_SMALL");
  check(esp::set_error_handler(&hear) == nullptr, "at first there is none");
  if (setjmp(before_the_error) == 0) {
    fail();
    check(false, "an error does not return");
  }
  check(std::strcmp(heard, "weights.bin: expected 7 bytes") == 0, "the handler gets the sentence");
  check(esp::set_error_handler(&hear_and_return) == &hear, "the handler before is returned");
  check(child_ends(""), "a handler that returns is followed by the end");
  check(esp::set_error_handler(nullptr) == &hear_and_return, "and it can be removed");
  check(child_ends(printed), "then there is none again");
  return wrong == 0 ? 0 : 1;
}
