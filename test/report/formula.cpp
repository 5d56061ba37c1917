// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE report_formula
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/report/formula.hpp>

#include <vector>

namespace esp = espalier;
namespace report = espalier::report;

namespace {
template <int... N>
using real = esp::borrowed<float, esp::shape<N...>>;

struct chain {
  constexpr auto operator()(auto x, auto y) const { return esp::tanh(x * 2.0f) + y; }
};
struct used_twice {
  constexpr auto operator()(auto x) const {
    auto const e = exp(x);
    return e * esp::tanh(e);
  }
};
struct reductions {
  constexpr auto operator()(auto x) const { return esp::sum<1>(x * x); }
};
struct layer {
  constexpr auto operator()(auto x, auto w, auto b) const { return esp::relu(matmul(x, esp::transpose(w)) + b); }
};
struct moved {
  constexpr auto operator()(auto x, auto y) const {
    return std::tuple{esp::permute<1, 2, 0>(x), esp::concatenate<1>(y, y * 2.0f)};
  }
};

using lines = std::vector<std::string>;
template <class F, class... Arguments>
report::titled titled() {
  report::titled t = report::detail::titled_program<esp::detail::compiled_program<F, Arguments...>, float>::get();
  t.arguments = {"x", "y", "b"};
  return t;
}
/// The last line of each kernel; the values that kernels write have no fixed number.
lines without_numbers(lines found) {
  for (std::string& line : found)
    if (line[0] == 'v') line = line.substr(line.find('=') + 2);
  return found;
}
}  // namespace

// A value that is read once is part of its reader's formula.
BOOST_AUTO_TEST_CASE(one_line_for_a_chain) {
  auto const t = titled<chain, real<8>, real<8>>();
  BOOST_TEST(t.plan->kernel_count == 1);
  BOOST_TEST(without_numbers(report::formulas_of(t, 1)) == lines{"add(tanh(multiply(2, x)), y)"});
}

BOOST_AUTO_TEST_CASE(a_name_for_what_is_used_twice) {
  BOOST_TEST(without_numbers(report::formulas_of(titled<used_twice, real<8>>(), 1)) ==
             (lines{"t1 = exp(x)", "multiply(t1, tanh(t1))"}));
}

BOOST_AUTO_TEST_CASE(the_axis_of_a_reduction) {
  lines const found = without_numbers(report::formulas_of(titled<reductions, real<4, 6>>(), 1));
  BOOST_TEST(found == lines{"sum[row](multiply(x, x))"});
}

BOOST_AUTO_TEST_CASE(products_and_their_epilogues) {
  auto const t = titled<layer, real<4, 6>, real<5, 6>, real<5>>();
  BOOST_TEST(t.plan->kernel_count == 1);
  BOOST_TEST(without_numbers(report::formulas_of(t, 1)) == lines{"relu(add(matmul(x, transpose(y)), b))"});
}

namespace {
struct brackets {
  constexpr auto operator()(auto x, auto y) const { return (x - (y - x * 3.0f)) / (y * (x + y)) - esp::tanh(x + y); }
};
lines infix(report::titled const& t) { return without_numbers(report::formulas_of(t, 1, report::notation::infix)); }
}  // namespace

// Brackets are where the operand binds less, and around a right operand that binds as much.
BOOST_AUTO_TEST_CASE(signs_between_operands) {
  BOOST_TEST(infix(titled<chain, real<8>, real<8>>()) == lines{"tanh(2 * x) + y"});
  BOOST_TEST(infix(titled<layer, real<4, 6>, real<5, 6>, real<5>>()) == lines{"relu(x @ transpose(y) + b)"});
  BOOST_TEST(infix(titled<reductions, real<4, 6>>()) == lines{"sum[row](x * x)"});
  BOOST_TEST(infix(titled<brackets, real<8>, real<8>>()) ==
             (lines{"t1 = x + y", "(x - (y - 3 * x)) / (t1 * y) - tanh(t1)"}));
}

BOOST_AUTO_TEST_CASE(moved_values) {
  auto const t = titled<moved, real<2, 3, 4>, real<2, 3>>();
  lines all;
  for (int k = 1; k <= t.plan->kernel_count; ++k)
    for (std::string const& line : without_numbers(report::formulas_of(t, k))) all.push_back(line);
  BOOST_TEST(std::count(all.begin(), all.end(), "permute[1, 2, 0](x)") == 1);
  BOOST_TEST(std::count_if(all.begin(), all.end(),
                           [](std::string const& line) { return line.find("concatenate[1](y, ") == 0; }) == 1);
}
