// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_one_hot
#include <string>

#include "support/check_pullback.hpp"

using namespace test;

namespace {
inline constexpr auto picked = [](auto x, auto y) { return pick(x * x * x, y); };
inline constexpr auto picked_leaf = [](auto x, auto y) { return pick(x, y); };
inline constexpr auto masked = [](auto y, auto x) { return esp::one_hot<7>(y) * x * x; };
inline constexpr auto cross_entropy = [](auto x, auto y) { return mean(logsumexp<-1>(x) - pick(x, y)); };
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  esp::tensor<std::int32_t, esp::shape<3>> const y{2, 0, 1};
  esp::tensor<float, esp::shape<3, 3>> const h = esp::one_hot<3>(y);
  BOOST_TEST((h == esp::tensor<float, esp::shape<3, 3>>{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}));
  esp::tensor<float, esp::shape<3, 3>> const x{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  esp::tensor<float, esp::shape<3>> const p = pick(x, y);
  BOOST_TEST((p == esp::tensor<float, esp::shape<3>>{3, 4, 8}));
  esp::tensor<std::int32_t, esp::shape<2>> const outside{-1, 3};
  esp::tensor<float, esp::shape<2, 3>> const none = esp::one_hot<3>(outside);
  BOOST_TEST((none == esp::tensor<float, esp::shape<2, 3>>{}));
}

// A formula of tensors is refused while it is made; nothing is picked in silence.
BOOST_AUTO_TEST_CASE(labels_outside_the_classes) {
  esp::tensor<float, esp::shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
  auto const error_of = [&](auto const& of, std::int32_t first, std::int32_t second) -> std::string {
    esp::tensor<std::int32_t, esp::shape<2>> const y{first, second};
    try {
      esp::tensor<float, esp::shape<2>> const p = pick(of, esp::view<std::int32_t const, esp::shape<2>>(y));
      (void)evaluate(pick(of, y));
      return p[0] == x(0, first) && p[1] == x(1, second) ? "" : "another element";
    } catch (esp::label_error const& error) {
      return error.what();
    }
  };
  BOOST_TEST(error_of(x, 0, 2) == "");
  BOOST_TEST(error_of(x * 1, 2, 1) == "");
  BOOST_TEST(error_of(x, 1, 7) == "labels: expected 0 to 2, got 7 at position 1");
  BOOST_TEST(error_of(x * 1, -1, 1) == "labels: expected 0 to 2, got -1 at position 0");
  BOOST_TEST(error_of(x, 3, 0) == "labels: expected 0 to 2, got 3 at position 0");
}

// What is not picked may be infinite: a class that is ruled out.
BOOST_AUTO_TEST_CASE(infinite_neighbours) {
  esp::tensor<float, esp::shape<1, 3>> const x{{-HUGE_VALF, 2, HUGE_VALF}};
  esp::tensor<std::int32_t, esp::shape<1>> const y{1};
  esp::tensor<float, esp::shape<1>> const p = pick(x, y);
  BOOST_TEST(p[0] == 2);
}

BOOST_AUTO_TEST_CASE(batches_of_labels) {
  auto const y = labels<2, 3>(1, 5);
  esp::tensor<float, esp::shape<2, 3, 5>> const h = esp::one_hot<5>(y);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 5; ++k) BOOST_TEST(h(i, j, k) == (y(i, j) == k ? 1 : 0));
}

BOOST_AUTO_TEST_CASE(kernels_and_gradients) {
  check_kernels("pick", picked, floats<33, 7>(1), labels<33>(2, 7));
  check_kernels("pick", picked_leaf, doubles<8, 10>(1), labels<8>(2, 10));
  check_kernels("pick of a batch", picked, doubles<2, 3, 5>(1), labels<2, 3>(2, 5));
  check_kernels("one_hot", masked, labels<9>(2, 7), doubles<9, 7>(1));
  check_kernels("cross entropy", cross_entropy, floats<32, 10>(1, -3, 3), labels<32>(2, 10));
  check_pullback("pick", picked, doubles<4, 3>(1), labels<4>(2, 3));
  check_pullback("one_hot", masked, labels<3>(2, 7), doubles<3, 7>(1));
  check_pullback("cross entropy", cross_entropy, doubles<4, 3>(1), labels<4>(2, 3));
}
