// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "supported.hpp"

#if !defined(__cpp_exceptions)
#include <cstdio>
#include <cstdlib>
#endif

#include "diagnostics_push.hpp"
/// Throws errors, also in programs without exceptions.
namespace espalier::detail {

/// raise(error): throws it. A program without exceptions (-fno-exceptions) prints what() to the standard error output
/// and calls abort().
template <class Error>
[[noreturn, gnu::cold, gnu::noinline]] void raise(Error const& error) {
#if defined(__cpp_exceptions)
  throw error;
#else
  std::fprintf(stderr, "%s\n", error.what());
  std::abort();
#endif
}

}  // namespace espalier::detail
#include "diagnostics_pop.hpp"
