// SPDX-License-Identifier: BSL-1.0
// Formulas that outlive their tensors are reported, and no others. Death tests run in a child process.
#define BOOST_TEST_MODULE storage_ended
#undef NDEBUG
#include <boost/test/unit_test.hpp>

#include <functional>
#include <vector>

#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

#include "support/last_words.hpp"

namespace esp = espalier;
using esp::shape;
using esp::tensor;
using test::has;
using test::last_words;

namespace {
using Two = tensor<float, shape<2>>;
using Large = tensor<float, shape<64, 64>>;  // not in itself
constexpr auto twice = [](auto x) { return x * 2; };
constexpr auto outer = [](auto x) { return twice(x) + twice(x + 1); };
auto of_a_local() {
  Two t{1, 2};
  return t + t;
}
constexpr char const* words = "a formula refers to a destroyed tensor";
}  // namespace

BOOST_AUTO_TEST_CASE(a_formula_that_outlives_its_tensors) {
  Two const a{10, 20};
  BOOST_TEST(has(last_words([&] {
                   auto const kept = twice(a);
                   Two const r = kept;
                 }),
                 words));
  BOOST_TEST(has(last_words([&] { Two const r = outer(a); }), words));
  BOOST_TEST(has(last_words([&] { Two const r = of_a_local(); }), words));
  BOOST_TEST(has(last_words([&] {
                   std::function<Two(Two)> const f = twice;
                   Two const r = f(a);
                 }),
                 words));
  BOOST_TEST(has(last_words([&] {
                   std::vector<Two> grows(1);
                   auto const sum = grows[0] + a;
                   grows.resize(100);
                   Two const r = sum;
                 }),
                 words));
  BOOST_TEST(has(last_words([] {
                   auto const kept = twice(Large{});
                   Large const r = kept;
                 }),
                 words));
}

BOOST_AUTO_TEST_CASE(a_formula_that_does_not) {
  Two const a{10, 20};
  BOOST_TEST((Two(twice(a)) == Two{20, 40}));
  auto const kept = a * 2 + Two{1, 1};  // owns the temporary
  for (int i = 0; i < 3; ++i) {
    Two const other{1, 2};
    auto const of_both = kept + other;
    BOOST_TEST((Two(of_both) == Two{22, 43}));
    BOOST_TEST((Two(kept) == Two{21, 41}));
  }
  Large first;
  first(0, 0) = 3;
  auto const of_first = first * 2;
  Large const moved = std::move(first);  // the elements stay where they are
  BOOST_TEST(Large(of_first)(0, 0) == 6);
  auto const evaluates = [](auto x) { return evaluate(twice(x)); };
  BOOST_TEST((Two(evaluates(a) + evaluates(a)) == Two{40, 80}));
}
