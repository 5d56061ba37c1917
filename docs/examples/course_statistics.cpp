// SPDX-License-Identifier: BSL-1.0
// The numbers of the course's pages 1, 2, 3 and 9: statistics, axes, gain and bias, shapes. Nearly all of it is checked by the compiler.
#include <espalier.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;

// [expectation]
constexpr tensor<double, shape<4>> odd{1, 3, 5, 7};
constexpr double expectation = evaluate(mean(odd));
constexpr double variance = evaluate(mean((odd - mean(odd)) * (odd - mean(odd))));
constexpr double deviation = evaluate(sqrt(mean((odd - mean(odd)) * (odd - mean(odd)))));
static_assert(expectation == 4 && variance == 5);
static_assert(deviation > 2.236067 && deviation < 2.236068);

// Divided by N, not by N - 1: that would be 20 / 3.
static_assert(variance * 4 == 9 + 1 + 1 + 9);
// [/expectation]

// [normalize]
static_assert(all_close(evaluate(normalize<0>(odd, 0.0)),
                        tensor<double, shape<4>>{-1.3416407864998738, -0.4472135954999579, 0.4472135954999579, 1.3416407864998738}));

// 1, 2, 5: mean 8/3, variance 26/9, and an epsilon of 0.001 inside the root.
constexpr tensor<double, shape<1, 3>> row{{1, 2, 5}};
static_assert(all_close(evaluate(normalize<-1>(row, 0.001)),
                        tensor<double, shape<1, 3>>{{-0.9804110038528918, -0.39216440154115667, 1.3725754053940489}}));

// 1 to 5: variance 2, so the ends are at 2 / sqrt(2).
constexpr tensor<double, shape<5>> five{1, 2, 3, 4, 5};
static_assert(all_close(evaluate(normalize<0>(five, 0.0)),
                        tensor<double, shape<5>>{-1.414213562373095, -0.7071067811865475, 0, 0.7071067811865475, 1.414213562373095}));

// What epsilon is for: equal values have the variance 0, and 0 / 0 is no answer.
static_assert(evaluate(normalize<0>(tensor<double, shape<3>>{4, 4, 4}, 1e-5)) == tensor<double, shape<3>>{0, 0, 0});
// [/normalize]

// [counting]
// LayerNorm over the last axis of (2,3,4): 6 means and 6 variances, each of 4 values; weight and bias have 4 elements each.
using layer_block = tensor<double, shape<2, 3, 4>>;
static_assert(shape<2, 3>{} == esp::shape_of<decltype(mean<2>(layer_block{}))>{});
static_assert(esp::parameter_count<nn::LayerNorm1d<4>> == 4 + 4);

// BatchNorm over everything but the channels of (2,3,4,4): 3 of each, over 32 values; weight and bias have 3 elements each.
using image_block = tensor<double, shape<2, 3, 4, 4>>;
static_assert(shape<3>{} == esp::shape_of<decltype(mean<0, 2, 3>(image_block{}))>{});
static_assert(shape<2, 3, 4, 4>::size / 3 == 32);
static_assert(esp::parameter_count<nn::BatchNorm1d<3>> == 3 + 3);
static_assert(esp::output_shape<nn::BatchNorm1d<3>, shape<2, 3, 4, 4>> == shape<2, 3, 4, 4>{});

// 6 would be InstanceNorm: each channel of each example by itself, over 16 values.
static_assert(shape<2, 3>{} == esp::shape_of<decltype(mean<2, 3>(image_block{}))>{});
// [/counting]

// [picture]
// A block of 2 examples, 4 channels, 3 positions; cells with one letter share a mean and a variance.
constexpr char layer_norm[] = "aaa aaa aaa aaa | bbb bbb bbb bbb";
constexpr char batch_norm[] = "aaa bbb ccc ddd | aaa bbb ccc ddd";
constexpr char instance_norm[] = "aaa bbb ccc ddd | eee fff ggg hhh";
constexpr char group_norm[] = "aaa aaa bbb bbb | ccc ccc ddd ddd";
constexpr char rms_norm[] = "aaa aaa aaa aaa | bbb bbb bbb bbb";

using block = tensor<double, shape<2, 4, 3>>;
block by_layer(block const& b) { return normalize<1, 2>(b, 0.0); }
block by_batch(block const& b) { return normalize<0, 2>(b, 0.0); }
block by_instance(block const& b) { return normalize<2>(b, 0.0); }
block by_group(block const& b) { return esp::reshape<2, 4, 3>(normalize<2>(esp::reshape<2, 2, 6>(b), 0.0)); }
block by_root_mean_square(block const& b) { return b / sqrt(mean<1, 2>(b * b, esp::keepdims)); }
// [/picture]

// [gain]
// 4, 6, 8, 10 in a batch of four: mean 7, deviation 2.236; then weight 2, then bias -1.
constexpr tensor<double, shape<4, 1>> batch{{4}, {6}, {8}, {10}};
constexpr tensor<double, shape<1>> weight{2}, bias{-1};
static_assert(all_close(evaluate(normalize<0>(batch, 0.0) * weight),
                        tensor<double, shape<4, 1>>{
                            {-2.6832815729997477}, {-0.8944271909999159}, {0.8944271909999159}, {2.6832815729997477}}));
static_assert(all_close(evaluate(normalize<0>(batch, 0.0) * weight + bias),
                        tensor<double, shape<4, 1>>{
                            {-3.6832815729997477}, {-1.8944271909999157}, {-0.10557280900008414}, {1.6832815729997477}}));

// The layer can learn to undo itself: weight = deviation, bias = mean.
constexpr tensor<double, shape<1>> undo_weight{2.23606797749979}, undo_bias{7};
static_assert(all_close(evaluate(normalize<0>(batch, 0.0) * undo_weight + undo_bias), batch));
// [/gain]

// [reshape]
static_assert(esp::output_shape<nn::Flatten, shape<2, 3, 4>> == shape<2, 12>{});
static_assert(esp::output_shape<nn::Flatten, shape<2, 3, 4, 5>> == shape<2, 60>{});

// -1 is inferred; the elements keep their row-major order.
static_assert(evaluate(esp::reshape<-1, 1>(tensor<double, shape<6>>{1, 2, 3, 4, 5, 6})) ==
              tensor<double, shape<6, 1>>{{1}, {2}, {3}, {4}, {5}, {6}});
static_assert(evaluate(esp::reshape<-1, 1>(tensor<double, shape<2, 2, 2>>{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})) ==
              tensor<double, shape<8, 1>>{{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}});

// Row means of a 3x4 matrix, made a column, broadcast back.
constexpr tensor<double, shape<3, 4>> matrix{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
static_assert(evaluate(mean<1>(matrix)) == tensor<double, shape<3>>{2.5, 6.5, 10.5});
static_assert(evaluate(esp::reshape<3, 1>(mean<1>(matrix))) == evaluate(mean<1>(matrix, esp::keepdims)));
static_assert(evaluate(matrix - mean<1>(matrix, esp::keepdims)) ==
              tensor<double, shape<3, 4>>{{-1.5, -0.5, 0.5, 1.5}, {-1.5, -0.5, 0.5, 1.5}, {-1.5, -0.5, 0.5, 1.5}});

// The axis that is named is the one that goes.
static_assert(evaluate(sum<0>(matrix)) == tensor<double, shape<4>>{15, 18, 21, 24});
static_assert(evaluate(sum<1>(matrix)) == tensor<double, shape<3>>{10, 26, 42});
static_assert(evaluate(sum(matrix)) == 78);
// [/reshape]

namespace {

/// Letters for the groups of cells that move together: a cell is pushed, and whatever changes shares a statistic with it.
bool shows(char const* name, char const* expected, block (*norm)(block const&)) {
  block start;
  nn::init::fill(nn::init::normal{}, start.span(), {.seed = 1});
  block const before = norm(start);
  char letter[24]{};
  char next = 'a';
  for (int cell = 0; cell < 24; ++cell) {
    if (letter[cell] != 0) continue;
    block pushed = start;
    pushed[cell] += 0.5;
    block const after = norm(pushed);
    for (int other = 0; other < 24; ++other)
      if (after[other] != before[other]) letter[other] = next;
    ++next;
  }
  bool good = true;
  int at = 0;
  for (char const* c = expected; *c != 0; ++c)
    if (*c != ' ' && *c != '|') good = good && *c == letter[at++];
  std::printf("%-14s %s  %s\n", name, expected, good ? "" : "WRONG");
  return good && at == 24;
}

}  // namespace

int main() {
  bool good = shows("LayerNorm", layer_norm, by_layer);
  good = shows("BatchNorm", batch_norm, by_batch) && good;
  good = shows("InstanceNorm", instance_norm, by_instance) && good;
  good = shows("GroupNorm", group_norm, by_group) && good;
  good = shows("RMSNorm", rms_norm, by_root_mean_square) && good;

  // RMSNorm does not centre: a shift of all values stays visible.
  block shifted;
  shifted.fill(2);
  block const root_mean_square = by_root_mean_square(shifted);
  for (double value : root_mean_square) good = good && value == 1;

  // Gain and bias start at 1 and 0.
  esp::model<nn::LayerNorm1d<4>> model{esp::seed{0}};
  for (float w : model.parameter("weight").span()) good = good && w == 1;
  for (float b : model.parameter("bias").span()) good = good && b == 0;
  return good ? 0 : 1;
}
