// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../expression/mode.hpp"
#include "../operation/compare.hpp"
#include "../operation/flip.hpp"
#include "../operation/where.hpp"
#include "augmentation.hpp"

namespace espalier::nn {

/// Training mirrors each image of a batch left to right with probability P, independently of the others: if its random
/// number, uniform in [0, 1), is below P. Evaluation returns x. Each call has its own numbers, new at each step.
/// streams  as of Dropout
/// shape   nchw: (N, C, H, W) -> (N, C, H, W); nhwc: (N, H, W, C) -> (N, H, W, C)
/// range   P in [0, 1]
/// errors  another P, and other than four axes, do not compile
/// saves   the random numbers
/// gradient  dx = dy, mirrored where x was
/// source  torchvision.transforms.RandomHorizontalFlip, with a number for each image
template <real P = 0.5, image_layout Layout = nchw>
struct RandomHorizontalFlip {
  static constexpr bool numbers_fit = flip_probability<P>::agree;
  random_stream stream = nn::detail::numbers_reported<number_report::report()>{};
  ESPALIER_MODULE(RandomHorizontalFlip, stream)
  using takes_single_values = void;

  constexpr auto forward(auto x) const {
    using X = decltype(x);
    using Fit = images<shape_of<X>>;
    if constexpr (is_invalid<X>) return x;
    else if constexpr (!Fit::agree) return invalid<Fit>{};
    else
      return by_mode(
          x,
          [&] {
            using numbers = detail::number_of_each_image<shape_of<X>>;
            constexpr int columns = Layout == nchw ? 3 : 2;
            return where(random_uniform<numbers>{stream} < P.value, flip<columns>(x), x);
          },
          [&] { return x; });
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(flip_probability<P>::agree,
                    ESPALIER_SENTENCE("nn::RandomHorizontalFlip<P>: the probability P of a flip must be in [0, 1]",
                                      flip_probability<P>));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
