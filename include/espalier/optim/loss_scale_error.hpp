// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/option_error.hpp"

namespace espalier {

/// A number of optim::scale_loss is outside its range. The error names the number, its range and its value. Thrown when
/// a trainer is constructed, and by a step before it computes or changes anything.
class loss_scale_error : public option_error {
 public:
  template <int Registers = espalier::detail::number_registers>
  [[gnu::cold, gnu::noinline]] loss_scale_error(char const* name, char const* range, double value) noexcept
      : option_error{"optim::scale_loss", name, range, value} {}
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
