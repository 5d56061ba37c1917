// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier.hpp>

/// Table 1 of the LayerNorm paper (Ba, Kiros and Hinton 2016): which norm forgets which change of weights and data, for
/// a = x W.
namespace examples {

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;

// [nets]
// a = x W without bias, then the norm with gain and bias. An untracked BatchNorm always uses the statistics of its
// batch.
constexpr nn::norm exact{.eps = 0, .untracked = true};
template <class Norm>
using Normed = nn::Sequential<nn::Linear<5, 4, nn::no_bias>, Norm>;
template <nn::norm Options>
using BatchNormed = Normed<nn::BatchNorm1d<4, Options>>;
template <nn::norm Options>
using LayerNormed = Normed<nn::LayerNorm1d<4, Options>>;
using WeightNormed = nn::WeightNorm<nn::Linear<5, 4>>;  // has its own gain and bias; the changes apply to v
// [/nets]

using samples = tensor<double, shape<6, 5>>;
using weights = tensor<double, shape<5, 4>>;
using scores = tensor<double, shape<6, 4>>;
constexpr double gain[] = {0.5, 1, 1.5, 2}, bias[] = {1, 0.5, -0.5, -1};

/// What a net makes of samples with the given weight matrix. The norm's gain and bias, its last two parameters, are the
/// same in every net.
template <class Net>
scores output(samples const& x, weights const& w) {
  esp::model<Net, esp::cpu, double> model{esp::seed{0}};
  esp::span<double> members[8];
  int count = 0;
  model.for_each_parameter(
      [&](char const*, esp::extents const&, esp::span<double> elements) { members[count++] = elements; });
  for (int i = 0; i < w.size(); ++i) members[0][i] = w[i];
  for (int unit = 0; unit < 4; ++unit) {
    members[count - 2][unit] = gain[unit];
    members[count - 1][unit] = bias[unit];
  }
  return model(x);
}

// [table]
enum transformation {
  weight_matrix_rescaling,    // factor W
  weight_matrix_recentering,  // W + shift: the same vector is added to the weights of every unit
  weight_vector_rescaling,    // the weights of one unit, times factor
  data_set_rescaling,         // factor x
  data_set_recentering,       // x + shift: the same vector is added to every case
  single_case_rescaling       // one case, times factor
};

struct table_row {
  char const* norm;
  scores (*output)(samples const&, weights const&);
  bool invariant[6];  // in the order of the transformations
};

template <nn::norm Options>
constexpr table_row table[] = {
    {"batch norm", output<BatchNormed<Options>>, {true, false, true, true, true, false}},
    {"weight norm", output<WeightNormed>, {true, false, true, false, false, false}},
    {"layer norm", output<LayerNormed<Options>>, {true, true, false, true, false, true}},
};
// [/table]

// [conditions]
// "Invariant" holds with eps = 0 and without a bias before the norm. What is left otherwise:
constexpr nn::norm with_epsilon{.eps = 0.1, .untracked = true};
constexpr table_row biased[] = {
    {"batch norm",
     output<nn::Sequential<nn::Linear<5, 4>, nn::BatchNorm1d<4, exact>>>,
     {true, false, true, true, true, false}},
    {"layer norm",
     output<nn::Sequential<nn::Linear<5, 4>, nn::LayerNorm1d<4, exact>>>,
     {false, true, false, false, false, false}},
};
// [/conditions]

/// Changes weights or data.
constexpr void transform(transformation how, samples& x, weights& w, double factor,
                         tensor<double, shape<5>> const& shift) {
  if (how == weight_matrix_rescaling)
    for (double& element : w) element *= factor;
  if (how == data_set_rescaling)
    for (double& element : x) element *= factor;
  for (int i = 0; i < 5; ++i) {
    if (how == weight_matrix_recentering)
      for (int unit = 0; unit < 4; ++unit) w(i, unit) += shift[i];
    if (how == data_set_recentering)
      for (int n = 0; n < 6; ++n) x(n, i) += shift[i];
    if (how == weight_vector_rescaling) w(i, 1) *= factor;
    if (how == single_case_rescaling) x(2, i) *= factor;
  }
}

/// What comes out before and after a transformation of standard normal data and weights.
struct comparison {
  scores before, after;

  comparison(table_row const& row, transformation how, std::uint64_t seed, double factor) {
    samples x;
    weights w;
    tensor<double, shape<5>> shift;
    nn::init::fill(nn::init::normal{}, x.span(), {.seed = seed, .number = 0});
    nn::init::fill(nn::init::normal{}, w.span(), {.seed = seed, .number = 1});
    nn::init::fill(nn::init::normal{}, shift.span(), {.seed = seed, .number = 2});
    before = row.output(x, w);
    transform(how, x, w, factor, shift);
    after = row.output(x, w);
  }

  /// Root mean square of the change, in units of that of what came out before.
  [[nodiscard]] double change() const {
    double changes = 0, squares = 0;
    for (int i = 0; i < before.size(); ++i) {
      changes += (after[i] - before[i]) * (after[i] - before[i]);
      squares += before[i] * before[i];
    }
    return esp::math::sqrt(changes / squares);
  }
};

}  // namespace examples
