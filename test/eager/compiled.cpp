// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE eager_compiled
#include <espalier/eager/compiled.hpp>

#include "support/allocation_counter.hpp"
#include "support/check_kernels.hpp"

using namespace test;

namespace {
struct scaled_tanh {
  constexpr auto operator()(auto x, auto w) const { return tanh(x) * w; }
};
struct step {
  struct product {
    constexpr auto operator()(auto x, auto w, auto dy) const { return sum(scaled_tanh{}(x, w) * dy); }
  };
  constexpr auto operator()(auto x, auto w, auto dy) const {
    return std::tuple{scaled_tanh{}(x, w), esp::grad<0>(product{})(x, w, dy), esp::grad<1>(product{})(x, w, dy)};
  }
};
struct rows_and_product {
  constexpr auto operator()(auto x, auto w) const { return std::tuple{sum<1>(x), matmul(x, w), x}; }
};
struct picked {
  constexpr auto operator()(auto scores, auto labels) const {
    return mean(logsumexp<-1>(scores) - pick(scores, labels));
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(one_result) {
  auto const x = floats<4, 8>(1), w = floats<4, 8>(2);
  esp::compiled run{scaled_tanh{}, x, w};
  esp::tensor<float, esp::shape<4, 8>> y;
  run(x, w, y);
  esp::tensor<float, esp::shape<4, 8>> const expected = tanh(x) * w;
  BOOST_TEST((y == expected));
  static_assert(decltype(run)::kernel_count == 1 && decltype(run)::workspace_bytes == 0);
}

BOOST_AUTO_TEST_CASE(a_constant_argument_is_the_argument) {
  auto const x = floats<4, 8>(1), w = floats<4, 8>(2);
  esp::compiled run{scaled_tanh{}, x, esp::constant(w)};
  esp::compiled same{scaled_tanh{}, esp::constant(esp::view<float const, esp::shape<4, 8>>(x.span())), w};
  esp::tensor<float, esp::shape<4, 8>> y, z;
  run(x, w, y);
  same(x, w, z);
  esp::tensor<float, esp::shape<4, 8>> const expected = tanh(x) * w;
  BOOST_TEST((y == expected));
  BOOST_TEST((z == expected));
}

BOOST_AUTO_TEST_CASE(value_and_gradients_share_one_kernel) {
  auto const x = doubles<7, 5>(1), w = doubles<7, 5>(2), dy = doubles<7, 5>(3);
  esp::compiled run{step{}, x, w, dy};
  esp::tensor<double, esp::shape<7, 5>> y, dx, dw;
  run(x, w, dy, y, dx, dw);
  check_close("y", y, esp::evaluate(tanh(x) * w));
  check_close("dx", dx, esp::evaluate((1 - tanh(x) * tanh(x)) * w * dy));
  check_close("dw", dw, esp::evaluate(tanh(x) * dy));
  static_assert(decltype(run)::kernel_count == 1);
}

BOOST_AUTO_TEST_CASE(results_of_several_shapes) {
  auto const x = floats<33, 20>(1);
  auto const w = floats<20, 9>(2);
  esp::compiled run{rows_and_product{}, x, w};
  esp::tensor<float, esp::shape<33>> s;
  esp::tensor<float, esp::shape<33, 9>> y;
  esp::tensor<float, esp::shape<33, 20>> same;
  run(x, w, s, y, same);
  check_close("sums", s, esp::evaluate(sum<1>(x)));
  check_close("product", y, esp::evaluate(matmul(x, w)));
  BOOST_TEST((same == x));
}

BOOST_AUTO_TEST_CASE(labels_and_views) {
  auto const scores = floats<6, 10>(1);
  esp::tensor<std::int32_t, esp::shape<6>> labels{3, 1, 4, 1, 5, 9};
  esp::compiled run{picked{}, scores, labels};
  esp::tensor<float, esp::shape<>> loss;
  run(esp::view<float const, esp::shape<6, 10>>(scores), labels, loss);
  esp::tensor<float, esp::shape<>> const expected = mean(logsumexp<-1>(scores) - pick(scores, labels));
  BOOST_TEST(loss[0] == expected[0], boost::test_tools::tolerance(1e-6f));
}

BOOST_AUTO_TEST_CASE(no_allocation_in_a_run) {
  auto const x = floats<64, 300>(1);
  auto const w = floats<300, 40>(2);
  esp::tensor<float, esp::shape<64>> s;
  esp::tensor<float, esp::shape<64, 40>> y;
  esp::tensor<float, esp::shape<64, 300>> same;
  esp::compiled run{rows_and_product{}, x, w};
  long const before = espalier_test::allocations();
  run(x, w, s, y, same);
  BOOST_TEST(espalier_test::allocations() == before);
}

namespace {
// The gradients of a product are its operands, and the last result is the first again.
struct product_and_gradients {
  struct product {
    constexpr auto operator()(auto a, auto b) const { return sum(a * b); }
  };
  constexpr auto operator()(auto a, auto b) const {
    return std::tuple{tanh(a), esp::grad<0>(product{})(a, b), esp::grad<1>(product{})(a, b), tanh(a),
                      esp::reshape<12, 10>(b)};
  }
};
struct operand {
  constexpr auto operator()(auto a) const { return a; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(operands_and_results_as_results) {
  auto const a = floats<10, 12>(1), b = floats<10, 12>(2);
  esp::tensor<float, esp::shape<10, 12>> y, da, db, again, same;
  esp::tensor<float, esp::shape<12, 10>> reshaped;
  esp::compiled run{product_and_gradients{}, a, b};
  run(a, b, y, da, db, again, reshaped);
  check_close("tanh", y, esp::evaluate(tanh(a)));
  BOOST_TEST((da == b));
  BOOST_TEST((db == a));
  BOOST_TEST((again == y));
  BOOST_TEST(std::equal(reshaped.begin(), reshaped.end(), b.begin()));
  esp::compiled only{operand{}, a};
  only(a, same);
  BOOST_TEST((same == a));
}
