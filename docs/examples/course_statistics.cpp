// SPDX-License-Identifier: BSL-1.0
// The numbers of the course's pages 1, 2, 3 and 10: statistics, axes, gain and bias, shapes. The compiler checks nearly
// all of them.
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
                        tensor<double, shape<4>>{-1.3416407864998738, -0.4472135954999579, 0.4472135954999579,
                                                 1.3416407864998738}));

// 1, 2, 5: mean 8/3, variance 26/9; epsilon is 0.001.
constexpr tensor<double, shape<1, 3>> row{{1, 2, 5}};
static_assert(all_close(evaluate(normalize<-1>(row, 0.001)),
                        tensor<double, shape<1, 3>>{{-0.9804110038528918, -0.39216440154115667, 1.3725754053940489}}));

// 1 to 5: the variance is 2, so the last value becomes 2 / sqrt(2).
constexpr tensor<double, shape<5>> five{1, 2, 3, 4, 5};
static_assert(all_close(evaluate(normalize<0>(five, 0.0)),
                        tensor<double, shape<5>>{-1.414213562373095, -0.7071067811865475, 0, 0.7071067811865475,
                                                 1.414213562373095}));

// Equal values have the variance 0. Epsilon prevents 0 / 0.
static_assert(evaluate(normalize<0>(tensor<double, shape<3>>{4, 4, 4}, 1e-5)) == tensor<double, shape<3>>{0, 0, 0});
// [/normalize]

// [form]
// Three equal values and a larger one stay three equal values and a larger one. The mean of the cubes measures the
// asymmetry: it would be 0 for a normal distribution.
constexpr tensor<double, shape<4>> skewed{1, 1, 1, 5};
constexpr tensor<double, shape<4>> still_skewed = normalize<0>(skewed, 0.0);
static_assert(all_close(still_skewed, tensor<double, shape<4>>{-0.57735, -0.57735, -0.57735, 1.73205}, 0, 1e-5));
static_assert(esp::is_close(evaluate(mean(pow(still_skewed, 3.0))), 1.1547, 1e-4));
// [/form]

// [footing]
// LayerNorm divides a row by one number. The last feature was a thousand times larger, and it still is.
constexpr tensor<double, shape<2, 4>> scales{{1, -1, 1000, -1000}, {2, -2, 2000, -2000}};
constexpr auto rows = evaluate(normalize<1>(scales, 0.0));
static_assert(esp::is_close(rows(0, 2) / rows(0, 0), 1000.0) && esp::is_close(rows(1, 2) / rows(1, 0), 1000.0));

// BatchNorm divides each column by a number of its own, so all features have the variance 1.
constexpr auto columns = evaluate(normalize<0>(scales, 0.0));
static_assert(columns == tensor<double, shape<2, 4>>{{-1, 1, -1, 1}, {1, -1, 1, -1}});
// [/footing]

// [counting]
// LayerNorm over the last axis of (2,3,4), and RMSNorm, which has no bias: one parameter for each feature.
using layer_block = shape<2, 3, 4>;
static_assert(esp::parameter_count<nn::LayerNorm<shape<4>>> == 4 + 4);
static_assert(esp::parameter_count<nn::RMSNorm<shape<4>>> == 4);

// Images (2,3,4,4): two images, three channels of 16 values. Here each channel has a parameter.
using image_block = shape<2, 3, 4, 4>;
static_assert(esp::parameter_count<nn::BatchNorm2d<3>> == 3 + 3);
static_assert(esp::parameter_count<nn::InstanceNorm<3>> == 3 + 3);
static_assert(esp::parameter_count<nn::GroupNorm<1, 3>> == 3 + 3);
// [/counting]

// [picture]
// A block of 2 examples, 4 channels and 3 positions. Cells with the same letter share a mean and a variance.
constexpr char layer_norm[] = "aaa aaa aaa aaa | bbb bbb bbb bbb";
constexpr char batch_norm[] = "aaa bbb ccc ddd | aaa bbb ccc ddd";
constexpr char instance_norm[] = "aaa bbb ccc ddd | eee fff ggg hhh";
constexpr char group_norm[] = "aaa aaa bbb bbb | ccc ccc ddd ddd";
constexpr char rms_norm[] = "aaa aaa aaa aaa | bbb bbb bbb bbb";

using block = shape<2, 4, 3>;
using LayerNorm = nn::LayerNorm<shape<4, 3>>;
// untracked: evaluation also uses the statistics of its batch
using BatchNorm = nn::BatchNorm1d<4, nn::norm{.untracked = true}>;
using InstanceNorm = nn::InstanceNorm<4>;
using GroupNorm = nn::GroupNorm<2, 4>;
using RMSNorm = nn::RMSNorm<shape<4, 3>>;
// [/picture]

// [gain]
// 4, 6, 8, 10 in a batch of four: mean 7, deviation 2.236. The weight is 2, the bias -1.
constexpr tensor<double, shape<4, 1>> batch{{4}, {6}, {8}, {10}};
constexpr tensor<double, shape<1>> weight{2}, bias{-1};
static_assert(all_close(evaluate(normalize<0>(batch, 0.0) * weight),
                        tensor<double, shape<4, 1>>{
                            {-2.6832815729997477}, {-0.8944271909999159}, {0.8944271909999159}, {2.6832815729997477}}));
static_assert(
    all_close(evaluate(normalize<0>(batch, 0.0) * weight + bias),
              tensor<double, shape<4, 1>>{
                  {-3.6832815729997477}, {-1.8944271909999157}, {-0.10557280900008414}, {1.6832815729997477}}));

// BatchNorm can learn to restore this batch: weight = deviation, bias = mean.
constexpr tensor<double, shape<1>> undo_weight{2.23606797749979}, undo_bias{7};
static_assert(all_close(evaluate(normalize<0>(batch, 0.0) * undo_weight + undo_bias), batch));
// [/gain]

// [undo]
// LayerNorm cannot restore its input: two different rows become equal, whatever gain and bias follow.
static_assert(evaluate(normalize<1>(tensor<double, shape<2, 2>>{{0, 1}, {0, 10}}, 0.0)) ==
              tensor<double, shape<2, 2>>{{-1, 1}, {-1, 1}});
// [/undo]

// [reshape]
static_assert(esp::output_shape<nn::Flatten, shape<2, 3, 4>> == shape<2, 12>{});
static_assert(esp::output_shape<nn::Flatten, shape<2, 3, 4, 5>> == shape<2, 60>{});

// -1 is inferred; the elements keep their row-major order.
static_assert(evaluate(esp::reshape<-1, 1>(tensor<double, shape<6>>{1, 2, 3, 4, 5, 6})) ==
              tensor<double, shape<6, 1>>{{1}, {2}, {3}, {4}, {5}, {6}});
static_assert(evaluate(esp::reshape<-1, 1>(tensor<double, shape<2, 2, 2>>{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})) ==
              tensor<double, shape<8, 1>>{{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}});

// The row means of a 3x4 matrix become a column, which broadcasts back.
constexpr tensor<double, shape<3, 4>> matrix{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
static_assert(evaluate(mean<1>(matrix)) == tensor<double, shape<3>>{2.5, 6.5, 10.5});
static_assert(evaluate(esp::reshape<3, 1>(mean<1>(matrix))) == evaluate(mean<1>(matrix, esp::keepdims)));
static_assert(evaluate(matrix - mean<1>(matrix, esp::keepdims)) ==
              tensor<double, shape<3, 4>>{{-1.5, -0.5, 0.5, 1.5}, {-1.5, -0.5, 0.5, 1.5}, {-1.5, -0.5, 0.5, 1.5}});

// A sum removes the axis that you name.
static_assert(evaluate(sum<0>(matrix)) == tensor<double, shape<4>>{15, 18, 21, 24});
static_assert(evaluate(sum<1>(matrix)) == tensor<double, shape<3>>{10, 26, 42});
static_assert(evaluate(sum(matrix)) == 78);
// [/reshape]

namespace {

/// Letters for the groups of cells that move together: a cell is pushed, and whatever changes shares a statistic with
/// it.
template <class Norm, class S>
struct lettered {
  char letter[S::size]{};
  int count = 0;

  lettered() {
    esp::model<Norm, esp::cpu, double> const norm{esp::seed{0}};
    tensor<double, S> start;
    nn::init::fill(nn::init::normal{}, start.span(), {.seed = 1});
    tensor<double, S> const before = norm(start);
    for (int cell = 0; cell < S::size; ++cell) {
      if (letter[cell] != 0) continue;
      tensor<double, S> pushed = start;
      pushed[cell] += 0.5;
      tensor<double, S> const after = norm(pushed);
      for (int other = 0; other < S::size; ++other)
        if (after[other] != before[other]) letter[other] = static_cast<char>('a' + count);
      ++count;
    }
  }
};

template <class Norm>
bool shows(char const* name, char const* expected) {
  lettered<Norm, block> const found;
  bool good = true;
  int at = 0;
  for (char const* c = expected; *c != 0; ++c)
    if (*c != ' ' && *c != '|') good = good && *c == found.letter[at++];
  std::printf("%-14s %s  %s\n", name, expected, good ? "" : "WRONG");
  return good && at == 24;
}

template <class Norm, class S>
bool counts(char const* name, int expected) {
  lettered<Norm, S> const found;
  std::printf("%-14s %d statistics of %d values\n", name, found.count, static_cast<int>(S::size) / found.count);
  return found.count == expected;
}

}  // namespace

int main() {
  bool good = shows<LayerNorm>("LayerNorm", layer_norm);
  good = shows<BatchNorm>("BatchNorm", batch_norm) && good;
  good = shows<InstanceNorm>("InstanceNorm", instance_norm) && good;
  good = shows<GroupNorm>("GroupNorm", group_norm) && good;
  good = shows<RMSNorm>("RMSNorm", rms_norm) && good;

  good = counts<nn::LayerNorm<shape<4>>, layer_block>("LayerNorm", 6) && good;
  good = counts<nn::RMSNorm<shape<4>>, layer_block>("RMSNorm", 6) && good;
  good = counts<nn::BatchNorm2d<3, nn::norm{.untracked = true}>, image_block>("BatchNorm", 3) && good;
  good = counts<nn::InstanceNorm<3>, image_block>("InstanceNorm", 6) && good;
  good = counts<nn::GroupNorm<1, 3>, image_block>("GroupNorm", 2) && good;

  // RMSNorm does not centre: a shift of all values stays visible.
  tensor<double, block> equal;
  equal.fill(2);
  tensor<double, block> const kept =
      esp::model<nn::RMSNorm<shape<4, 3>, nn::norm{.eps = 0}>, esp::cpu, double>{esp::seed{0}}(equal);
  for (double value : kept) good = good && value == 1;

  // Gain and bias start at 1 and 0.
  esp::model<nn::LayerNorm1d<4>> model{esp::seed{0}};
  for (float w : model.parameter("weight").span()) good = good && w == 1;
  for (float b : model.parameter("bias").span()) good = good && b == 0;
  return good ? 0 : 1;
}
