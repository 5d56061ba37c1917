// SPDX-License-Identifier: BSL-1.0
// vmap: functions and nets against a plain loop over samples, and what they cost against the formulas of all samples.
// The tests law_vmap_* have every op.
#define BOOST_TEST_MODULE eager_vmap
#include <espalier/eager/gradient_agrees.hpp>
#include <espalier/eager/vmap.hpp>
#include "support/check_kernels.hpp"
#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
/// Sample i of a tensor of all samples.
template <class T, int N, int... E>
tensor<T, shape<E...>> sample(tensor<T, shape<N, E...>> const& x, int i) {
  tensor<T, shape<E...>> r;
  for (std::int64_t k = 0; k < r.size(); ++k) r[k] = x[i * r.size() + k];
  return r;
}
/// Checks y against f of each sample.
template <class Y, class F>
void check_samples(char const* what, Y const& y, int count, F const& f) {
  for (int i = 0; i < count; ++i) {
    auto const expected = f(i);
    check_close(what, sample(y, i), expected);
  }
}

inline constexpr auto chain = [](auto a, auto b) { return exp(a) * b + tanh(b); };
inline constexpr auto energy = [](auto a, auto b) { return sum(tanh(a) * b + a * a); };
inline constexpr auto squares = [](auto& w, auto const& x) { return sum(square(matmul(reshape<1, 3>(x), w))); };
inline constexpr auto several = [](auto a, auto b) { return std::tuple{a * b, sum(a), mean(b)}; };
inline constexpr auto outer = [](auto x, auto y) { return x * y; };
inline constexpr auto all_pairs = [](auto x, auto y) {
  return esp::vmap<0>([](auto a, auto b) { return esp::vmap<1>(outer)(a, b); })(x, y);
};
inline constexpr auto total = [](auto w, auto x) { return sum(esp::vmap<1>(squares)(w, x)); };
inline constexpr auto by_hand = [](auto w, auto x) { return sum(square(matmul(x, w))); };
inline constexpr auto of_one_image = [](auto net, auto x) { return net(reshape<1, 2, 8, 8>(x)); };
inline constexpr auto of_one_row = [](auto net, auto x) { return reshape<3>(net(reshape<1, 5>(x))); };
inline constexpr auto of_all = [](auto net, auto x) { return net(x); };
inline constexpr auto loss = [](auto net, auto x, auto label) {
  return nn::SoftmaxLoss{}(evaluate(net, reshape<1, 5>(x)), reshape<1>(label));
};
inline constexpr auto weight_gradient = [](auto net, auto x, auto label) {
  return esp::parameter_of<"0.weight">(esp::grad<0>(loss)(net, x, label));
};
inline constexpr auto mean_loss = [](auto net, auto x, auto label) {
  return mean(esp::vmap<1, 2>(loss)(net, x, label));
};
inline constexpr auto gradient_norms = [](auto w, auto x) {
  auto const g = esp::vmap<1>(esp::grad<0>(squares))(w, x);
  return sum(g * g);
};
inline constexpr auto rows_of_table = [](auto table, auto index) { return esp::index_select<0>(table, index); };
inline constexpr auto size_of_rows = [](auto table, auto index) {
  auto const rows = esp::vmap<1>(rows_of_table)(table, index);
  return sum(rows * rows);
};
inline constexpr auto attention = [](auto x, auto w) {
  auto const scores = softmax(matmul(x, transpose(x)) * 0.5);
  return matmul(matmul(scores, x), w);
};
inline constexpr auto attention_of_all = [](auto x, auto w) {
  auto const scores = softmax(matmul(x, esp::transpose<-1, -2>(x)) * 0.5);
  return matmul(matmul(scores, x), w);
};
inline constexpr auto moves_along = [](auto a, auto da) {
  return esp::jvp([](auto x) { return x * sum(x * x); })(a)(da);
};

using Mlp = nn::Sequential<nn::Linear<5, 8>, nn::LayerNorm<shape<8>>, nn::ReLU, nn::Linear<8, 3>>;
using Images = nn::Sequential<nn::Conv<2, 4, 3>, nn::ReLU, nn::MaxPool2d<2>, nn::Flatten, nn::Linear<64, 3>>;
using Normed = nn::Sequential<nn::Linear<5, 8>, nn::BatchNorm1d<8>, nn::Dropout<0.5>, nn::Linear<8, 3>>;
}  // namespace

BOOST_AUTO_TEST_CASE(functions_of_tensors) {
  auto const a = doubles<3, 4>(1), b = doubles<3, 4>(2);
  auto const y = esp::vmap(energy)(a, b);
  static_assert(std::is_same_v<decltype(y), tensor<double, shape<3>> const>);
  check_samples("energy", y, 3, [&](int i) { return tensor<double, shape<>>{energy(sample(a, i), sample(b, i))}; });
  check_samples("gradient by sample", esp::vmap(esp::grad<0>(energy))(a, b), 3,
                [&](int i) { return esp::grad<0>(energy)(sample(a, i), sample(b, i)); });
  auto const [product, sums, means] = esp::vmap(several)(a, b);
  check_samples("product", product, 3, [&](int i) { return tensor<double, shape<4>>{sample(a, i) * sample(b, i)}; });
  check_samples("sums", sums, 3, [&](int i) { return tensor<double, shape<>>{sum(sample(a, i))}; });
  check_samples("means", means, 3, [&](int i) { return tensor<double, shape<>>{mean(sample(b, i))}; });
  auto const [value, gradient] = esp::vmap<0>([](auto x, auto k) {
    auto const [v, g] = esp::value_and_grad<0>(energy)(x, k);
    return std::tuple{v, g};
  })(a, sample(b, 0));
  check_samples("shared argument", gradient, 3,
                [&](int i) { return esp::grad<0>(energy)(sample(a, i), sample(b, 0)); });
  BOOST_TEST(value[1] == energy(sample(a, 1), sample(b, 0)), boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(a_result_that_is_the_same_for_all_samples_is_repeated) {
  auto const a = doubles<3, 4>(1);
  auto const b = doubles<4>(2);
  auto const y = esp::vmap<0>([](auto, auto k) { return k * 2; })(a, b);
  check_samples("repeated", y, 3, [&](int) { return tensor<double, shape<4>>{b * 2}; });
}

BOOST_AUTO_TEST_CASE(nested) {
  auto const x = doubles<3>(1);
  auto const y = doubles<4>(2);
  auto const pairs = esp::vmap<0>([](auto a, auto b) { return esp::vmap<1>(outer)(a, b); })(x, y);
  static_assert(std::is_same_v<decltype(pairs), tensor<double, shape<3, 4>> const>);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) BOOST_TEST(pairs(i, j) == x[i] * y[j]);
  auto const z = doubles<2, 3, 4>(3);
  check_close("vmap of vmap", esp::vmap(esp::vmap([](auto v) { return v / sum(v); }))(z),
              tensor<double, shape<2, 3, 4>>{z / esp::sum<2>(z, esp::keepdims)});
  esp::compiled run{all_pairs, x, y};
  tensor<double, shape<3, 4>> also;
  run(x, y, also);
  BOOST_TEST((also == pairs));
}

BOOST_AUTO_TEST_CASE(gradients_of_functions_that_contain_it) {
  auto const w = doubles<3, 2>(1);
  auto const x = doubles<6, 3>(2);
  check_close("shared weight", esp::grad<0>(total)(w, x), esp::grad<0>(by_hand)(w, x));
  check_close("samples", esp::grad<1>(total)(w, x), esp::grad<1>(by_hand)(w, x));
  BOOST_TEST(bool{esp::gradient_agrees(total)(w, x)});
  BOOST_TEST(bool{esp::gradient_agrees(gradient_norms)(w, x)});
  auto const a = doubles<3, 4>(3), da = doubles<3, 4>(4);
  check_samples("jvp", esp::vmap(moves_along)(a, da), 3,
                [&](int i) { return esp::jvp([](auto v) { return v * sum(v * v); })(sample(a, i))(sample(da, i)); });
}

BOOST_AUTO_TEST_CASE(nets) {
  esp::model<Mlp, esp::cpu, double> net{esp::seed{1}};
  auto const x = doubles<6, 5>(1);
  tensor<std::int32_t, shape<6>> const y{0, 1, 2, 2, 1, 0};
  check_close("net", esp::vmap(of_one_row)(net, x), net(x));
  auto const sample_of_input = [&](int i) { return esp::grad<1>(loss)(net, sample(x, i), sample(y, i)); };
  check_samples("by input", esp::vmap<1, 2>(esp::grad<1>(loss))(net, x, y), 6, sample_of_input);
  check_samples("by weight", esp::vmap<1, 2>(weight_gradient)(net, x, y), 6, [&](int i) {
    tensor<double, shape<5, 8>> r;
    auto const gradients = esp::grad<0>(loss)(net, sample(x, i), sample(y, i));
    auto const weights = gradients.parameter("0.weight").span();
    for (std::int64_t k = 0; k < r.size(); ++k) r[k] = weights[static_cast<std::size_t>(k)];
    return r;
  });
  // The mean of the losses of samples is the loss of the batch.
  auto const of_vmap = esp::grad<0>(mean_loss)(net, x, y);
  auto const of_batch = esp::value_and_grad(net, nn::SoftmaxLoss{})(x, y).gradients;
  for (char const* name : {"0.weight", "0.bias", "1.weight", "3.weight", "3.bias"}) {
    auto const got = of_vmap.parameter(name).span(), expected = of_batch.parameter(name).span();
    for (std::size_t k = 0; k < static_cast<std::size_t>(got.size()); ++k)
      BOOST_TEST(std::fabs(got[k] - expected[k]) < 1e-13);
  }
}

BOOST_AUTO_TEST_CASE(images) {
  esp::model<Images, esp::cpu, double> net{esp::seed{2}};
  auto const x = doubles<5, 2, 8, 8>(3);
  auto const y = esp::vmap(of_one_image)(net, x);
  static_assert(std::is_same_v<decltype(y), tensor<double, shape<5, 1, 3>> const>);
  auto const expected = net(x);
  for (std::int64_t i = 0; i < expected.size(); ++i) BOOST_TEST(std::fabs(y[i] - expected[i]) < 1e-13);
  // Batches of two: their images are 5 by 2.
  auto const batches = doubles<5, 2, 2, 8, 8>(4);
  auto const of_batches = esp::vmap([](auto n, auto v) { return n(v); })(net, batches);
  check_samples("batches", of_batches, 5, [&](int i) { return net(sample(batches, i)); });
  auto const size = [](auto n, auto v) { return sum(square(n(reshape<1, 2, 8, 8>(v)))); };
  check_samples("by image", esp::vmap<1>(esp::grad<1>(size))(net, x), 5,
                [&](int i) { return esp::grad<1>(size)(net, sample(x, i)); });
}

// A kernel for each channel: the same kernels for all samples, and kernels of their own.
BOOST_AUTO_TEST_CASE(convolutions_of_each_channel) {
  static constexpr auto convolved = [](auto v, auto w) {
    return esp::conv2d<esp::convolution{.stride = 2, .padding = 1, .groups = 3}>(reshape<1, 6, 5, 3>(v), w);
  };
  static constexpr auto size = [](auto v, auto w) { return sum(square(convolved(v, w))); };
  auto const x = doubles<4, 6, 5, 3>(1);
  auto const w = doubles<3, 3, 1, 3>(2);
  auto const own = doubles<4, 3, 3, 1, 3>(3);
  check_samples("convolved", esp::vmap<0>(convolved)(x, w), 4,
                [&](int i) { return tensor<double, shape<1, 3, 3, 3>>{convolved(sample(x, i), w)}; });
  check_samples("with kernels of their own", esp::vmap(convolved)(x, own), 4,
                [&](int i) { return tensor<double, shape<1, 3, 3, 3>>{convolved(sample(x, i), sample(own, i))}; });
  check_samples("gradients", esp::vmap(esp::grad<1>(size))(x, own), 4,
                [&](int i) { return esp::grad<1>(size)(sample(x, i), sample(own, i)); });
  check_samples("gradients of the same kernels", esp::vmap<0>(esp::grad<1>(size))(x, w), 4,
                [&](int i) { return esp::grad<1>(size)(sample(x, i), w); });
  static constexpr auto of_two = [](auto v, auto k) {
    return esp::conv2d<esp::convolution{.padding = 1, .groups = 3}>(v, k);
  };
  auto const pairs = doubles<4, 2, 5, 4, 3>(4);
  check_samples("two images", esp::vmap<0>(of_two)(pairs, w), 4,
                [&](int i) { return tensor<double, shape<2, 5, 4, 3>>{of_two(sample(pairs, i), w)}; });
}

BOOST_AUTO_TEST_CASE(nets_with_batch_statistics_run_in_evaluation_mode) {
  esp::model<Normed, esp::cpu, double> net{esp::seed{3}};
  auto const x = doubles<4, 5>(5);
  auto const y = esp::vmap<1>([](auto n, auto v) { return evaluate(n, reshape<1, 5>(v)); })(net, x);
  check_close("evaluated", tensor<double, shape<4, 3>>{reshape<4, 3>(y)}, net(x));
}

BOOST_AUTO_TEST_CASE(indices) {
  auto const table = doubles<7, 3>(1);
  tensor<std::int32_t, shape<4, 2>> const index{{0, 6}, {3, 3}, {5, 1}, {6, 2}};
  auto const rows = esp::vmap<1>(rows_of_table)(table, index);
  check_samples("rows", rows, 4,
                [&](int i) { return tensor<double, shape<2, 3>>{esp::index_select<0>(table, sample(index, i))}; });
  BOOST_TEST(bool{esp::gradient_agrees(size_of_rows)(table, index)});
  tensor<std::int32_t, shape<4, 2>> const outside{{0, 6}, {3, 3}, {5, 1}, {6, 7}};
  BOOST_CHECK_THROW(esp::vmap<1>(rows_of_table)(table, outside), esp::index_error);
}

BOOST_AUTO_TEST_CASE(labels_are_checked) {
  auto const x = doubles<3, 4>(1);
  static constexpr auto picked = [](auto scores, auto label) {
    return pick(log_softmax(reshape<1, 4>(scores)), reshape<1>(label));
  };
  tensor<std::int32_t, shape<3>> const right{0, 3, 1}, wrong{0, 4, 1};
  check_samples("picked", tensor<double, shape<3>>{reshape<3>(esp::vmap(picked)(x, right))}, 3,
                [&](int i) { return tensor<double, shape<>>{reshape<>(picked(sample(x, i), sample(right, i)))}; });
  BOOST_CHECK_THROW(esp::vmap(picked)(x, wrong), esp::label_error);
}

// It costs nothing more than shapes: the kernels of vmap(f) are those of the formula of all samples.
BOOST_AUTO_TEST_CASE(it_has_the_kernels_of_the_formula_of_all_samples) {
  auto const a = floats<32, 16>(1), b = floats<32, 16>(2);
  esp::compiled samples{esp::vmap(chain), a, b};
  esp::compiled whole{chain, a, b};
  static_assert(decltype(samples)::kernel_count == 1 && decltype(whole)::kernel_count == 1);
  static_assert(decltype(samples)::workspace_bytes == decltype(whole)::workspace_bytes);
  tensor<float, shape<32, 16>> got, expected;
  samples(a, b, got);
  whole(a, b, expected);
  BOOST_TEST((got == expected));

  esp::model<Mlp> net{esp::seed{1}};
  auto const x = floats<32, 5>(3);
  esp::compiled mapped{esp::vmap(of_one_row), net, x};
  esp::compiled batch{of_all, net, x};
  static_assert(decltype(mapped)::kernel_count == decltype(batch)::kernel_count);
  static_assert(decltype(mapped)::workspace_bytes == decltype(batch)::workspace_bytes);
  tensor<float, shape<32, 3>> y, y_of_batch;
  mapped(x, y);
  batch(x, y_of_batch);
  BOOST_TEST((y == y_of_batch));

  esp::model<Images> conv{esp::seed{2}};
  auto const images = floats<4, 2, 8, 8>(4);
  esp::compiled by_image{esp::vmap(of_one_image), conv, images};
  esp::compiled at_once{of_all, conv, images};
  static_assert(decltype(by_image)::kernel_count == decltype(at_once)::kernel_count);

  auto const sequences = floats<8, 6, 4>(5);
  auto const w = floats<4, 4>(6);
  esp::compiled each{esp::vmap<0>(attention), sequences, w};
  esp::compiled every{attention_of_all, sequences, w};
  static_assert(decltype(each)::kernel_count == decltype(every)::kernel_count);
  tensor<float, shape<8, 6, 4>> got_attention, expected_attention;
  each(sequences, w, got_attention);
  every(sequences, w, expected_attention);
  check_close("attention", got_attention, expected_attention);
}

BOOST_AUTO_TEST_CASE(in_constant_expressions) {
  constexpr tensor<double, shape<2, 3>> x{{1, 2, 3}, {4, 5, 6}};
  static constexpr auto size = [](auto v) { return sum(v * v); };
  static_assert(esp::vmap(size)(x) == tensor<double, shape<2>>{14, 77});
  static_assert(esp::vmap(esp::grad(size))(x) == tensor<double, shape<2, 3>>{{2, 4, 6}, {8, 10, 12}});
}

namespace {
inline constexpr auto recomputed_block = [](auto v) { return tanh(v * v); };
inline constexpr auto with_checkpoint = [](auto v) { return sum(esp::checkpoint(recomputed_block, v) * v); };
inline constexpr auto without_checkpoint = [](auto v) { return sum(recomputed_block(v) * v); };
inline constexpr auto sum_with_checkpoint = [](auto v) { return sum(esp::vmap(with_checkpoint)(v)); };
inline constexpr auto sum_without_checkpoint = [](auto v) { return sum(esp::vmap(without_checkpoint)(v)); };
}  // namespace

// Values and gradients of a function with a checkpoint, differentiated inside and outside of vmap.
BOOST_AUTO_TEST_CASE(checkpoints) {
  esp::tensor<double, esp::shape<3, 4>> x;
  for (std::int64_t i = 0; i < 12; ++i) x[i] = 0.1 * static_cast<double>(i) - 0.5;
  BOOST_TEST((esp::vmap(with_checkpoint)(x) == esp::vmap(without_checkpoint)(x)));
  BOOST_TEST((all_close(esp::vmap(esp::grad(with_checkpoint))(x), esp::vmap(esp::grad(without_checkpoint))(x))));
  BOOST_TEST((all_close(esp::grad(sum_with_checkpoint)(x), esp::grad(sum_without_checkpoint)(x))));
}
