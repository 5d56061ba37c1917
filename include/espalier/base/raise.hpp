// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "error_handler.hpp"
#include "small.hpp"

#if !defined(__cpp_exceptions) && !ESPALIER_IS_SMALL
#include <cstdio>
#include <cstdlib>
#endif

/// Throws errors, also in programs without exceptions.
namespace espalier::detail {

/// raise(error): throws it. A program without exceptions (-fno-exceptions) calls the handler of set_error_handler with
/// what(), or prints what() to the standard error output, and calls abort(). With ESPALIER_SMALL it prints nothing and
/// traps: abort() and what prints take 3 KB of a bare processor's flash.
template <class Error>
[[noreturn, gnu::cold, gnu::noinline]] void raise(Error const& error) {
#if defined(__cpp_exceptions)
  throw error;
#elif ESPALIER_IS_SMALL
  if (error_handler const handler = __atomic_load_n(&handler_of_errors, __ATOMIC_ACQUIRE); handler != nullptr)
    handler(error.what());
  __builtin_trap();
#else
  if (error_handler const handler = __atomic_load_n(&handler_of_errors, __ATOMIC_ACQUIRE); handler != nullptr) {
    handler(error.what());
  } else {
    // fputs: formatted output would cost a bare processor some 20 KB.
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
  }
  std::abort();
#endif
}

}  // namespace espalier::detail
#include "diagnostics_pop.hpp"
