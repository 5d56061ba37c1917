// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdarg>
#include <cstdio>
#include <exception>

#include "../base/raise.hpp"

namespace espalier::io {

/// error: the expected and the actual content, in one sentence of at most 1,023 characters.
/// The object stores the text itself, so copying never allocates and never throws. (std::runtime_error would include
/// <string>, 0.4 s of every program's compile time.)
class error : public std::exception {
 public:
  error(char const* format, std::va_list arguments) noexcept { std::vsnprintf(text_, sizeof text_, format, arguments); }
  [[nodiscard]] char const* what() const noexcept override { return text_; }

 private:
  char text_[1024];
};

/// format_error: a file does not have the content that its reader expects. The text begins with the file's name.
class format_error : public error {
 public:
  using error::error;
};

/// throw_error<Error>(format, ...): throws an Error with a printf-style text. A program without exceptions prints it
/// and ends.
template <class Error>
#if defined(__MINGW32__) && !defined(__clang__)
[[gnu::format(gnu_printf, 1, 2), gnu::cold]]  // g++'s library replaces the printf of Windows
#elif defined(__GNUC__)
[[gnu::format(printf, 1, 2), gnu::cold]]
#endif
[[noreturn]] void
throw_error(char const* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  Error const made{format, arguments};
  va_end(arguments);
  espalier::detail::raise(made);
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
