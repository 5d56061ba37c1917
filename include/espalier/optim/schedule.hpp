// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/supported.hpp"

#include <cstdint>

#include "../base/option_error.hpp"

/// Schedules: function objects that return a learning rate for the number of steps (or epochs) so far, from 0 on.
///     constexpr auto rate = optim::warm_up{100, optim::cosine{.from = 1e-3, .to = 1e-5, .over = 5000}};
///     trainer.learning_rate() = rate(trainer.steps());
/// The update's program reads the rate at run time, so a change does not compile or plan anything again.
/// A negative number counts as 0.
/// errors  option_error: a number outside its range. Trainers and updaters check the rate itself.
namespace espalier::optim {

/// A constant rate.
struct constant {
  double rate = 1e-3;
  constexpr double operator()(std::int64_t) const { return rate; }
};

/// Multiplies the rate by `times` after every `every` steps: from times^floor(step / every).
/// range   every >= 1 (otherwise the rate stays `from`)
struct staircase {
  double from = 1e-3;
  double times = 0.1;
  std::int64_t every = 30;

  constexpr double operator()(std::int64_t step) const {
    double power = 1, square = times;
    for (std::int64_t n = every < 1 || step < 0 ? 0 : step / every; n != 0; n /= 2, square *= square)
      if (n % 2 != 0) power *= square;
    return from * power;
  }
};

/// Half a period of a cosine: exactly `from` at step 0, exactly `to` at step `over` and later.
/// range   over >= 1 (otherwise the rate is `to`)
/// source  Loshchilov and Hutter 2017, without restarts
struct cosine {
  double from = 1e-3;
  double to = 0;
  std::int64_t over = 1000;

  constexpr double operator()(std::int64_t step) const {
    if (step >= over) return to;
    if (step <= 0) return from;
    // sin(a) for a in [0, pi/4] by its series: cos is not a constant expression on every compiler.
    double const part = static_cast<double>(step) / static_cast<double>(over), near = part < 0.5 ? part : 1 - part;
    double const a = near * 1.5707963267948966;  // near pi / 2: (1 - cos(2 a)) / 2 = sin(a)^2
    double term = a, sine = a;
    for (int k = 1; k < 10; ++k) {
      term *= -a * a / (2 * k * (2 * k + 1));
      sine += term;
    }
    double const low = sine * sine;
    return part < 0.5 ? from + (to - from) * low : to + (from - to) * low;
  }
};

/// A linear warm-up to the first rate of the schedule that follows: after(0) (step + 1) / (over + 1). So no step has
/// the rate 0. From step `over` on, the rate is after(step - over).
/// range   over >= 0
template <class After>
struct warm_up {
  std::int64_t over;
  After after;

  constexpr double operator()(std::int64_t step) const {
    espalier::detail::check_option("optim::warm_up", "over", static_cast<double>(over),
                                   espalier::detail::option_range::at_least_0);
    if (step >= over) return after(step - over);
    return after(0) * (static_cast<double>(step < 0 ? 0 : step) + 1) / (static_cast<double>(over) + 1);
  }
};
template <class After>
warm_up(int, After) -> warm_up<After>;
template <class After>
warm_up(std::int64_t, After) -> warm_up<After>;

}  // namespace espalier::optim
#include "../base/diagnostics_pop.hpp"
