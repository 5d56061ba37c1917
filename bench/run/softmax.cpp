// SPDX-License-Identifier: BSL-1.0
// Softmax with cross-entropy: the mean loss and the gradient of the scores.
#include "softmax.hpp"

#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

#include "espalier_side.hpp"

namespace esp = espalier;

namespace {

struct loss {
  constexpr auto operator()(auto scores, auto labels) const { return esp::cross_entropy(scores, labels); }
};
struct loss_and_gradient {
  constexpr auto operator()(auto scores, auto labels) const {
    return std::tuple{loss{}(scores, labels), std::get<0>(esp::grad(loss{})(scores, labels))};
  }
};

template <class S, class L>
struct row_of {
  bench::row row;
  bench::implementation own;
  explicit row_of(std::string const& name)
      : row{name,
            {{S::size, -3, 3}, {L::size, 0, 0, S::template extent<1>()}},
            {{1, 1e-5}, {S::size}},
            8. * S::size,
            6. * S::size},
        own{name, "espalier", [](bench::operands o) {
              return bench::compiled_work<loss_and_gradient, bench::in<S, bench::labels_of<L>>,
                                          bench::out<esp::shape<>, S>>(o);
            }} {}
};

#define ROW(N, C)                                                                                         \
  row_of<esp::shape<N, C>, esp::shape<N>> const row_##N##_##C{"softmax_cross_entropy_forward_backward/" + \
                                                              bench::extents(N, C)};
BENCH_SOFTMAX_SHAPES(ROW)

}  // namespace
