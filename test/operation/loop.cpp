// SPDX-License-Identifier: BSL-1.0
// Loops of structs, of several states, without a state, in and around checkpoints, and within loops: kernels agree with
// the interpreter, and gradients of both orders with differences.
#define BOOST_TEST_MODULE operation_loop
#include <espalier/operation/loop.hpp>

#include <espalier/expression/checkpoint.hpp>
#include <espalier/expression/scan.hpp>
#include <espalier/operation/operation.hpp>

#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <class H, class C>
struct pair_state {
  H h;
  C c;
};
template <class H, class C>
pair_state(H, C) -> pair_state<H, C>;
struct with_struct {
  constexpr auto operator()(auto w, auto h, auto c, auto xs, auto ms) const {
    auto const [last, ys] = esp::scan(
        [&](auto const& s, auto const& in) {
          auto const& [x, m] = in;
          auto const cand = tanh(matmul(s.h, w) + x);
          auto const nc = s.c * 0.9 + cand;
          auto const nh = m * (cand * sigmoid(nc)) + (1 - m) * s.h;
          return std::tuple{pair_state{nh, nc}, std::pair{nh, nc * x}};
        },
        pair_state{h, c}, std::tuple{xs, ms});
    return sum<0>(ys.first * ys.second) + last.h * last.c;
  }
};
struct repeated {
  constexpr auto operator()(auto w, auto h) const {
    return esp::repeat<5>([&](auto const& s) { return tanh(matmul(s, w)) + h; }, h);
  }
};
struct no_state {
  constexpr auto operator()(auto w, auto xs) const {
    auto const [s, ys] = esp::scan(
        [&](auto const&, auto const& x) {
          return std::tuple{std::tuple{}, tanh(matmul(x, w)) * x};
        },
        std::tuple{}, xs);
    return ys;
  }
};
struct swaps {  // next states are other states and slices; results are states, slices, constants and outside values
  constexpr auto operator()(auto a, auto b, auto xs) const {
    auto const [s, ys] = esp::scan(
        [&](auto const& st, auto const& x) {
          auto const& [p, q, r] = st;
          return std::tuple{std::tuple{q, x, r}, std::tuple{p * q, p, x, a, r * x}};
        },
        std::tuple{a, b, a}, xs);
    auto const& [y0, y1, y2, y3, y4] = ys;
    auto const& [p, q, r] = s;
    return sum<0>(y0 + y1 * y2 + y3 * 0.5 + y4) + p * q * r;
  }
};
struct rescaled {
  constexpr auto operator()(auto w, auto h, auto xs) const {
    auto const layer = [](auto const& hh, auto const& x, auto const& ww) {
      auto const r = esp::scan(
          [&](auto const& s, auto const& xx) {
            auto const n = tanh(matmul(s, ww) + xx);
            return std::tuple{n, n};
          },
          hh, x);
      return std::get<1>(r);
    };
    auto const one = esp::checkpoint(layer, h, xs, w);
    return esp::checkpoint(layer, h, one, w);
  }
};
// a scan over pieces, each recomputed: a scan of a checkpoint of a scan
struct pieces {
  constexpr auto operator()(auto w, auto h, auto xs) const {
    auto const [l, ys] = esp::scan(
        [&](auto const& s, auto const& piece) {
          auto const inner = [&](auto const& st, auto const& p) {
            auto const r = esp::scan(
                [&](auto const& q, auto const& x) {
                  auto const n = tanh(matmul(q, w) + x);
                  return std::tuple{n, std::tuple{}};
                },
                st, p);
            return std::get<0>(r);
          };
          auto const n = esp::checkpoint(inner, s, piece);
          return std::tuple{n, n};
        },
        h, esp::reshape<2, 2, 2, 3>(xs));
    return sum<0>(ys) * l;
  }
};
// steps that are recomputed: the gradients of what all steps share are states of the backward pass
struct recomputed_steps {
  constexpr auto operator()(auto w, auto h, auto xs) const {
    auto const block = [&](auto const& s, auto const& x) { return tanh(matmul(sigmoid(matmul(s, w)) * x, w) + x); };
    auto const [last, ys] = esp::scan(
        [&](auto const& s, auto const& x) {
          auto const n = esp::checkpoint(block, s, x) * 0.7;
          return std::tuple{n, n * x};
        },
        h, xs);
    return sum<0>(ys) * last;
  }
};
// rows of queries, one block after the other: no step keeps its scores
struct blocks_of_rows {
  constexpr auto operator()(auto k, auto v, auto qs, auto bias) const {
    auto const rows = [&](auto const& q) { return matmul(softmax<-1>(matmul(q, transpose(k)) + bias), v); };
    auto const [s, ys] = esp::scan(
        [&](auto const&, auto const& q) {
          return std::tuple{std::tuple{}, esp::checkpoint(rows, q) * q};
        },
        std::tuple{}, qs);
    return ys;
  }
};
struct blocks_of_heads {
  constexpr auto operator()(auto k, auto v, auto qs, auto bias) const {
    auto const [s, ys] = esp::scan(
        [&](auto const&, auto const& x) {
          auto const& [kh, vh, qh] = x;
          return std::tuple{std::tuple{}, blocks_of_rows{}(kh, vh, qh, bias)};
        },
        std::tuple{}, std::tuple{k, v, qs});
    return ys;
  }
};
struct bidirectional_layers {
  constexpr auto operator()(auto w, auto u, auto h, auto xs) const {
    auto const step = [&](auto const& s, auto const& x) {
      auto const n = tanh(matmul(s, u) + x);
      return std::tuple{n, n};
    };
    auto const f = esp::scan(step, h, matmul(xs, w));
    auto const b = esp::scan<esp::direction::backwards>(step, h, matmul(xs, w));
    auto const both = concatenate<-1>(std::get<1>(f), std::get<1>(b));
    auto const g = esp::scan(
        [&](auto const& s, auto const& x) {
          auto const n = sigmoid(s + slice<-1, 0, 3>(x) * slice<-1, 3, 6>(x));
          return std::tuple{n, n * n};
        },
        std::get<0>(f), both);
    return std::get<1>(g);
  }
};
struct three {
  constexpr auto operator()(auto u, auto h, auto xs) const {
    auto const [a, ys] = esp::scan(
        [&](auto const& s1, auto const& x1) {
          auto const [b, y1] = esp::scan(
              [&](auto const& s2, auto const& x2) {
                auto const c = esp::repeat<2>([&](auto const& s3) { return tanh(matmul(s3, u) + x2 * s1); }, s2);
                return std::tuple{c, c * x2};
              },
              s1, x1);
          return std::tuple{b, sum<0>(y1)};
        },
        h, xs);
    return ys * a;
  }
};

template <class F, class... X>
void check(char const* name, X const&... x) {
  check_kernels(name, F{}, x...);
  check_pullback(name, F{}, x...);
}
}  // namespace

BOOST_AUTO_TEST_CASE(states_and_sequences_of_any_structure) {
  auto const w = doubles<3, 3>(1);
  auto const h = doubles<2, 3>(3);
  auto const xs = doubles<4, 2, 3>(4);
  check<with_struct>("structs and masks", w, h, doubles<2, 3>(5), xs, doubles<4, 2, 1>(6));
  check<repeated>("repeat", w, h);
  check<no_state>("no state", w, xs);
  check<swaps>("states that change places", h, doubles<2, 3>(5), xs);
}

BOOST_AUTO_TEST_CASE(recomputed_in_each_step) {
  check<recomputed_steps>("a block in each step", doubles<3, 3>(1), doubles<2, 3>(3), doubles<4, 2, 3>(4));
  check<blocks_of_rows>("blocks of rows", doubles<5, 3>(1), doubles<5, 3>(2), doubles<4, 2, 3>(4), doubles<5>(5));
  check<blocks_of_heads>("blocks of heads", doubles<2, 5, 3>(1), doubles<2, 5, 3>(2), doubles<2, 2, 2, 3>(4),
                         doubles<5>(5));
}

BOOST_AUTO_TEST_CASE(loops_of_loops) {
  auto const w = doubles<3, 3>(1);
  auto const h = doubles<2, 3>(3);
  auto const xs = doubles<4, 2, 3>(4);
  check<rescaled>("layers that are recomputed", w, h, xs);
  check<pieces>("pieces that are recomputed", w, h, xs);
  check<bidirectional_layers>("both directions, two layers", w, doubles<3, 3>(2), h, xs);
  check<three>("three loops, one within the other", w, h, doubles<2, 2, 2, 3>(4));
}
