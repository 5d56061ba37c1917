// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_narrow_program
#include <boost/test/unit_test.hpp>

#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace graph = esp::graph;
namespace nn = esp::nn;
namespace plan = esp::plan;
using esp::shape;

namespace {

template <class Net, class Batch>
using floats = esp::detail::evaluation_program<Net, Batch>;
template <class Net, class Batch>
using narrow = plan::narrow_program<floats<Net, Batch>, esp::bfloat16>;

/// The elements of all conversions of a program, which are copies in the workspace.
template <class Program>
constexpr std::int64_t converted() {
  std::int64_t r = 0;
  auto const& groups = plan::plan_of<Program>.groups;
  for (int x = 1; x <= groups.group_count; ++x)
    if (groups.groups[x].kind == plan::kernel_kind::convert) r += groups.groups[x].size;
  return r;
}

/// Convolutions by windows, by Winograd's method, and of small images with many channels.
template <int In, int Out, int Size>
using Convolution = nn::Conv<In, Out, 3, nn::conv{.padding = 1, .layout = esp::nhwc, .bias = false}>;
template <int In, int Out, int Size>
constexpr std::int64_t converted_kernels = converted<narrow<Convolution<In, Out, Size>, shape<2, Size, Size, In>>>();

/// Its product reads a transposed value.
struct Mixer {
  nn::Linear<16, 24, nn::no_bias> tokens{};
  ESPALIER_MODULE(Mixer, tokens)
  constexpr auto forward(auto x) const { return matmul(esp::transpose<0, 1>(x), tokens.weight); }
};

/// The second product has the shapes of the first one, and reads a value.
struct Twice {
  nn::Linear<16, 16, nn::no_bias> fc{};
  ESPALIER_MODULE(Twice, fc)
  constexpr auto forward(auto x) const { return matmul(fc(x), fc.weight + 1.0); }
};
using Linear = nn::Linear<512, 256>;
using Tied = nn::Llama<100, 32, 1, 2, 2, 48>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_product_of_one_row_reads_its_weights_as_they_are_stored) {
  // The bias is converted: an epilogue reads floats.
  static_assert(converted<narrow<Linear, shape<1, 512>>>() == 256);
  static_assert(plan::plan_of<narrow<Linear, shape<1, 512>>>.memory.workspace == 256);
  static_assert(converted<narrow<nn::Linear<512, 256, nn::no_bias>, shape<1, 512>>>() == 0);
}

BOOST_AUTO_TEST_CASE(so_does_a_product_of_several_rows) {
  static_assert(converted<narrow<Linear, shape<64, 512>>>() == 256);
  static_assert(plan::plan_of<narrow<Linear, shape<64, 512>>>.memory.workspace == 256);
  static_assert(converted<narrow<nn::Linear<512, 256, nn::no_bias>, shape<3, 5, 512>>>() == 0);
}

BOOST_AUTO_TEST_CASE(a_product_of_a_transposed_value_reads_a_copy) {
  static_assert(converted<narrow<Mixer, shape<16, 5>>>() == 16 * 24);
  static_assert(converted<narrow<Mixer, shape<16, 1>>>() == 0);
}

BOOST_AUTO_TEST_CASE(convolutions_read_their_kernels_as_they_are_stored) {
  static_assert(converted_kernels<3, 16, 8> == 0);
  static_assert(converted_kernels<64, 64, 32> == 0);
  static_assert(converted_kernels<256, 256, 4> == 0);
}

BOOST_AUTO_TEST_CASE(convolutions_of_groups_read_a_copy) {
  using Net = nn::Conv<32, 32, 3, nn::conv{.groups = 2, .layout = esp::nhwc, .bias = false}>;
  static_assert(converted<narrow<Net, shape<2, 8, 8, 32>>>() == 9 * 16 * 32);
}

BOOST_AUTO_TEST_CASE(copies_of_large_weights_share_memory) {
  using Layer = nn::Conv<64, 64, 3, nn::conv{.padding = 1, .groups = 2, .layout = esp::nhwc, .bias = false}>;
  using Net = nn::Sequential<Layer, Layer, Layer>;
  using Program = narrow<Net, shape<1, 4, 4, 64>>;
  static_assert(converted<Program>() == 3 * 9 * 32 * 64);
  static_assert(plan::plan_of<Program>.memory.workspace < 2 * 9 * 32 * 64 + 8192);
}

BOOST_AUTO_TEST_CASE(a_table_of_words_is_read_as_it_is_stored_by_gathers_and_by_the_scores) {
  // Two gains of 32 features for the block, and one for the scores.
  static_assert(converted<narrow<Tied, shape<1, 1>>>() == 3 * 32);
}

BOOST_AUTO_TEST_CASE(the_bytes_moved_are_half_as_many) {
  constexpr std::int64_t wide = plan::moved_by_program<floats<Linear, shape<1, 512>>>,
                         small = plan::moved_by_program<narrow<Linear, shape<1, 512>>>;
  static_assert(small < wide / 2 + 2048);
}

BOOST_AUTO_TEST_CASE(products_of_floats_and_of_16_bits_are_two_kernels) {
  auto const& ir = plan::plan_of<narrow<Twice, shape<1, 16>>>.ir;
  auto const& groups = plan::plan_of<narrow<Twice, shape<1, 16>>>.groups;
  int products = 0, kernels = 0;
  for (int x = 1; x <= groups.group_count; ++x) {
    if (groups.groups[x].kind != plan::kernel_kind::contraction) continue;
    ++products;
    kernels += ir.groups[x].kernel == x;
  }
  BOOST_TEST(products == 2);
  BOOST_TEST(kernels == 2);
}

BOOST_AUTO_TEST_CASE(programs_of_other_models_are_the_same_types) {
  using Program = floats<Linear, shape<1, 512>>;
  static_assert(std::is_same_v<plan::program_for<Program, float, float>, Program>);
  static_assert(std::is_same_v<plan::program_for<Program, esp::half, esp::half>, Program>);  // on a graphics processor
  static_assert(std::is_same_v<plan::program_for<Program, esp::half, float>, plan::narrow_program<Program, esp::half>>);
}
