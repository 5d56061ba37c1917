// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include <cstdarg>
#include <cstdio>
#include <exception>

#include "../../base/raise.hpp"

namespace espalier::on_cuda {

/// cuda_error: an error of a device, as one sentence of at most 1,023 characters that names the call or the kernel.
/// The object holds the text, so copying never allocates and never throws.
class cuda_error : public std::exception {
 public:
  cuda_error(char const* format, std::va_list arguments) noexcept {
    std::vsnprintf(text_, sizeof text_, format, arguments);
  }
  [[nodiscard]] char const* what() const noexcept override { return text_; }

 private:
  char text_[1024];
};

/// divergent_threads: threads of a kernel did not all reach the same barrier or shuffle. On a device the kernel hangs,
/// or its results are wrong.
class divergent_threads : public cuda_error {
 public:
  using cuda_error::cuda_error;
};

namespace detail {

/// throw_error<Error>(format, ...): throws an Error with a text in printf's format. A program without exceptions
/// prints it and ends.
template <class Error>
[[gnu::format(printf, 1, 2), gnu::cold, gnu::noinline, noreturn]] void throw_error(char const* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  Error const made{format, arguments};
  va_end(arguments);
  espalier::detail::raise(made);
}

/// The compiler's name of a type, for printf's "%.*s".
struct spelling {
  int size;
  char const* at;
};

template <class T>
spelling spelling_of() {
  char const* at = __PRETTY_FUNCTION__;
  for (char const* p = at; *p != 0; ++p)
    if (p[0] == 'T' && p[1] == ' ' && p[2] == '=' && p[3] == ' ') {
      at = p + 4;
      break;
    }
  int size = 0;
  while (at[size] != 0) ++size;
  return {size > 0 && at[size - 1] == ']' ? size - 1 : size, at};
}

}  // namespace detail

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
