// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <sstream>

#include <espalier/storage/all_close.hpp>
#include <espalier/storage/print.hpp>
#include <espalier/storage/tensor.hpp>

/// Tensors to test with, and a comparison that says where two of them differ.
namespace test {

namespace esp = espalier;

/// Numbers in [low, high), the same for the same seed on every platform.
template <class T, class S>
esp::tensor<T, S> numbers(std::uint64_t seed, double low = -1, double high = 1) {
  esp::tensor<T, S> x;
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 0x1234567u;
  for (T& element : x) {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    element = static_cast<T>(low + (high - low) * static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53);
  }
  return x;
}
template <int... E>
esp::tensor<double, esp::shape<E...>> doubles(std::uint64_t seed, double low = -1, double high = 1) {
  return numbers<double, esp::shape<E...>>(seed, low, high);
}
template <int... E>
esp::tensor<float, esp::shape<E...>> floats(std::uint64_t seed, double low = -1, double high = 1) {
  return numbers<float, esp::shape<E...>>(seed, low, high);
}
/// Class labels in 0..classes-1.
template <int... E>
esp::tensor<std::int32_t, esp::shape<E...>> labels(std::uint64_t seed, int classes) {
  esp::tensor<std::int32_t, esp::shape<E...>> x;
  auto const random_values = doubles<E...>(seed, 0, classes);
  for (std::int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>(random_values[i]);
  return x;
}

template <class T>
constexpr double tolerance = std::is_same_v<T, float> ? 2e-5 : 1e-12;

/// Where two tensors differ by more than tolerance times the largest element (at least 1): empty if nowhere. Infinities
/// and nan must stand at the same places.
template <class A, class B>
std::string difference(A const& got, B const& expected, double allowed) {
  double largest = 1;
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    double const w = std::fabs(static_cast<double>(expected.data()[i]));
    if (std::isfinite(w) && w > largest) largest = w;
  }
  std::int64_t wrong = 0, first = -1;
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    double const g = static_cast<double>(got.data()[i]), w = static_cast<double>(expected.data()[i]);
    bool const same = std::isnan(w) ? std::isnan(g) : g == w || std::fabs(g - w) <= allowed * largest;
    if (same) continue;
    if (first < 0) first = i;
    ++wrong;
  }
  if (wrong == 0) return {};
  std::ostringstream text;
  text.precision(17);
  esp::extents const at = esp::coordinates(A::shape_type::value, first);
  text << wrong << " of " << expected.size() << " elements of " << A::shape_type::value << " differ, the first at [";
  for (int i = 0; i < at.rank; ++i) text << (i ? "," : "") << at.at[i];
  text << "]: " << static_cast<double>(got.data()[first]) << ", expected "
       << static_cast<double>(expected.data()[first]);
  return text.str();
}

/// Checks that two tensors agree.
template <class A, class B>
void check_close(char const* what, A const& got, B const& expected,
                 double allowed = tolerance<typename A::value_type>) {
  static_assert(std::is_same_v<typename A::shape_type, typename B::shape_type>);
  std::string const text = difference(got, expected, allowed);
  BOOST_CHECK_MESSAGE(text.empty(), what << ": " << text);
}

}  // namespace test
