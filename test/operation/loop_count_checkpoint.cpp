// SPDX-License-Identifier: BSL-1.0
// Loops with a count in and around checkpoints, and behind each other: as the same loops with a mask.
#define BOOST_TEST_MODULE operation_loop_count_checkpoint
#include <espalier/expression/checkpoint.hpp>
#include <espalier/expression/scan.hpp>
#include <espalier/operation/operation.hpp>

#include "support/counted_loop.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

// Loops that are recomputed, and blocks that each step recomputes.
template <bool C>
struct recomputed {
  constexpr auto operator()(auto w, auto h, auto xs, auto n, auto ts) const {
    auto const block = [&](auto const& s, auto const& x) { return tanh(matmul(sigmoid(matmul(s, w)) * x, w) + x); };
    auto const [last, ys] = loop<C>::scan(
        [&](auto const& s, auto const& x) {
          auto const next = esp::checkpoint(block, s, x) * 0.7;
          return std::tuple{next, next * x};
        },
        h, xs, n, ts);
    auto const whole = [&](auto const& start, auto const& seq, auto const& weight, auto const& count) {
      auto const r = loop<C>::scan(
          [&](auto const& s, auto const& x) {
            auto const next = tanh(matmul(s, weight) + x);
            return std::tuple{next, next};
          },
          start, seq, count, ts);
      return std::get<1>(r);
    };
    return esp::checkpoint(whole, last, ys, w, n) + last;
  }
};
// Sequences that are results of other loops: of all steps, of the same steps, and of the same count in other shapes.
template <bool C>
struct in_a_row {
  constexpr auto operator()(auto w, auto h, auto xs, auto n, auto ts, auto us) const {
    auto const step = [&](auto const& s, auto const& x) {
      auto const next = tanh(matmul(s, w) + x);
      return std::tuple{next, std::tuple{next, x, matmul(x, w)}};
    };
    auto const [last, ys] = esp::scan(step, h, xs);
    auto const& [y, x, p] = ys;
    auto const [last_of_some, zs] = loop<C>::scan(step, last, y, n, ts);
    auto const& [z, y_of_some, q] = zs;
    auto const same = loop<C>::scan(step, last, z, n, ts);
    auto const& [a, b, c] = std::get<1>(same);
    // (4, 2, 3) in pieces of which others have no step
    auto const pieces = [](auto const& state, auto const& piece) { return std::tuple{state + piece, piece}; };
    auto const other = loop<C>::scan(pieces, slice<0, 0, 1>(h), esp::reshape<8, 1, 3>(z), n, us);
    return (x + p + q + y_of_some + a + b + c) * last_of_some + sum<0>(std::get<1>(other));
  }
};
template <bool C>
struct single_step {
  constexpr auto operator()(auto w, auto h, auto xs, auto n, auto ts) const {
    auto const [last, ys] = loop<C>::scan(
        [&](auto const& s, auto const& x) {
          auto const next = tanh(matmul(s, w) + x);
          return std::tuple{next, std::tuple{next, x, matmul(x, w)}};
        },
        h, xs, n, ts);
    auto const& [a, b, c] = ys;
    return a * b * last + c;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(recomputed_in_steps_and_around_them) {
  for (int n : {0, 1, 3, 4}) BOOST_TEST_CONTEXT("steps " << n)
  check_count<recomputed>("checkpoints", doubles<3, 3>(1), doubles<2, 3>(3), doubles<4, 2, 3>(4), count_of(n),
                          positions<4>());
}

BOOST_AUTO_TEST_CASE(loops_in_a_row) {
  for (int n : {0, 1, 3, 4}) BOOST_TEST_CONTEXT("steps " << n)
  check_count<in_a_row>("in a row", doubles<3, 3>(1), doubles<2, 3>(3), doubles<4, 2, 3>(4), count_of(n),
                        positions<4>(), positions<8>());
  for (int n : {0, 1})
    check_count<single_step>("at most one step", doubles<3, 3>(1), doubles<2, 3>(3), doubles<1, 2, 3>(4), count_of(n),
                             positions<1>());
}
