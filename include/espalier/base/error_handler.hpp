// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "supported.hpp"

namespace espalier {

/// A function that gets the sentence of an error. It must not return: it restarts the device, ends the task or jumps.
using error_handler = void (*)(char const* sentence);

namespace detail {
/// One for the program; null: the sentence is printed.
inline error_handler handler_of_errors = nullptr;
}  // namespace detail

/// set_error_handler(handler): in a program without exceptions (-fno-exceptions), errors call this function instead of
/// printing their sentence to the standard error output. If it returns, or if there is none (nullptr, as at first),
/// abort() is called. With ESPALIER_SMALL, nothing is printed, and the program traps instead of calling abort().
/// Returns the handler that was set before. With exceptions, errors are thrown, and no handler is called.
///
///     esp::set_error_handler([](char const* sentence) { log(sentence); restart(); });
///
/// threads  may be called in any; all threads have the same handler
inline error_handler set_error_handler(error_handler handler) noexcept {
  error_handler const before = __atomic_load_n(&detail::handler_of_errors, __ATOMIC_RELAXED);
  __atomic_store_n(&detail::handler_of_errors, handler, __ATOMIC_RELEASE);
  return before;
}

}  // namespace espalier
#include "diagnostics_pop.hpp"
