// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdio>
#include <exception>

#include "../base/error_text.hpp"
#include "../base/raise.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier {

/// A number of optim::scale_loss is outside its range. The error names the number, its range and its value. Thrown when
/// a trainer is constructed, and by a step before it computes or changes anything.
class loss_scale_error : public std::exception {
 public:
  [[gnu::cold, gnu::noinline]] loss_scale_error(char const* name, char const* range, double value) noexcept {
    char number[32];
    (void)std::snprintf(number, sizeof number, "%.9g", value);
    text_ << "optim::scale_loss: expected " << name << " " << range << ", got " << number;
  }
  char const* what() const noexcept override { return text_.text(); }

 private:
  detail::error_text text_;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
