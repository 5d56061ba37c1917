// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_narrow_model
#include <boost/test/unit_test.hpp>

#include <memory>

#include <espalier.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/parallel.hpp>

#include "support/longer_run.hpp"

using test::longer_run;
namespace esp = espalier;
namespace nn = esp::nn;
using esp::shape, esp::tensor;

namespace {

/// A model of 16 bits, and one of floats with the same numbers.
template <class Net, class Stored, class Device = esp::cpu>
struct both {
  esp::model<Net, Device, Stored> narrow{esp::seed{3}};
  esp::model<Net> wide{esp::seed{4}};
  both() {
    narrow.for_each_buffer([](char const*, esp::extents const&, auto span) {
      int i = 0;
      for (auto& x : span) x = Stored(0.5f + 0.01f * static_cast<float>(i++ % 50));
    });
    copy(narrow, wide);
  }
};
template <class T, class S>
tensor<T, S> numbers(int step) {
  tensor<T, S> x;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    if constexpr (std::is_same_v<T, float>) x.data()[i] = static_cast<float>((i * 37 + step) % 101) * 0.02f - 1.01f;
    else x.data()[i] = static_cast<T>((i * 7 + step) % 10);
  }
  return x;
}
enum class agreement { bits, digits };
template <class A, class B>
void compare(A const& a, B const& b, agreement how) {
  static_assert(std::is_same_v<typename A::value_type, float>);
  if (how == agreement::bits) {
    int wrong = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) wrong += a.data()[i] != b.data()[i];
    BOOST_TEST(wrong == 0);
  } else {
    BOOST_TEST(all_close(a, b, 1e-5, 1e-5));
  }
}
template <class Net, class Batch, class Stored, class Input = float>
void check(agreement how) {
  both<Net, Stored> const m;
  static_assert(decltype(m.narrow)::parameter_bytes <= decltype(m.wide)::parameter_bytes / 2 + 64);
  auto const x = numbers<Input, Batch>(5);
  auto const expected = m.wide(x);
  compare(m.narrow(x), expected, how);
  esp::predictor predict{m.narrow, Batch{}};
  auto scores = expected;
  predict(x, scores);
  compare(scores, expected, how);
}
template <class Net, class One, class Some, class Input = float>
void check_batches(agreement how) {
  check<Net, std::conditional_t<longer_run, One, Some>, esp::bfloat16, Input>(how);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_linear_layer_is_that_of_rounded_parameters) {
  check_batches<nn::Linear<64, 48>, shape<1, 64>, shape<3, 64>>(agreement::bits);
  check_batches<nn::Linear<37, 5>, shape<1, 37>, shape<2, 37>>(agreement::bits);
  check<nn::Linear<300, 2>, shape<1, 300>, esp::bfloat16>(agreement::bits);
  check<nn::Linear<5, 1>, shape<1, 5>, esp::half>(agreement::bits);
  // From 256 KiB of floats on, rows of the weights are read at four places.
  check<nn::Linear<401, 333>, shape<1, 401>, esp::bfloat16>(agreement::bits);
  check<nn::Linear<1, 64>, shape<1, 1>, esp::bfloat16>(agreement::bits);
  // Weights that are larger than an L1 cache as floats are added up in parts.
  check<nn::Linear<600, 30>, shape<1, 600>, esp::bfloat16>(agreement::bits);
}

// Products that are read in place, packed, and packed in parts, and matrices for each sample.
BOOST_AUTO_TEST_CASE(so_are_products_of_many_rows) {
#if defined(ESPALIER_TEST_ALL)
  check<nn::Linear<64, 100>, shape<16, 64>, esp::bfloat16>(agreement::bits);
  check<nn::Linear<24, 40>, shape<2, 3, 24>, esp::bfloat16>(agreement::bits);
#else
  check<nn::Linear<130, 70>, shape<64, 130>, esp::half>(agreement::bits);
  check<nn::Linear<600, 300>, shape<65, 600>, esp::bfloat16>(agreement::bits);
#endif
}

BOOST_AUTO_TEST_CASE(half_is_widened_likewise) {
  check<nn::Linear<64, 48>, shape<1, 64>, esp::half>(agreement::bits);
  check<nn::Linear<64, 48>, shape<2, 64>, esp::half>(agreement::bits);
  check<nn::Sequential<nn::Embedding<10, 24>, nn::Flatten>, shape<1, 3>, esp::half, std::int32_t>(agreement::bits);
}

/// A frozen net of 16 bits beside one of floats. kept: numbers that it stores in 16 bits.
template <class Net, class Batch, class Stored, std::size_t Kept, class Input = float>
void check_frozen(agreement how) {
  auto m = std::make_unique<both<Net, Stored>>();
  auto const x = numbers<Input, Batch>(4);
  esp::frozen frozen{m->narrow, Batch{}};
  esp::frozen wide{m->wide, Batch{}};
  static_assert(frozen.parameter_bytes + 2 * Kept == wide.parameter_bytes);
  static_assert(frozen.kernel_count == wide.kernel_count);  // no call converts
  m.reset();
  tensor<float, typename decltype(wide)::output_shape> scores, expected;
  frozen(x, scores);
  wide(x, expected);
  compare(scores, expected, how);
}
BOOST_AUTO_TEST_CASE(a_frozen_net_keeps_16_bits_of_weights_that_did_not_change) {
  using Net = nn::Sequential<nn::Linear<40, 32>, nn::BatchNorm1d<32>, nn::ReLU, nn::Linear<32, 24>>;
  check_frozen<Net, shape<1, 40>, esp::bfloat16, 32 * 24>(agreement::digits);
  check_frozen<Net, shape<5, 40>, esp::half, 32 * 24>(agreement::digits);
  check_frozen<nn::Sequential<nn::Linear<48, 32>, nn::ReLU, nn::Linear<32, 16>>, shape<3, 48>, esp::bfloat16,
               48 * 32 + 32 * 16>(agreement::bits);
}
// Kernels of the first convolution have the gains of a norm, and those of the last one are transformed.
BOOST_AUTO_TEST_CASE(frozen_convolutions_convert_once) {
  using Net = nn::Sequential<nn::Conv<3, 32, 3>, nn::BatchNorm2d<32>, nn::ReLU,
                             nn::Conv<32, 64, 3, nn::conv{.stride = 2}>, nn::ReLU, nn::Conv<64, 64, 3>>;
  check_frozen<Net, shape<1, 3, 32, 32>, esp::bfloat16, 9 * 32 * 64>(agreement::digits);
}
// The states of a loop are multiplied by floats. So is a table that a loop or another op reads.
BOOST_AUTO_TEST_CASE(frozen_tables_and_loops) {
  using Words = nn::Sequential<nn::Embedding<10, 32>, nn::Flatten, nn::Linear<96, 16>>;
  check_frozen<Words, shape<1, 3>, esp::bfloat16, 10 * 32 + 96 * 16, std::int32_t>(agreement::bits);
  using Recurrent = nn::Sequential<nn::Outputs<nn::LSTM<12, 16, nn::lstm{.batch_first = true}>>, nn::Linear<16, 16>>;
  check_frozen<Recurrent, shape<2, 5, 12>, esp::half, 16 * 16>(agreement::digits);
}

BOOST_AUTO_TEST_CASE(norms_and_activations) {
  using Net = nn::Sequential<nn::Linear<40, 32>, nn::BatchNorm1d<32>, nn::ReLU, nn::Linear<32, 24>,
                             nn::LayerNorm<shape<24>>, nn::Tanh, nn::Linear<24, 10>, nn::Softmax<>>;
  check_batches<Net, shape<1, 40>, shape<4, 40>>(agreement::digits);
}

BOOST_AUTO_TEST_CASE(a_table_of_words) {
  using Net = nn::Sequential<nn::Embedding<10, 24>, nn::Flatten, nn::Linear<72, 9>>;
  check_batches<Net, shape<1, 3>, shape<4, 3>, std::int32_t>(agreement::bits);
}

BOOST_AUTO_TEST_CASE(convolutions) {
  using Net = nn::Sequential<nn::Conv<3, 16, 3>, nn::BatchNorm2d<16>, nn::ReLU, nn::Conv<16, 8, 3>, nn::Flatten,
                             nn::Linear<8 * 6 * 6, 4>>;
  check_batches<Net, shape<1, 3, 6, 6>, shape<2, 3, 6, 6>>(agreement::digits);
}

template <int In, int Out, esp::convolution Options>
using Plain =
    nn::Conv<In, Out, 3,
             nn::conv{
                 .stride = Options.stride, .padding = 1, .groups = Options.groups, .layout = esp::nhwc, .bias = false}>;

// Kernels in the order of the sums, packed kernels, Winograd's method, small images with many channels, sums over taps
// in registers, and groups.
BOOST_AUTO_TEST_CASE(convolutions_by_every_method) {
#if defined(ESPALIER_TEST_ALL)
  check<Plain<3, 16, {}>, shape<2, 6, 6, 3>, esp::bfloat16>(agreement::bits);
  check<Plain<3, 70, {.stride = 2}>, shape<4, 16, 16, 3>, esp::bfloat16>(agreement::bits);
  check<Plain<8, 100, {.stride = 2}>, shape<2, 16, 16, 8>, esp::half>(agreement::bits);
#else
  check<Plain<64, 64, {}>, shape<1, 32, 32, 64>, esp::bfloat16>(agreement::bits);
  check<Plain<256, 256, {}>, shape<1, 2, 2, 256>, esp::bfloat16>(agreement::bits);
  check<Plain<3, 16, {}>, shape<2, 6, 30, 3>, esp::bfloat16>(agreement::bits);
  check<Plain<1, 64, {.stride = 2}>, shape<2, 6, 60, 1>, esp::half>(agreement::bits);
  check<Plain<32, 32, {.groups = 2}>, shape<2, 8, 8, 32>, esp::bfloat16>(agreement::bits);
  check<Plain<16, 16, {.groups = 16}>, shape<2, 8, 8, 16>, esp::bfloat16>(agreement::bits);
#endif
}

BOOST_AUTO_TEST_CASE(loops_read_floats) {
  using Net = nn::Sequential<nn::Outputs<nn::LSTM<12, 16, nn::lstm{.batch_first = true}>>, nn::Linear<16, 3>>;
  check_batches<Net, shape<1, 5, 12>, shape<2, 5, 12>>(agreement::digits);
}

BOOST_AUTO_TEST_CASE(attention) {
  check_batches<nn::Llama<10, 32, 2, 4, 2, 48>, shape<1, 1>, shape<2, 6>, std::int32_t>(agreement::digits);
}

BOOST_AUTO_TEST_CASE(threads_share_what_they_share_of_floats) {
  using Net = nn::Sequential<nn::Linear<128, 600>, nn::ReLU, nn::Linear<600, 30>>;
  both<Net, esp::bfloat16, esp::cpu_parallel<2>> const m;
  auto const one = numbers<float, shape<1, 128>>(2);
  compare(m.narrow(one), m.wide(one), agreement::bits);
  auto const some = numbers<float, shape<64, 128>>(2);
  compare(m.narrow(some), m.wide(some), agreement::bits);
}

BOOST_AUTO_TEST_CASE(results_are_written_where_inputs_are) {
  using Net = nn::Linear<48, 48>;
  both<Net, esp::half> const m;
  tensor<float, shape<1, 48>> x = numbers<float, shape<1, 48>>(1);
  auto const expected = m.wide(x);
  esp::predictor predict{m.narrow, esp::batch<1, 48>{}};
  predict(x, x);
  compare(x, expected, agreement::bits);
}

BOOST_AUTO_TEST_CASE(initial_values_are_those_of_floats_rounded) {
  esp::model<nn::Linear<8, 8>, esp::cpu, esp::bfloat16> const narrow{esp::seed{7}};
  esp::model<nn::Linear<8, 8>> const wide{esp::seed{7}};
  for (std::int64_t i = 0; i < wide.parameters().size(); ++i)
    BOOST_TEST(narrow.parameters()[i].bits == esp::bfloat16(wide.parameters()[i]).bits);
}
