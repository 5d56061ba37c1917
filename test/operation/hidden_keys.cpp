// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_hidden_keys
// Attention leaves out blocks of keys that the mask hides from all queries: the numbers are those of the formula.
#include <espalier/eager/compiled.hpp>

#include "support/check_pullback.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {

inline constexpr auto attend = [](auto q, auto k, auto v, auto mask) {
  return scaled_dot_product_attention(q, k, v, mask);
};
inline constexpr auto total = [](auto q, auto k, auto v, auto mask, auto dy) {
  return sum(scaled_dot_product_attention(q, k, v, mask > 0) * dy);
};

template <class T, int... E>
auto tensors(std::uint64_t seed) {
  if constexpr (sizeof(T) == 4) return floats<E...>(seed);
  else return doubles<E...>(seed);
}

/// One batch. visible(head, query, key)
template <class T, int Heads, int KeyHeads, int Queries, int Keys, int Features, class Visible>
double error(tensor<T, shape<1, Heads, Queries, Features>> const& y,
             tensor<T, shape<1, Heads, Queries, Features>> const& q,
             tensor<T, shape<1, KeyHeads, Keys, Features>> const& k,
             tensor<T, shape<1, KeyHeads, Keys, Features>> const& v, Visible visible) {
  double worst = 0;
  for (int h = 0; h < Heads; ++h)
    for (int i = 0; i < Queries; ++i) {
      int const g = h / (Heads / KeyHeads);
      std::vector<double> w(Keys, 0);
      double largest = -HUGE_VAL, sum = 0;
      auto const score = [&](int j) {
        double s = 0;
        for (int d = 0; d < Features; ++d)
          s += static_cast<double>(q(0, h, i, d)) * static_cast<double>(k(0, g, j, d)) / std::sqrt(double(Features));
        return s;
      };
      for (int j = 0; j < Keys; ++j)
        if (visible(h, i, j)) largest = std::fmax(largest, score(j));
      for (int j = 0; j < Keys; ++j)
        if (visible(h, i, j)) sum += w[static_cast<std::size_t>(j)] = std::exp(score(j) - largest);
      for (int d = 0; d < Features; ++d) {
        double expected = 0;
        for (int j = 0; j < Keys; ++j)
          if (visible(h, i, j)) expected += w[static_cast<std::size_t>(j)] / sum * static_cast<double>(v(0, g, j, d));
        double const off = std::fabs(static_cast<double>(y(0, h, i, d)) - expected);
        if (!(off <= worst)) worst = off;
      }
    }
  return worst;
}

/// Masks that hide keys at both ends, at one end, in the middle, all of them, or none.
template <int Keys>
struct ranges {
  int begin, end;  // visible
  int hole_begin = 0, hole_end = 0;
  bool operator()(int j) const { return j >= begin && j < end && !(j >= hole_begin && j < hole_end); }
};
template <int Keys>
std::vector<ranges<Keys>> some_ranges() {
  std::vector<ranges<Keys>> r{
      {0, Keys}, {0, 0}, {0, Keys, 1, Keys - 1}, {Keys / 3, Keys - Keys / 4, Keys / 2, Keys / 2 + 2}};
  for (int const n : {1, 2, 31, 32, 33, 64, 65, Keys - 33, Keys - 32, Keys - 1})
    if (n > 0 && n < Keys) r.insert(r.end(), {{0, n}, {n, Keys}, {n, n + 1}});
  return r;
}

/// One mask for all heads and queries. What hidden keys hold does not matter.
template <class T, int Heads, int KeyHeads, int Queries, int Keys, int Features>
void keys_of_all() {
  auto const q = tensors<T, 1, Heads, Queries, Features>(1);
  tensor<T, shape<1, Heads, Queries, Features>> y;
  tensor<bool, shape<1, Keys>> mask;
  auto k = tensors<T, 1, KeyHeads, Keys, Features>(2), v = tensors<T, 1, KeyHeads, Keys, Features>(3);
  esp::compiled f{attend, q, k, v, mask};
  double const most = sizeof(T) == 4 ? 2e-6 : 1e-13;
  for (auto const& range : some_ranges<Keys>()) {
    auto hidden = k;
    for (int j = 0; j < Keys; ++j) {
      mask(0, j) = range(j);
      for (int g = 0; !range(j) && g < KeyHeads; ++g)
        for (int d = 0; d < Features; ++d) hidden(0, g, j, d) = T(NAN);
    }
    f(q, hidden, v, mask, y);
    double const off =
        error<T, Heads, KeyHeads, Queries, Keys, Features>(y, q, k, v, [&](int, int, int j) { return range(j); });
    BOOST_TEST(off <= most, Keys << " keys from " << range.begin << " to " << range.end << ": " << off);
  }
}
/// A mask for each query, or for each query of each head.
template <class T, int Heads, int KeyHeads, int Queries, int Keys, int Features>
void keys_of_each() {
  auto const q = tensors<T, 1, Heads, Queries, Features>(1);
  auto const k = tensors<T, 1, KeyHeads, Keys, Features>(2), v = tensors<T, 1, KeyHeads, Keys, Features>(3);
  tensor<T, shape<1, Heads, Queries, Features>> y;
  tensor<bool, shape<Queries, Keys>> of_queries;
  tensor<bool, shape<1, Heads, Queries, Keys>> of_heads;
  esp::compiled f{attend, q, k, v, of_queries};
  esp::compiled g{attend, q, k, v, of_heads};
  auto const after = [](int, int i, int j) { return j <= 7 * i; };
  auto const around = [](int h, int i, int j) { return j >= 9 * h && j < 9 * h + 20 + i && h != 1; };
  for (int i = 0; i < Queries; ++i)
    for (int j = 0; j < Keys; ++j) {
      of_queries(i, j) = after(0, i, j);
      for (int h = 0; h < Heads; ++h) of_heads(0, h, i, j) = around(h, i, j);
    }
  double const most = sizeof(T) == 4 ? 2e-6 : 1e-13;
  f(q, k, v, of_queries, y);
  BOOST_TEST((error<T, Heads, KeyHeads, Queries, Keys, Features>(y, q, k, v, after)) <= most);
  g(q, k, v, of_heads, y);
  BOOST_TEST((error<T, Heads, KeyHeads, Queries, Keys, Features>(y, q, k, v, around)) <= most);
}
}  // namespace

BOOST_AUTO_TEST_CASE(one_query) {
  keys_of_all<float, 8, 4, 1, 256, 8>();
  keys_of_all<float, 2, 2, 1, 100, 48>();
  keys_of_all<float, 1, 1, 1, 70, 8>();
  keys_of_all<float, 4, 1, 1, 36, 16>();
  keys_of_all<float, 2, 1, 1, 7, 8>();
  keys_of_all<double, 6, 2, 1, 75, 4>();
}
BOOST_AUTO_TEST_CASE(some_queries) {
  keys_of_all<float, 4, 2, 3, 97, 8>();
  keys_of_all<float, 2, 2, 20, 150, 16>();
  keys_of_all<double, 1, 1, 9, 70, 20>();
}
BOOST_AUTO_TEST_CASE(blocks_of_queries) { keys_of_all<float, 2, 1, 70, 140, 8>(); }
BOOST_AUTO_TEST_CASE(other_keys_for_each_query) {
  keys_of_each<float, 4, 2, 5, 100, 8>();
  keys_of_each<float, 4, 4, 1, 100, 8>();
  keys_of_each<double, 2, 2, 20, 90, 16>();
}

// The values of keys that are left out are not read. NaN elsewhere is NaN.
BOOST_AUTO_TEST_CASE(what_is_not_a_number) {
  auto const q = tensors<float, 1, 4, 1, 8>(1);
  auto k = tensors<float, 1, 2, 256, 8>(2), v = tensors<float, 1, 2, 256, 8>(3);
  tensor<bool, shape<1, 256>> mask;
  for (int j = 0; j < 256; ++j) mask(0, j) = j < 40;
  esp::compiled f{attend, q, k, v, mask};
  tensor<float, shape<1, 4, 1, 8>> y, clean;
  f(q, k, v, mask, clean);
  auto unused = v;
  for (int j = 64; j < 256; ++j) unused(0, 1, j, 3) = NAN;
  f(q, k, unused, mask, y);
  BOOST_TEST(y == clean);
  unused(0, 1, 39, 3) = NAN;
  f(q, k, unused, mask, y);
  BOOST_TEST(std::isnan(y(0, 2, 0, 3)));
  k(0, 0, 5, 0) = NAN;
  f(q, k, v, mask, y);
  BOOST_TEST(std::isnan(y(0, 0, 0, 0)));
  BOOST_TEST(y(0, 2, 0, 0) == clean(0, 2, 0, 0));
}

BOOST_AUTO_TEST_CASE(gradients) {
  auto const q = doubles<1, 2, 2, 4>(1), dy = doubles<1, 2, 2, 4>(4);
  auto const k = doubles<1, 1, 70, 4>(2), v = doubles<1, 1, 70, 4>(3);
  tensor<double, shape<1, 70>> mask;
  for (int j = 0; j < 70; ++j) mask(0, j) = j >= 33 && j < 38 ? 1 : -1;
  auto const [dq, dk, dv] = esp::grad<0, 1, 2>(total)(q, k, v, mask, dy);
  auto const value = [&](auto const& a, auto const& b, auto const& c) {
    return static_cast<double>(tensor<double, shape<>>{total(a, b, c, mask, dy)}[0]);
  };
  auto const differs = [&](auto const& x, auto const& dx, auto const& of) {
    double worst = 0;
    for (std::int64_t i = 0; i < x.size(); ++i) {
      auto more = x, less = x;
      more[i] += 1e-5;
      less[i] -= 1e-5;
      worst = std::fmax(worst, std::fabs((of(more) - of(less)) / 2e-5 - dx[i]));
    }
    return worst;
  };
  BOOST_TEST(differs(q, dq, [&](auto const& x) { return value(x, k, v); }) < 1e-8);
  BOOST_TEST(differs(k, dk, [&](auto const& x) { return value(q, x, v); }) < 1e-8);
  BOOST_TEST(differs(v, dv, [&](auto const& x) { return value(q, k, x); }) < 1e-8);
  BOOST_TEST(dk(0, 0, 0, 0) == 0);
}
