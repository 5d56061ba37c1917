// SPDX-License-Identifier: BSL-1.0
// Gradients where a function has no derivative, or an infinite one, and where terms overflow or vanish. The tables are
// those of docs/gradients_at_singular_points.md: test/tools/singular_points.py copies them. The interpreter runs the
// programs; the tests of each op show that kernels compute the same.
#define BOOST_TEST_MODULE law_singular_points
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/check_kernels.hpp"

using namespace test;

namespace {

constexpr char const* of_one_number = R"(
| function | x | value | first | second | third |
|---|---|---|---|---|---|
| `abs(x)` | 0 | 0 | 0 | 0 | 0 |
| `maximum(x, 0)` | 0 | 0 | 0.5 | 0 | 0 |
| `minimum(x, 0)` | 0 | 0 | 0.5 | 0 | 0 |
| `clamp(x, -1, 1)` | -1 | -1 | 1 | 0 | 0 |
| `clamp(x, -1, 1)` | 1 | 1 | 1 | 0 | 0 |
| `relu(x)` | 0 | 0 | 0 | 0 | 0 |
| `leaky_relu(x, 0.25)` | 0 | 0 | 0.25 | 0 | 0 |
| `elu(x, 0.5)` | 0 | 0 | 0.5 | 0.5 | 0.5 |
| `hard_tanh(x)` | -1 | -1 | 0 | 0 | 0 |
| `hard_tanh(x)` | 1 | 1 | 0 | 0 | 0 |
| `huber(x, 1)` | 0 | 0 | 0 | 1 | 0 |
| `huber(x, 1)` | 1 | 0.5 | 1 | 1 | 0 |
| `huber(x, 1)` | -1 | 0.5 | -1 | 1 | 0 |
| `where(x > 0, x * x, 0)` | 0 | 0 | 0 | 0 | 0 |
| `where(x > 0, sqrt(x), 0)` | 0 | 0 | nan | nan | nan |
| `where(x > 0, sqrt(where(x > 0, x, 1)), 0)` | 0 | 0 | 0 | 0 | 0 |
| `x > 0` | 0 | 0 | 0 | 0 | 0 |
| `sqrt(x)` | 0 | 0 | inf | -inf | inf |
| `sqrt(x)` | inf | inf | 0 | 0 | 0 |
| `1 / sqrt(x)` | 0 | inf | -inf | inf | -inf |
| `1 / x` | 0 | inf | -inf | inf | -inf |
| `log(x)` | 0 | -inf | inf | -inf | inf |
| `exp(x)` | -inf | 0 | 0 | 0 | 0 |
| `exp(x)` | -1000 | 0 | 0 | 0 | 0 |
| `square(x)` | 0 | 0 | 0 | 2 | 0 |
| `pow(x, -1)` | 0 | inf | -inf | inf | -inf |
| `pow(x, 0)` | 0 | 1 | 0 | 0 | 0 |
| `pow(x, 0.5)` | 0 | 0 | inf | -inf | inf |
| `pow(x, 1)` | 0 | 0 | 1 | 0 | 0 |
| `pow(x, 1.5)` | 0 | 0 | 0 | inf | -inf |
| `pow(x, 2)` | 0 | 0 | 0 | 2 | 0 |
| `pow(x, 2.5)` | 0 | 0 | 0 | 0 | inf |
| `pow(x, 3)` | 0 | 0 | 0 | 0 | 6 |
| `pow(x, 4)` | 0 | 0 | 0 | 0 | 0 |
| `pow(x, 5)` | 0 | 0 | 0 | 0 | 0 |
| `pow(0, x)` | 0 | 1 | 0 | 0 | 0 |
| `pow(0, x)` | 1 | 0 | 0 | 0 | 0 |
| `sigmoid(x)` | -1000 | 0 | 0 | 0 | 0 |
| `sigmoid(x)` | 1000 | 1 | 0 | 0 | 0 |
| `tanh(x)` | -1000 | -1 | 0 | 0 | 0 |
| `tanh(x)` | 1000 | 1 | 0 | 0 | 0 |
| `softplus(x)` | -1000 | 0 | 0 | 0 | 0 |
| `softplus(x)` | 0 | 0.6931471806 | 0.5 | 0.25 | 0 |
| `softplus(x)` | 1000 | 1000 | 1 | 0 | 0 |
| `silu(x)` | -1000 | 0 | 0 | 0 | 0 |
| `silu(x)` | 0 | 0 | 0.5 | 0.5 | 0 |
| `silu(x)` | 1000 | 1000 | 1 | 0 | 0 |
| `gelu(x)` | -1000 | 0 | 0 | 0 | 0 |
| `gelu(x)` | 0 | 0 | 0.5 | 0.7978845608 | 0 |
| `gelu(x)` | 1000 | 1000 | 1 | 0 | 0 |
| `gelu_tanh(x)` | -1000 | 0 | 0 | 0 | 0 |
| `gelu_tanh(x)` | 0 | 0 | 0.5 | 0.7978845608 | 0 |
| `gelu_tanh(x)` | 1000 | 1000 | 1 | 0 | 0 |
| `erf(x)` | -1000 | -1 | 0 | 0 | 0 |
| `erf(x)` | 1000 | 1 | 0 | 0 | 0 |
)";

constexpr char const* of_two_numbers = R"(
| function | a, b | value | d/da | d/db | d2/da da | d2/da db | d2/db da | d2/db db |
|---|---|---|---|---|---|---|---|---|
| `pow(a, b)` | 0, 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |
| `pow(a, b)` | 0, 0.5 | 0 | inf | 0 | -inf | nan | nan | 0 |
| `pow(a, b)` | 0, 1 | 0 | 1 | 0 | 0 | 1 | 0 | 0 |
| `pow(a, b)` | 0, 1.5 | 0 | 0 | 0 | inf | 0 | 0 | 0 |
| `pow(a, b)` | 0, 2 | 0 | 0 | 0 | 2 | 0 | 0 | 0 |
| `pow(a, b)` | 0, 3 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |
| `pow(a, b)` | 0, -1 | inf | -inf | -inf | inf | inf | inf | inf |
| `pow(a, b)` | 2, 0 | 1 | 0 | 0.6931471806 | 0 | 0.5 | 0.5 | 0.4804530139 |
| `pow(a, b)` | -2, 2 | 4 | -4 | nan | 2 | nan | nan | nan |
| `a / b` | 1, 0 | inf | inf | -inf | 0 | -inf | -inf | inf |
| `a / b` | 0, 0 | nan | inf | nan | 0 | -inf | -inf | nan |
| `a / b` | 0, 1 | 0 | 1 | 0 | 0 | -1 | -1 | 0 |
| `maximum(a, b)` | 1, 1 | 1 | 0.5 | 0.5 | 0 | 0 | 0 | 0 |
| `minimum(a, b)` | 1, 1 | 1 | 0.5 | 0.5 | 0 | 0 | 0 | 0 |
| `a * b` | 0, 0 | 0 | 0 | 0 | 0 | 1 | 1 | 0 |
| `leaky_relu(a, b)` | 0, 0.25 | 0 | 0.25 | 0 | 0 | 1 | 1 | 0 |
| `elu(a, b)` | 0, 0.5 | 0 | 0.5 | 0 | 0.5 | 1 | 1 | 0 |
| `huber(a, b)` | 0, 1 | 0 | 0 | 0 | 1 | 0 | 0 | 0 |
| `huber(a, b)` | 1, 1 | 0.5 | 1 | 0 | 1 | 0 | 0 | 0 |
| `sqrt(a * a + b * b)` | 0, 0 | 0 | nan | nan | nan | nan | nan | nan |
| `logistic_loss(a, b)` | 1000, 0 | 1000 | 1 | -1000 | 0 | -1 | -1 | 0 |
| `logistic_loss(a, b)` | -1000, 1 | 1000 | -1 | 1000 | 0 | -1 | -1 | 0 |
| `logistic_loss(a, b)` | 0, 0.5 | 0.6931471806 | 0 | 0 | 0.25 | -1 | -1 | 0 |
)";

constexpr char const* of_three_elements = R"(
| function | x | first result | its gradient | first row of its Hessian |
|---|---|---|---|---|
| `max(x)` | 1, 1, 0 | 1 | 0.5, 0.5, 0 | 0, 0, 0 |
| `max(x)` | 1, 1, 1 | 1 | 0.3333333333, 0.3333333333, 0.3333333333 | 0, 0, 0 |
| `min(x)` | 0, 0, 1 | 0 | 0.5, 0.5, 0 | 0, 0, 0 |
| `norm(x)` | 0, 0, 0 | 0 | 0, 0, 0 | 0, 0, 0 |
| `unit(x)` | 0, 0, 0 | 0 | 0, 0, 0 | 0, 0, 0 |
| `sqrt(sum(square(x)))` | 0, 0, 0 | 0 | nan, nan, nan | nan, nan, nan |
| `logsumexp(x)` | 0, -1000, -1000 | 0 | 1, 0, 0 | 0, 0, 0 |
| `logsumexp(x)` | 0, -inf, -inf | 0 | 1, 0, 0 | 0, 0, 0 |
| `logsumexp(x)` | -inf, -inf, -inf | -inf | 0, 0, 0 | 0, 0, 0 |
| `logsumexp(x)` | 0, 0, -inf | 0.6931471806 | 0.5, 0.5, 0 | 0.25, -0.25, 0 |
| `softmax(x)` | 0, -1000, -1000 | 1 | 0, 0, 0 | 0, 0, 0 |
| `softmax(x)` | 0, 0, -inf | 0.5 | 0.25, -0.25, 0 | 0, 0, 0 |
| `softmax(x)` | -inf, -inf, -inf | nan | nan, nan, nan | nan, nan, nan |
| `log_softmax(x)` | 0, -1000, -1000 | 0 | 0, 0, 0 | 0, 0, 0 |
| `log_softmax(x)` | 0, 0, -inf | -0.6931471806 | 0.5, -0.5, 0 | -0.25, 0.25, 0 |
| `log_softmax(x)` | -inf, -inf, -inf | nan | nan, nan, nan | nan, nan, nan |
| `normalize<0>(x, 0.25)` | 1, 1, 1 | 0 | 1.333333333, -0.6666666667, -0.6666666667 | 0, 0, 0 |
| `normalize<0>(x, 0)` | 1, 1, 1 | nan | nan, nan, nan | nan, nan, nan |
| `rms_normalize<0>(x, 0.25)` | 0, 0, 0 | 0 | 2, 0, 0 | 0, 0, 0 |
| `rms_normalize<0>(x, 0)` | 0, 0, 0 | nan | nan, nan, nan | nan, nan, nan |
| `sqrt(mean(square(x - mean(x))))` | 1, 1, 1 | 0 | nan, nan, nan | nan, nan, nan |
| `norm(x - mean(x))` | 1, 1, 1 | 0 | 0, 0, 0 | 0, 0, 0 |
| `mean(abs(x))` | 0, 1, -1 | 0.6666666667 | 0, 0.3333333333, -0.3333333333 | 0, 0, 0 |
| `max_pool2d<{1, 3}>(x)` | 1, 1, 0 | 1 | 0.5, 0.5, 0 | 0, 0, 0 |
)";

/// d f / d argument I, element by element.
template <class F, int I>
struct derivative_in {
  struct summed {
    constexpr auto operator()(auto... x) const { return sum(F{}(x...)); }
  };
  constexpr auto operator()(auto... x) const { return esp::grad<I>(summed{})(x...); }
};
/// The first element of a function's result, or of its gradient.
template <class F>
struct first_of {
  constexpr auto operator()(auto x) const {
    auto const y = F{}(x);
    if constexpr (esp::shape_of<decltype(y)>::rank == 0) return y + 0;
    else return sum(esp::slice<0, 0, 1>(y));
  }
};
using one = esp::tensor<double, esp::shape<1>>;
using three = esp::tensor<double, esp::shape<3>>;
using numbers_of_row = std::vector<std::vector<double>>;

numbers_of_row columns(auto const&... x) { return {std::vector<double>(x.data(), x.data() + x.size())...}; }

template <class F>
numbers_of_row along_one(std::vector<double> const& x) {
  one const at{x[0]}, dy{1};
  auto const low = interpreted(F{}, false, dy, at);
  auto const high = interpreted(derivative_in<derivative_in<F, 0>, 0>{}, false, dy, at);
  return columns(low.value, std::get<0>(low.gradients), high.value, std::get<0>(high.gradients));
}
template <class F>
numbers_of_row along_two(std::vector<double> const& x) {
  one const a{x[0]}, b{x[1]}, dy{1};
  auto const low = interpreted(F{}, false, dy, a, b);
  auto const in_a = interpreted(derivative_in<F, 0>{}, false, dy, a, b);
  auto const in_b = interpreted(derivative_in<F, 1>{}, false, dy, a, b);
  return columns(low.value, std::get<0>(low.gradients), std::get<1>(low.gradients), std::get<0>(in_a.gradients),
                 std::get<1>(in_a.gradients), std::get<0>(in_b.gradients), std::get<1>(in_b.gradients));
}
template <class F>
numbers_of_row along_three(std::vector<double> const& x) {
  three at;
  for (int i = 0; i < 3; ++i) at[i] = x[static_cast<std::size_t>(i)];
  esp::tensor<double, esp::shape<>> dy;
  dy.fill(1);
  auto const low = interpreted(first_of<F>{}, false, dy, at);
  auto const high = interpreted(first_of<derivative_in<first_of<F>, 0>>{}, false, dy, at);
  return columns(low.value, std::get<0>(low.gradients), std::get<0>(high.gradients));
}
using values_at = numbers_of_row (*)(std::vector<double> const&);

template <class F>
values_at of_one(F) {
  return &along_one<F>;
}
template <class F>
values_at of_two(F) {
  return &along_two<F>;
}
template <class F>
values_at of_three(F) {
  return &along_three<F>;
}

std::vector<std::string> cells_of(std::string const& row) {
  std::vector<std::string> cells;
  std::istringstream in{row.substr(1)};
  for (std::string cell; std::getline(in, cell, '|');)
    if (cell.size() > 2) cells.push_back(cell.substr(1, cell.size() - 2));
  return cells;
}
std::vector<double> numbers_in(std::string const& cell) {
  std::vector<double> numbers;
  std::istringstream in{cell};
  for (std::string number; std::getline(in, number, ',');) numbers.push_back(std::strtod(number.c_str(), nullptr));
  return numbers;
}
bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b || std::fabs(a - b) <= 1e-9 * std::fabs(b);
}

/// Each row of a table is what its function gives there, and each function has a row.
void check(char const* table, std::map<std::string, values_at> const& functions) {
  std::set<std::string> seen;
  std::istringstream in{table};
  for (std::string row; std::getline(in, row);) {
    if (row.find('`') == std::string::npos) continue;
    auto const cells = cells_of(row);
    std::string const name = cells[0].substr(1, cells[0].size() - 2);
    seen.insert(name);
    auto const found = functions.find(name);
    BOOST_TEST_REQUIRE((found != functions.end()), "no function for " << row);
    auto const got = found->second(numbers_in(cells[1]));
    BOOST_TEST_REQUIRE(got.size() + 2 == cells.size(), row);
    for (std::size_t i = 0; i < got.size(); ++i) {
      auto const expected = numbers_in(cells[i + 2]);
      BOOST_TEST_REQUIRE(got[i].size() == expected.size(), row);
      for (std::size_t k = 0; k < expected.size(); ++k)
        BOOST_TEST(same(got[i][k], expected[k]), row << ": column " << i + 3 << " has " << got[i][k]);
    }
  }
  for (auto const& [name, values] : functions) BOOST_TEST(seen.contains(name), name << " has no row");
}

}  // namespace

BOOST_AUTO_TEST_CASE(functions_of_one_number) {
  check(of_one_number, {
                           {"abs(x)", of_one([](auto x) { return abs(x); })},
                           {"maximum(x, 0)", of_one([](auto x) { return maximum(x, 0.0); })},
                           {"minimum(x, 0)", of_one([](auto x) { return minimum(x, 0.0); })},
                           {"clamp(x, -1, 1)", of_one([](auto x) { return clamp(x, -1.0, 1.0); })},
                           {"relu(x)", of_one([](auto x) { return relu(x); })},
                           {"leaky_relu(x, 0.25)", of_one([](auto x) { return leaky_relu(x, 0.25); })},
                           {"elu(x, 0.5)", of_one([](auto x) { return elu(x, 0.5); })},
                           {"hard_tanh(x)", of_one([](auto x) { return hard_tanh(x); })},
                           {"huber(x, 1)", of_one([](auto x) { return huber(x, 1.0); })},
                           {"where(x > 0, x * x, 0)", of_one([](auto x) { return where(x > 0.0, x * x, 0.0); })},
                           {"where(x > 0, sqrt(x), 0)", of_one([](auto x) { return where(x > 0.0, sqrt(x), 0.0); })},
                           {"where(x > 0, sqrt(where(x > 0, x, 1)), 0)",
                            of_one([](auto x) { return where(x > 0.0, sqrt(where(x > 0.0, x, 1.0)), 0.0); })},
                           {"x > 0", of_one([](auto x) { return (x > 0.0) * 1.0; })},
                           {"sqrt(x)", of_one([](auto x) { return sqrt(x); })},
                           {"1 / sqrt(x)", of_one([](auto x) { return 1.0 / sqrt(x); })},
                           {"1 / x", of_one([](auto x) { return 1.0 / x; })},
                           {"log(x)", of_one([](auto x) { return log(x); })},
                           {"exp(x)", of_one([](auto x) { return exp(x); })},
                           {"square(x)", of_one([](auto x) { return square(x); })},
                           {"pow(x, -1)", of_one([](auto x) { return pow(x, -1.0); })},
                           {"pow(x, 0)", of_one([](auto x) { return pow(x, 0.0); })},
                           {"pow(x, 0.5)", of_one([](auto x) { return pow(x, 0.5); })},
                           {"pow(x, 1)", of_one([](auto x) { return pow(x, 1.0); })},
                           {"pow(x, 1.5)", of_one([](auto x) { return pow(x, 1.5); })},
                           {"pow(x, 2)", of_one([](auto x) { return pow(x, 2.0); })},
                           {"pow(x, 2.5)", of_one([](auto x) { return pow(x, 2.5); })},
                           {"pow(x, 3)", of_one([](auto x) { return pow(x, 3.0); })},
                           {"pow(x, 4)", of_one([](auto x) { return pow(x, 4.0); })},
                           {"pow(x, 5)", of_one([](auto x) { return pow(x, 5.0); })},
                           {"pow(0, x)", of_one([](auto x) { return pow(0.0, x); })},
                           {"sigmoid(x)", of_one([](auto x) { return sigmoid(x); })},
                           {"tanh(x)", of_one([](auto x) { return tanh(x); })},
                           {"softplus(x)", of_one([](auto x) { return softplus(x); })},
                           {"silu(x)", of_one([](auto x) { return silu(x); })},
                           {"gelu(x)", of_one([](auto x) { return gelu(x); })},
                           {"gelu_tanh(x)", of_one([](auto x) { return gelu_tanh(x); })},
                           {"erf(x)", of_one([](auto x) { return erf(x); })},
                       });
}

BOOST_AUTO_TEST_CASE(functions_of_two_numbers) {
  check(of_two_numbers, {
                            {"pow(a, b)", of_two([](auto a, auto b) { return pow(a, b); })},
                            {"a / b", of_two([](auto a, auto b) { return a / b; })},
                            {"maximum(a, b)", of_two([](auto a, auto b) { return maximum(a, b); })},
                            {"minimum(a, b)", of_two([](auto a, auto b) { return minimum(a, b); })},
                            {"a * b", of_two([](auto a, auto b) { return a * b; })},
                            {"leaky_relu(a, b)", of_two([](auto a, auto b) { return leaky_relu(a, b); })},
                            {"elu(a, b)", of_two([](auto a, auto b) { return elu(a, b); })},
                            {"huber(a, b)", of_two([](auto a, auto b) { return huber(a, b); })},
                            {"sqrt(a * a + b * b)", of_two([](auto a, auto b) { return sqrt(a * a + b * b); })},
                            {"logistic_loss(a, b)", of_two([](auto a, auto b) { return logistic_loss(a, b); })},
                        });
}

BOOST_AUTO_TEST_CASE(functions_of_three_elements) {
  check(of_three_elements,
        {
            {"max(x)", of_three([](auto x) { return max(x); })},
            {"min(x)", of_three([](auto x) { return min(x); })},
            {"norm(x)", of_three([](auto x) { return norm(x); })},
            {"unit(x)", of_three([](auto x) { return unit(x); })},
            {"sqrt(sum(square(x)))", of_three([](auto x) { return sqrt(sum(square(x))); })},
            {"logsumexp(x)", of_three([](auto x) { return logsumexp(x); })},
            {"softmax(x)", of_three([](auto x) { return softmax(x); })},
            {"log_softmax(x)", of_three([](auto x) { return log_softmax(x); })},
            {"normalize<0>(x, 0.25)", of_three([](auto x) { return esp::normalize<0>(x, 0.25); })},
            {"normalize<0>(x, 0)", of_three([](auto x) { return esp::normalize<0>(x, 0); })},
            {"rms_normalize<0>(x, 0.25)", of_three([](auto x) { return esp::rms_normalize<0>(x, 0.25); })},
            {"rms_normalize<0>(x, 0)", of_three([](auto x) { return esp::rms_normalize<0>(x, 0); })},
            {"sqrt(mean(square(x - mean(x))))", of_three([](auto x) { return sqrt(mean(square(x - mean(x)))); })},
            {"norm(x - mean(x))", of_three([](auto x) { return norm(x - mean(x)); })},
            {"mean(abs(x))", of_three([](auto x) { return mean(abs(x)); })},
            {"max_pool2d<{1, 3}>(x)", of_three([](auto x) {
               return esp::reshape<1>(esp::max_pool2d<esp::rows_columns{1, 3}>(esp::reshape<1, 1, 3, 1>(x)));
             })},
        });
}
