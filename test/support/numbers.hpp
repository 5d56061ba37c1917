// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <vector>

#include <espalier/storage/all_close.hpp>
#include <espalier/storage/print.hpp>
#include <espalier/storage/tensor.hpp>

/// Tensors to test with, and a comparison that says where two of them differ.
namespace test {

namespace esp = espalier;

/// Numbers in [low, high), the same for the same seed on every platform.
template <class T>
void draw_numbers(T* x, std::int64_t size, std::uint64_t seed, double low, double high) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 0x1234567u;
  for (std::int64_t i = 0; i < size; ++i) {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    x[i] = static_cast<T>(low + (high - low) * static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53);
  }
}
template <class T, class S>
esp::tensor<T, S> numbers(std::uint64_t seed, double low = -1, double high = 1) {
  esp::tensor<T, S> x;
  draw_numbers(x.data(), x.size(), seed, low, high);
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

/// A tensor whose shape is a value: compilers have no type to make for each shape.
template <class T>
struct shaped_values {
  using value_type = T;
  esp::extents shape;
  std::vector<T> elements;

  explicit shaped_values(esp::extents const& s) : shape{s}, elements(static_cast<std::size_t>(s.size())) {}
  T* data() { return elements.data(); }
  T const* data() const { return elements.data(); }
  std::int64_t size() const { return static_cast<std::int64_t>(elements.size()); }
  T& operator[](std::int64_t i) { return elements[static_cast<std::size_t>(i)]; }
  T const& operator[](std::int64_t i) const { return elements[static_cast<std::size_t>(i)]; }
  T const& operator()(std::same_as<int> auto... at) const {
    std::int64_t i = 0;
    int axis = 0;
    ((i = i * shape.at[axis++] + at), ...);
    return (*this)[i];
  }
  auto begin() const { return elements.begin(); }
  auto end() const { return elements.end(); }
  friend bool operator==(shaped_values const&, shaped_values const&) = default;
  template <esp::Stored X>
  friend bool operator==(shaped_values const& a, X const& b) {
    return a.shape == X::shape_type::value && std::equal(a.begin(), a.end(), b.data());
  }
};
template <class X>
esp::extents extents_of(X const& x) {
  if constexpr (requires { X::shape_type::value; }) return X::shape_type::value;
  else return x.shape;
}

/// Where numbers differ by more than tolerance times the largest expected one (at least 1): empty if nowhere.
/// Infinities and nan must stand at the same places.
template <class A, class B>
std::string difference_of(A const* got, B const* expected, esp::extents const& shape, double allowed) {
  std::int64_t const size = shape.size();
  double largest = 1;
  for (std::int64_t i = 0; i < size; ++i) {
    double const w = std::fabs(static_cast<double>(expected[i]));
    if (std::isfinite(w) && w > largest) largest = w;
  }
  std::int64_t wrong = 0, first = -1;
  for (std::int64_t i = 0; i < size; ++i) {
    double const g = static_cast<double>(got[i]), w = static_cast<double>(expected[i]);
    bool const same = std::isnan(w) ? std::isnan(g) : g == w || std::fabs(g - w) <= allowed * largest;
    if (same) continue;
    if (first < 0) first = i;
    ++wrong;
  }
  if (wrong == 0) return {};
  std::ostringstream text;
  text.precision(17);
  esp::extents const at = esp::coordinates(shape, first);
  text << wrong << " of " << size << " elements of " << shape << " differ, the first at [";
  for (int i = 0; i < at.rank; ++i) text << (i ? "," : "") << at.at[i];
  text << "]: " << static_cast<double>(got[first]) << ", expected " << static_cast<double>(expected[first]);
  return text.str();
}
template <class A, class B>
std::string difference(A const& got, B const& expected, double allowed) {
  if constexpr (requires {
                  typename A::shape_type;
                  typename B::shape_type;
                })
    static_assert(std::is_same_v<typename A::shape_type, typename B::shape_type>);
  else if (extents_of(got) != extents_of(expected)) return "the shapes differ";
  return difference_of(got.data(), expected.data(), extents_of(got), allowed);
}

/// Checks that two tensors agree.
template <class A, class B>
void check_close(char const* what, A const& got, B const& expected,
                 double allowed = tolerance<typename A::value_type>) {
  std::string const text = difference(got, expected, allowed);
  BOOST_CHECK_MESSAGE(text.empty(), what << ": " << text);
}

}  // namespace test
