// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_scaled_dot_product_attention
#include <espalier/eager/compiled.hpp>
#include <espalier/eager/vmap.hpp>

#include "support/check_pullback.hpp"

using namespace test;
using esp::attention, esp::attention_mask, esp::shape, esp::tensor;

namespace {
template <attention Options>
struct attend {
  constexpr auto operator()(auto q, auto k, auto v) const { return scaled_dot_product_attention<Options>(q, k, v); }
  constexpr auto operator()(auto q, auto k, auto v, auto mask) const {
    return scaled_dot_product_attention<Options>(q, k, v, mask);
  }
};
/// The mask is no argument of a gradient: a comparison gives 1 or 0.
template <attention Options>
struct attend_where {
  constexpr auto operator()(auto q, auto k, auto v, auto mask) const {
    return scaled_dot_product_attention<Options>(q, k, v, mask > 0);
  }
};
inline constexpr attention causal{.causal = true};
inline constexpr attention added{.scale = 0.3, .mask = attention_mask::added};
inline constexpr attention causal_added{.causal = true, .mask = attention_mask::added};

/// Attention as plain loops; score(b, h, i, j, s) masks a score.
template <class Q, class K, class V, class Score>
auto by_loops(Q const& q, K const& k, V const& v, double scale, Score score) {
  constexpr int batch = Q::shape_type::template extent<0>(), heads = Q::shape_type::template extent<1>(),
                queries = Q::shape_type::template extent<2>(), features = Q::shape_type::template extent<3>(),
                key_heads = K::shape_type::template extent<1>(), keys = K::shape_type::template extent<2>(),
                values = V::shape_type::template extent<3>();
  tensor<double, shape<batch, heads, queries, values>> y;
  for (int b = 0; b < batch; ++b)
    for (int h = 0; h < heads; ++h)
      for (int i = 0; i < queries; ++i) {
        int const g = h / (heads / key_heads);
        std::vector<double> s(keys);
        double largest = -HUGE_VAL, sum = 0;
        for (int j = 0; j < keys; ++j) {
          double dot = 0;
          for (int d = 0; d < features; ++d)
            dot += static_cast<double>(q(b, h, i, d)) * static_cast<double>(k(b, g, j, d));
          s[static_cast<std::size_t>(j)] = score(b, h, i, j, dot * scale);
          largest = std::fmax(largest, s[static_cast<std::size_t>(j)]);
        }
        for (double& x : s) {
          x = x == -HUGE_VAL ? 0 : std::exp(x - largest);
          sum += x;
        }
        for (int d = 0; d < values; ++d) {
          double total = 0;
          for (int j = 0; j < keys; ++j) total += s[static_cast<std::size_t>(j)] * static_cast<double>(v(b, g, j, d));
          y(b, h, i, d) = sum == 0 ? 0 : total / sum;
        }
      }
  return y;
}
inline constexpr auto unmasked = [](int, int, int, int, double s) { return s; };
inline constexpr auto in_order = [](int, int, int i, int j, double s) { return j <= i ? s : -HUGE_VAL; };

// Two keys of equal score: the mean of their values. In constant expressions, too.
constexpr tensor<double, shape<1, 2>> one_query{{1, 2}};
constexpr tensor<double, shape<2, 2>> two_keys{{3, 4}, {5, 3}};
static_assert(all_close(tensor<double, shape<1, 3>>{scaled_dot_product_attention(
                            one_query, two_keys, tensor<double, shape<2, 3>>{{1, 2, 3}, {3, 6, 5}})},
                        tensor<double, shape<1, 3>>{{2, 4, 4}}, 1e-14, 1e-14));
// Rows of weights add up to 1; query 0 looks only at key 0.
static_assert(tensor<double, shape<2, 2>>{esp::attention_weights<causal>(two_keys, two_keys)}(0, 0) == 1);
inline constexpr auto total = [](auto q, auto k, auto v, auto mask) {
  return sum(square(scaled_dot_product_attention(q, k, v, mask)));
};
inline constexpr auto weighted_total = [](auto q, auto k, auto v, auto dy) {
  return sum(scaled_dot_product_attention<causal>(q, k, v) * dy);
};
inline constexpr auto gradient_of_total = [](auto q, auto k, auto v, auto dy) {
  return esp::grad<0, 1, 2>(weighted_total)(q, k, v, dy);
};
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const q = doubles<2, 4, 5, 3>(1);
  auto const k = doubles<2, 4, 5, 3>(2);
  auto const v = doubles<2, 4, 5, 7>(3);
  double const scale = 1 / std::sqrt(3.0);
  check_close("plain", tensor<double, shape<2, 4, 5, 7>>{scaled_dot_product_attention(q, k, v)},
              by_loops(q, k, v, scale, unmasked), 1e-12);
  check_close("causal", tensor<double, shape<2, 4, 5, 7>>{scaled_dot_product_attention<causal>(q, k, v)},
              by_loops(q, k, v, scale, in_order), 1e-12);
  check_close("scale", tensor<double, shape<2, 4, 5, 7>>{scaled_dot_product_attention<{.scale = 0.5}>(q, k, v)},
              by_loops(q, k, v, 0.5, unmasked), 1e-12);
}
BOOST_AUTO_TEST_CASE(other_keys_and_groups_of_heads) {
  auto const q = doubles<2, 6, 3, 4>(1);
  auto const k = doubles<2, 2, 8, 4>(2);
  auto const v = doubles<2, 2, 8, 5>(3);
  check_close("groups", tensor<double, shape<2, 6, 3, 5>>{scaled_dot_product_attention(q, k, v)},
              by_loops(q, k, v, 0.5, unmasked), 1e-12);
  check_close("groups, causal", tensor<double, shape<2, 6, 3, 5>>{scaled_dot_product_attention<causal>(q, k, v)},
              by_loops(q, k, v, 0.5, in_order), 1e-12);
}
BOOST_AUTO_TEST_CASE(masks) {
  auto const q = doubles<2, 4, 5, 4>(1);
  auto const k = doubles<2, 2, 6, 4>(2);
  auto const v = doubles<2, 2, 6, 4>(3);
  auto const bias = doubles<4, 5, 6>(4);
  auto const padding = doubles<2, 1, 1, 6>(5);
  check_close("added", tensor<double, shape<2, 4, 5, 4>>{scaled_dot_product_attention<added>(q, k, v, bias)},
              by_loops(q, k, v, 0.3, [&](int, int h, int i, int j, double s) { return s + bias(h, i, j); }), 1e-12);
  check_close(
      "allowed", tensor<double, shape<2, 4, 5, 4>>{scaled_dot_product_attention(q, k, v, padding > 0)},
      by_loops(q, k, v, 0.5, [&](int b, int, int, int j, double s) { return padding(b, 0, 0, j) > 0 ? s : -HUGE_VAL; }),
      1e-12);
  check_close(
      "allowed, causal", tensor<double, shape<2, 4, 5, 4>>{scaled_dot_product_attention<causal>(q, k, v, padding > 0)},
      by_loops(q, k, v, 0.5,
               [&](int b, int, int i, int j, double s) { return padding(b, 0, 0, j) > 0 && j <= i ? s : -HUGE_VAL; }),
      1e-12);
}
// Zeros instead of NaN: in the value and in every gradient.
BOOST_AUTO_TEST_CASE(a_query_that_may_look_at_nothing) {
  auto const q = doubles<1, 1, 3, 2>(1);
  auto const k = doubles<1, 1, 4, 2>(2);
  auto const v = doubles<1, 1, 4, 2>(3);
  tensor<double, shape<3, 4>> const allowed{{1, 0, 1, 1}, {0, 0, 0, 0}, {0, 1, 0, 0}};
  tensor<double, shape<3, 4>> hidden;
  for (int i = 0; i < 12; ++i) hidden[i] = allowed[i] != 0 ? 0 : -HUGE_VAL;
  auto const expected =
      by_loops(q, k, v, 1 / std::sqrt(2.0), [&](int, int, int i, int j, double s) { return s + hidden(i, j); });
  tensor<double, shape<1, 1, 3, 2>> const y = scaled_dot_product_attention(q, k, v, allowed);
  tensor<double, shape<1, 1, 3, 2>> const with_infinity =
      scaled_dot_product_attention<{.mask = attention_mask::added}>(q, k, v, hidden);
  check_close("nothing", y, expected, 1e-12);
  check_close("nothing, added", with_infinity, expected, 1e-12);
  BOOST_TEST((y(0, 0, 1, 0) == 0 && y(0, 0, 1, 1) == 0));
  auto const [dq, dk, dv, none] = esp::grad(total)(q, k, v, allowed);
  for (int i = 0; i < 12; ++i) BOOST_TEST(none[i] == 0);
  BOOST_TEST((dq(0, 0, 1, 0) == 0 && dq(0, 0, 1, 1) == 0));
  for (int i = 0; i < 8; ++i) BOOST_TEST((std::isfinite(dk[i]) && std::isfinite(dv[i])));
}
// Large scores do not overflow.
BOOST_AUTO_TEST_CASE(stable_for_large_scores) {
  tensor<float, shape<1, 1, 2, 1>> const q{{{{1000}, {-1000}}}};
  tensor<float, shape<1, 1, 2, 1>> const v{{{{1}, {2}}}};
  tensor<float, shape<1, 1, 2, 1>> const y = scaled_dot_product_attention(q, q, v);
  BOOST_TEST((y[0] == 1 && y[1] == 2));
}
BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("plain", attend<attention{}>{}, floats<2, 3, 7, 5>(1), floats<2, 3, 7, 5>(2), floats<2, 3, 7, 4>(3));
  check_kernels("causal", attend<causal>{}, doubles<2, 3, 17, 8>(1), doubles<2, 3, 17, 8>(2), doubles<2, 3, 17, 8>(3));
  check_kernels("groups", attend<causal>{}, floats<2, 4, 9, 8>(1), floats<2, 2, 9, 8>(2), floats<2, 2, 9, 8>(3));
  check_kernels("mask", attend_where<causal>{}, floats<2, 4, 5, 8>(1), floats<2, 2, 9, 8>(2), floats<2, 2, 9, 8>(3),
                floats<2, 1, 1, 9>(4));
  check_kernels("added", attend<causal_added>{}, floats<4, 5, 8>(1), floats<4, 9, 8>(2), floats<4, 9, 8>(3),
                floats<5, 9>(4));
}
// Of all values with an element for each query and key, the weights are stored, and one more in the backward pass.
BOOST_AUTO_TEST_CASE(memory) {
  auto const q = floats<1, 4, 64, 8>(1);
  constexpr std::int64_t scores = 4 * 64 * 64 * 4, rows = 4 * 64 * 8 * 4;
  esp::compiled const forward{attend<causal>{}, q, q, q};
  esp::compiled const backward{gradient_of_total, q, q, q, q};
  static_assert(decltype(forward)::workspace_bytes <= scores + rows);
  static_assert(decltype(backward)::workspace_bytes <= 2 * scores + 4 * rows);
}
BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("plain", attend<attention{}>{}, doubles<1, 2, 3, 2>(1), doubles<1, 2, 4, 2>(2),
                 doubles<1, 2, 4, 3>(3));
  check_pullback("causal, groups", attend<causal>{}, doubles<2, 4, 3, 2>(1), doubles<2, 2, 3, 2>(2),
                 doubles<2, 2, 3, 2>(3));
  check_pullback("added mask", attend<added>{}, doubles<1, 2, 3, 2>(1), doubles<1, 1, 4, 2>(2), doubles<1, 1, 4, 2>(3),
                 doubles<1, 2, 1, 4>(4));
}
// More than 64 queries: loops over heads and blocks, against the formula without blocks. 70 queries are a block and a
// rest; 200 causal ones are three groups of keys and a rest.
BOOST_AUTO_TEST_CASE(blocks_of_queries) {
  check_kernels("blocks", attend<attention{}>{}, doubles<2, 2, 70, 3>(1), doubles<2, 2, 9, 3>(2),
                doubles<2, 2, 9, 5>(3));
  check_kernels("blocks, one head", attend<causal>{}, floats<130, 4>(1), floats<130, 4>(2), floats<130, 4>(3));
  check_kernels("blocks, causal", attend<causal>{}, doubles<1, 2, 200, 4>(1), doubles<1, 2, 200, 4>(2),
                doubles<1, 2, 200, 4>(3));
  check_kernels("blocks, groups, fewer keys", attend<causal>{}, doubles<2, 4, 128, 2>(1), doubles<2, 2, 99, 2>(2),
                doubles<2, 2, 99, 2>(3));
}
BOOST_AUTO_TEST_CASE(blocks_of_queries_with_masks) {
  auto const q = doubles<2, 4, 130, 2>(1);
  auto const k = doubles<2, 2, 9, 2>(2), v = doubles<2, 2, 9, 2>(3);
  check_kernels("keys of a batch", attend_where<causal>{}, q, k, v, doubles<2, 1, 1, 9>(4));
  check_kernels("queries and keys", attend<added>{}, q, k, v, doubles<130, 9>(4));
  check_kernels("heads", attend<added>{}, q, k, v, doubles<4, 130, 1>(4));
  check_kernels("all", attend<causal_added>{}, q, k, v, doubles<2, 4, 130, 9>(4));
  check_kernels("a batch", attend<causal_added>{}, q, k, v, doubles<2, 1, 130, 9>(4));
}
BOOST_AUTO_TEST_CASE(gradients_of_blocks) {
  check_pullback("blocks", attend<causal>{}, doubles<1, 2, 70, 2>(1), doubles<1, 1, 70, 2>(2), doubles<1, 1, 70, 2>(3));
  check_pullback("blocks, mask", attend<added>{}, doubles<1, 130, 2>(1), doubles<1, 4, 2>(2), doubles<1, 4, 2>(3),
                 doubles<130, 4>(4));
}
// Memory grows with the number of queries, not with that of pairs of queries and keys.
BOOST_AUTO_TEST_CASE(memory_of_blocks) {
  auto const q = floats<2, 4, 512, 8>(1);
  constexpr std::int64_t block = 64 * 512 * 4, rows = 2 * 4 * 512 * 8 * 4, scores = 2 * 4 * 512 * 512 * 4;
  esp::compiled const forward{attend<causal>{}, q, q, q};
  esp::compiled const backward{gradient_of_total, q, q, q, q};
  static_assert(decltype(forward)::workspace_bytes <= 2 * block + 2 * rows);
  static_assert(decltype(backward)::workspace_bytes <= 2 * block + 16 * rows);
  static_assert(2 * block + 16 * rows < scores / 3);
}
// Each function of two samples gives what it gives for each of them.
BOOST_AUTO_TEST_CASE(batches) {
  auto const q = doubles<2, 4, 3, 2>(1);
  auto const k = doubles<2, 2, 5, 2>(2);
  auto const v = doubles<2, 2, 5, 3>(3);
  check_close("batch", tensor<double, shape<2, 4, 3, 3>>{esp::vmap(attend<causal>{})(q, k, v)},
              tensor<double, shape<2, 4, 3, 3>>{scaled_dot_product_attention<causal>(q, k, v)}, 1e-12);
  auto const longer = doubles<2, 1, 70, 2>(1);
  check_close("batch of blocks",
              tensor<double, shape<2, 1, 70, 2>>{esp::vmap(attend<causal>{})(longer, longer, longer)},
              tensor<double, shape<2, 1, 70, 2>>{scaled_dot_product_attention<causal>(longer, longer, longer)}, 1e-12);
}
