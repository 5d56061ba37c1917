// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdarg>
#include <cstdio>
#include <exception>

#include "../base/raise.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::io {

/// error: what was expected and what came, in one sentence of at most 1,023 characters.
/// The text lies in the object, so copying never allocates and never throws. (std::runtime_error would bring <string>,
/// 0.4 s of every program's compile time.)
class error : public std::exception {
 public:
  error(char const* format, std::va_list arguments) noexcept { std::vsnprintf(text_, sizeof text_, format, arguments); }
  [[nodiscard]] char const* what() const noexcept override { return text_; }

 private:
  char text_[1024];
};

/// format_error: a file that does not hold what its reader expects. The text begins with the file's name.
class format_error : public error {
 public:
  using error::error;
};

/// refuse<Error>(format, ...): throws an Error with a text as printf would print it. A program without exceptions prints it and ends.
template <class Error>
#if defined(__GNUC__)
[[gnu::format(printf, 1, 2), gnu::cold]]
#endif
[[noreturn]] void
refuse(char const* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  Error const made{format, arguments};
  va_end(arguments);
  espalier::detail::raise(made);
}

}  // namespace espalier::io
#pragma GCC diagnostic pop
