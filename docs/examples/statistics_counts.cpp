// SPDX-License-Identifier: BSL-1.0
// How many means a norm layer takes, counted by the compiler: a cell is pushed, and whatever moves with it shares a
// statistic with it.
//   statistics_counts [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>
#include <espalier/model/constant_model.hpp>

#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape;

struct counted {
  int statistics, values;  ///< and how many values the first one runs over
  constexpr bool operator==(counted const&) const = default;
};

template <class Norm, class S>
constexpr counted statistics = [] {
  constexpr esp::constant_model<Norm, double> norm{};
  constexpr esp::tensor<double, S> start = [] {
    esp::tensor<double, S> x;
    nn::init::fill(nn::init::uniform{-1, 1}, x.span(), {.seed = 1});
    return x;
  }();
  constexpr esp::tensor<double, S> before = norm(start);
  counted found{0, 0};
  bool known[S::size]{};
  for (int cell = 0; cell < S::size; ++cell) {
    if (known[cell]) continue;
    esp::tensor<double, S> pushed = start;
    pushed[cell] += 1;
    esp::tensor<double, S> const after = norm(pushed);
    for (int other = 0; other < S::size; ++other) known[other] = known[other] || after[other] != before[other];
    if (++found.statistics > 1) continue;
    for (bool const moved : known) found.values += moved;
  }
  return found;
}();

// untracked: with the statistics of its own batch, as in training.
using BatchNorm = nn::BatchNorm2d<3, nn::norm{.untracked = true}>;
// one for each of 2 x 3 rows of 4
static_assert(statistics<nn::LayerNorm<shape<4>>, shape<2, 3, 4>> == counted{6, 4});
static_assert(statistics<nn::RMSNorm<shape<4>>, shape<2, 3, 4>> == counted{6, 4});
// one for each channel, over 2 images of 4 x 4
static_assert(statistics<BatchNorm, shape<2, 3, 4, 4>> == counted{3, 32});
static_assert(statistics<nn::InstanceNorm<3>, shape<2, 3, 4, 4>> == counted{6, 16});  // 6 would be this one
static_assert(statistics<nn::GroupNorm<1, 3>, shape<2, 3, 4, 4>> == counted{2, 48});

int main(int count, char** words) {
  examples::recorded out;
  auto const print = [&](char const* what, counted c) {
    out.print("%-26s %d statistics, each of %d values\n", what, c.statistics, c.values);
  };
  print("LayerNorm on (2,3,4)", statistics<nn::LayerNorm<shape<4>>, shape<2, 3, 4>>);
  print("BatchNorm on (2,3,4,4)", statistics<BatchNorm, shape<2, 3, 4, 4>>);
  print("InstanceNorm on (2,3,4,4)", statistics<nn::InstanceNorm<3>, shape<2, 3, 4, 4>>);
  return out.finish(count, words);
}
