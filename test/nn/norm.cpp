// SPDX-License-Identifier: BSL-1.0
// LayerNorm1d and BatchNorm1d against plain loops.
#define BOOST_TEST_MODULE nn_norm
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::LayerNorm1d<4>, shape<2, 3, 4>> == shape<2, 3, 4>{} &&
              esp::parameter_count<nn::LayerNorm1d<4>> == 8);
static_assert(esp::output_shape<nn::BatchNorm1d<3>, shape<2, 3, 4>> == shape<2, 3, 4>{} &&
              esp::parameter_count<nn::BatchNorm1d<3>> == 6);

namespace {
template <class M>
using model_of = esp::model<M, esp::cpu, double>;

struct moments {
  double mean = 0, variance = 0;
};
moments moments_of(std::vector<double> const& x) {
  moments m;
  for (double const v : x) m.mean += v / static_cast<double>(x.size());
  for (double const v : x) m.variance += (v - m.mean) * (v - m.mean) / static_cast<double>(x.size());
  return m;
}
/// The values of a channel of (N, C) or (N, C, L).
template <int N, int C, int L>
std::vector<double> channel(double const* x, int c) {
  std::vector<double> r;
  for (int n = 0; n < N; ++n)
    for (int l = 0; l < L; ++l) r.push_back(x[(n * C + c) * L + l]);
  return r;
}
/// y of BatchNorm with given statistics of each channel.
template <int N, int C, int L>
void check_channels(double const* x, double const* y, std::vector<moments> const& of, double eps,
                    std::vector<double> const& weight, std::vector<double> const& bias) {
  for (int n = 0; n < N; ++n)
    for (std::size_t c = 0; c < C; ++c)
      for (int l = 0; l < L; ++l) {
        int const at = (n * C + static_cast<int>(c)) * L + l;
        BOOST_TEST(near(y[at], (x[at] - of[c].mean) / std::sqrt(of[c].variance + eps) * weight[c] + bias[c], 1e-10));
      }
}
std::vector<double> const weight{2, -1, 0.5}, bias{0, 1, -3};

template <nn::norm Options, int N, int C, int L, class X>
void check_batch_norm(X const& x) {
  model_of<nn::BatchNorm1d<C, Options>> model;
  assign(model.parameter("weight"), weight);
  assign(model.parameter("bias"), bias);
  auto const mean = model.buffer("running_mean").span(), var = model.buffer("running_var").span();

  std::vector<moments> start(C, moments{0, 1}), batch, running;
  double const count = N * L, correction = Options.variance == nn::unbiased ? count / (count - 1) : 1;
  for (int c = 0; c < C; ++c) {
    batch.push_back(moments_of(channel<N, C, L>(x.data(), c)));
    running.push_back({Options.momentum * batch.back().mean,
                       (1 - Options.momentum) + Options.momentum * batch.back().variance * correction});
  }
  // evaluation from the statistics at the start
  check_channels<N, C, L>(x.data(), model(x).data(), start, Options.eps, weight, bias);
  X zeros{};
  esp::value_and_grad(model, Weighted{})(x, zeros);  // one run of training
  for (std::size_t c = 0; c < C; ++c) {
    BOOST_TEST(near(mean[c], running[c].mean));
    BOOST_TEST(near(var[c], running[c].variance));
  }
  check_channels<N, C, L>(x.data(), model(x).data(), running, Options.eps, weight, bias);
  auto const before = copy(mean);
  model(x);
  BOOST_TEST(copy(mean) == before, boost::test_tools::per_element());  // evaluation observes nothing
  auto const trained = training_output(model, x);
  check_channels<N, C, L>(x.data(), trained.data(), batch, Options.eps, weight, bias);
}
}  // namespace

BOOST_AUTO_TEST_CASE(layer_norm_of_rows) {
  model_of<nn::LayerNorm1d<3>> model;
  BOOST_TEST(parameter_list(model) == "weight(3) bias(3)");
  BOOST_TEST(buffer_list(model) == "");
  auto const x = doubles<4, 3>(1, -2, 5);
  for (int affine = 0; affine < 2; ++affine) {
    auto const y = model(x), trained = training_output(model, x);
    for (int n = 0; n < 4; ++n) {
      moments const m = moments_of({x(n, 0), x(n, 1), x(n, 2)});
      for (std::size_t i = 0; i < 3; ++i) {
        double const normal = (x(n, i) - m.mean) / std::sqrt(m.variance + 1e-5);
        BOOST_TEST(near(y(n, i), affine == 0 ? normal : normal * weight[i] + bias[i], 1e-10));
        BOOST_TEST(near(trained(n, i), y(n, i)));
      }
    }
    assign(model.parameter("weight"), weight);
    assign(model.parameter("bias"), bias);
  }
}
BOOST_AUTO_TEST_CASE(layer_norm_of_rank_three_normalizes_each_last_axis) {
  model_of<nn::LayerNorm1d<4, nn::norm{.eps = 0.5}>> model;
  scramble(model);
  auto const x = doubles<2, 3, 4>(2);
  auto const y = model(x);
  auto const w = model.parameter("weight").span(), b = model.parameter("bias").span();
  for (int i = 0; i < 6; ++i) {
    moments const m = moments_of({x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]});
    for (int k = 0; k < 4; ++k)
      BOOST_TEST(near(y[4 * i + k], (x[4 * i + k] - m.mean) / std::sqrt(m.variance + 0.5) * w[k] + b[k], 1e-10));
  }
}
BOOST_AUTO_TEST_CASE(layer_norm_in_float_far_from_zero) {
  esp::model<nn::LayerNorm1d<4>> model;
  auto const y = model(tensor<float, shape<1, 4>>{{10000, 10001, 10002, 10003}});
  double const expected[] = {-1.341635, -0.447212, 0.447212, 1.341635};
  for (int i = 0; i < 4; ++i) BOOST_TEST(near(static_cast<double>(y[i]), expected[i], 1e-4));
}
BOOST_AUTO_TEST_CASE(batch_norm_begins_at_mean_zero_variance_one) {
  model_of<nn::BatchNorm1d<3>> model;
  BOOST_TEST(parameter_list(model) == "weight(3) bias(3)");
  BOOST_TEST(buffer_list(model) == "running_mean(3) running_var(3)");
  BOOST_TEST(copy(model.buffer("running_mean").span()) == (std::vector<double>{0, 0, 0}),
             boost::test_tools::per_element());
  BOOST_TEST(copy(model.buffer("running_var").span()) == (std::vector<double>{1, 1, 1}),
             boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(batch_norm_of_rank_two) {
  auto const x = doubles<5, 3>(3, -2, 4);
  check_batch_norm<nn::norm{}, 5, 3, 1>(x);
  check_batch_norm<nn::norm{.eps = 0.25, .momentum = 0.75, .variance = nn::unbiased}, 5, 3, 1>(x);
}
BOOST_AUTO_TEST_CASE(batch_norm_of_rank_three) {
  auto const x = doubles<2, 3, 4>(4, -2, 4);
  check_batch_norm<nn::norm{.eps = 1e-3}, 2, 3, 4>(x);
  check_batch_norm<nn::norm{.momentum = 0.3, .variance = nn::unbiased}, 2, 3, 4>(x);
}
BOOST_AUTO_TEST_CASE(running_statistics_follow_over_several_batches) {
  model_of<nn::BatchNorm1d<3, nn::norm{.momentum = 0.2}>> model;
  auto const mean = model.buffer("running_mean").span(), var = model.buffer("running_var").span();
  moments follow[3] = {{0, 1}, {0, 1}, {0, 1}};
  for (std::uint64_t step = 0; step < 5; ++step) {
    auto const x = doubles<6, 3>(step, -1, 3);
    esp::value_and_grad(model, Weighted{})(x, x);
    for (int c = 0; c < 3; ++c) {
      moments const m = moments_of(channel<6, 3, 1>(x.data(), c));
      follow[c] = {0.8 * follow[c].mean + 0.2 * m.mean, 0.8 * follow[c].variance + 0.2 * m.variance};
      BOOST_TEST(near(mean[c], follow[c].mean));
      BOOST_TEST(near(var[c], follow[c].variance));
    }
  }
}
BOOST_AUTO_TEST_CASE(a_feature_that_is_constant) {
  model_of<nn::BatchNorm1d<2>> model;
  BOOST_TEST(training_output(model, tensor<double, shape<3, 2>>{{4, 1}, {4, 1}, {4, 1}}) ==
             (tensor<double, shape<3, 2>>{}));
}
