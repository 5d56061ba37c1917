// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_narrow_stream
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = esp::nn;
using esp::shape, esp::tensor;

namespace {

/// Runs a stream of 16-bit parameters beside one of floats with the same numbers.
template <class Net, class Stored, class Block, class Input, class... Options>
void check(int blocks, Options... options) {
  esp::model<Net, esp::cpu, Stored> narrow{esp::seed{3}};
  esp::model<Net> wide{esp::seed{4}};
  copy(narrow, wide);
  esp::stream of_narrow{narrow, Block{}, options...};
  esp::stream of_wide{wide, Block{}, options...};
  static_assert(decltype(of_narrow)::state_bytes == decltype(of_wide)::state_bytes);  // states are float
  tensor<Input, Block> block;
  tensor<float, typename decltype(of_wide)::output_shape> y, expected;
  int wrong = 0;
  for (int k = 0; k < blocks; ++k) {
    for (std::int64_t i = 0; i < block.size(); ++i)
      block.data()[i] = static_cast<Input>((static_cast<int>(i) * 3 + k * 7) % 10);
    of_narrow(block, y);
    of_wide(block, expected);
    for (std::int64_t i = 0; i < y.size(); ++i) wrong += y.data()[i] != expected.data()[i];
  }
  BOOST_TEST(wrong == 0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_llama_reads_word_by_word) {
  using Net = nn::Llama<40, 32, 1, 2, 2, 48>;
  check<Net, esp::bfloat16, esp::batch<1, 1>, std::int32_t>(12, esp::context<8>{});
}

BOOST_AUTO_TEST_CASE(a_recurrent_layer_keeps_its_state_in_float) {
  using Net = nn::Sequential<nn::Outputs<nn::GRU<4, 16, nn::gru{.batch_first = true}>>, nn::Linear<16, 3>>;
  check<Net, esp::half, esp::batch<1, 1, 4>, float>(9);
}

BOOST_AUTO_TEST_CASE(a_convolution_reads_the_past_in_float) {
  using Net = nn::Conv1d<2, 4, 3, nn::conv{.padding = {0, 2, 0, 0}, .layout = esp::nhwc}>;
  check<Net, esp::bfloat16, esp::batch<1, 4, 2>, float>(5);
}
