// SPDX-License-Identifier: BSL-1.0
// The compiler as the test: formulas and backward passes in constant expressions.
#define BOOST_TEST_MODULE constexpr_eager
#include <boost/test/unit_test.hpp>

#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/all_close.hpp>

namespace esp = espalier;

namespace {

using row = esp::tensor<double, esp::shape<3>>;
using square = esp::tensor<double, esp::shape<2, 2>>;

constexpr row x{1, 2, 3}, y{4, 5, 6};

constexpr row sums = x + y * 2 - 1;
static_assert(sums == row{8, 11, 14});
constexpr row quotient = x / y;
static_assert(all_close(quotient, row{0.25, 0.4, 0.5}));
constexpr row chosen = where(x > 1.5, maximum(x, 2.5), -x);
static_assert(chosen == row{-1, 2.5, 3});
constexpr esp::tensor<bool, esp::shape<3>> at_least_two = x >= 2;
static_assert(at_least_two == esp::tensor<bool, esp::shape<3>>{false, true, true});

// An expression keeps temporaries.
constexpr row of_temporary = x * row{1, 1, 2} + row{0, 0, 1};
static_assert(of_temporary == row{1, 2, 7});

constexpr square a{{1, 2}, {3, 4}};
constexpr square product = matmul(a, transpose(a));
static_assert(product == square{{5, 11}, {11, 25}});
constexpr esp::tensor<double, esp::shape<2>> columns = sum<0>(a), rows = max<1>(a), means = mean<-1>(a);
static_assert(columns == esp::tensor<double, esp::shape<2>>{4, 6});
static_assert(rows == esp::tensor<double, esp::shape<2>>{2, 4});
static_assert(means == esp::tensor<double, esp::shape<2>>{1.5, 3.5});
constexpr esp::tensor<double, esp::shape<4>> flat = reshape<-1>(a);
static_assert(flat == esp::tensor<double, esp::shape<4>>{1, 2, 3, 4});

constexpr row soft = softmax(x);
static_assert(all_close(soft, row{0.09003057317038046, 0.24472847105479764, 0.6652409557748219}, 1e-12));
constexpr esp::tensor<double, esp::shape<>> lse = logsumexp(x);
static_assert(esp::is_close(lse[0], 3.4076059644443806, 1e-12));
constexpr esp::tensor<double, esp::shape<1, 4>> odd{{1, 3, 5, 7}};
constexpr esp::tensor<double, esp::shape<1, 4>> normal = normalize<1>(odd, 0.0);
static_assert(all_close(normal,
                        esp::tensor<double, esp::shape<1, 4>>{
                            {-1.3416407864998738, -0.4472135954999579, 0.4472135954999579, 1.3416407864998738}},
                        1e-12));

// Backward passes.
inline constexpr auto squares = [](auto v) { return sum(v * v); };
static_assert(esp::grad(squares)(x) == row{2, 4, 6});
inline constexpr auto cubes = [](auto v) { return sum(v * v * v); };
inline constexpr auto gradient_of_cubes = [](auto v) { return sum(esp::grad(cubes)(v)); };
static_assert(esp::grad(gradient_of_cubes)(x) == row{6, 12, 18});

inline constexpr auto bilinear = [](auto m, auto v) { return sum(matmul(m, m) * v); };
constexpr auto both = esp::grad(bilinear)(a, square{{1, 0}, {0, 1}});
static_assert(std::get<0>(both) == square{{2, 6}, {4, 8}});
static_assert(std::get<1>(both) == square{{7, 10}, {15, 22}});

inline constexpr auto entropy = [](auto z, auto label) { return mean(logsumexp<-1>(z) - pick(z, label)); };
constexpr auto gradient =
    esp::grad(entropy)(esp::tensor<double, esp::shape<1, 3>>{{1, 2, 3}}, esp::tensor<std::int32_t, esp::shape<1>>{2});
static_assert(all_close(
    gradient, esp::tensor<double, esp::shape<1, 3>>{{0.09003057317038046, 0.24472847105479764, -0.3347590442251781}},
    1e-12));

// The gradient of a normalised row along the row itself is what eps leaves of it: nearly nothing.
inline constexpr auto normalized_weighted = [](auto v, auto w) { return sum(normalize<1>(v, 1e-5) * w); };
constexpr auto gradients = esp::grad<0>(normalized_weighted)(odd, esp::constant(odd));
static_assert(all_close(gradients, esp::tensor<double, esp::shape<1, 4>>{}, 0, 1e-5));

constexpr auto value_and_gradient = esp::value_and_grad(squares)(x);
static_assert(value_and_gradient.first == 14);
constexpr row pulled = esp::vjp([](auto v) { return exp(v) * 0 + v * 3; })(x)(row{1, 10, 100});
static_assert(pulled == row{3, 30, 300});

}  // namespace

// Run time must say the same as the compiler did.
BOOST_AUTO_TEST_CASE(run_time_agrees) {
  row const now_soft = softmax(x);
  BOOST_TEST(all_close(now_soft, soft, 1e-12));
  BOOST_TEST((esp::grad(squares)(x) == row{2, 4, 6}));
  square const now_product = matmul(a, transpose(a));
  BOOST_TEST((now_product == product));
  esp::tensor<double, esp::shape<1, 4>> const now_normal = normalize<1>(odd, 0.0);
  BOOST_TEST(all_close(now_normal, normal, 1e-12));
}
