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

BOOST_AUTO_TEST_CASE(a_product_of_several_rows_reads_a_copy) {
  static_assert(converted<narrow<Linear, shape<2, 512>>>() == 256 + 512 * 256);
}

BOOST_AUTO_TEST_CASE(copies_of_large_weights_share_memory) {
  using Net = nn::Sequential<Linear, nn::Linear<256, 512>, nn::Linear<512, 256>>;
  using Program = narrow<Net, shape<2, 512>>;
  static_assert(converted<Program>() > 3 * 512 * 256);
  static_assert(plan::plan_of<Program>.memory.workspace < 512 * 256 + 4096);
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
