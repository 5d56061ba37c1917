// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string>
#include <tuple>
#include <vector>

#include "support/nets.hpp"
#include "support/test_device.hpp"

/// Nets and numbers for tests of models that are stored in 16 bits.
namespace test {

using esp::shape, esp::tensor;
using narrow = std::tuple<esp::half, esp::bfloat16>;

using Perceptron = nn::Sequential<nn::Flatten, nn::Linear<6, 12>, nn::ReLU, nn::Linear<12, 4>>;
struct AsImages {
  ESPALIER_MODULE(AsImages)
  constexpr auto forward(auto x) const { return esp::reshape<-1, 6, 6, 1>(x); }
};
using Convolutional = nn::Sequential<AsImages, nn::Conv<1, 8, 3, nn::conv{.layout = esp::nhwc}>, nn::BatchNorm<8, -1>,
                                     nn::ReLU, nn::Dropout<0.25>, nn::MaxPool2d<2, esp::pooling{.layout = esp::nhwc}>,
                                     nn::Flatten, nn::Linear<72, 5>>;

/// The largest distance of two neighbours, relative to them.
template <class H>
constexpr double spacing = std::is_same_v<H, esp::half> ? 0x1p-10 : 0x1p-7;

template <class H, class S>
tensor<H, S> rounded(tensor<float, S> const& x) {
  return tensor<H, S>{x};
}
/// The numbers that H has next to those of x.
template <class H, class S>
tensor<float, S> representable(tensor<float, S> const& x) {
  return tensor<float, S>{tensor<H, S>{x}};
}
template <class Elements>
std::vector<float> on_host(Elements const& elements) {
  using E = std::remove_const_t<typename Elements::element_type>;
  if constexpr (requires(esp::span<E> to) { elements.to_host(to); }) {
    std::vector<E> r(static_cast<std::size_t>(elements.size()));
    elements.to_host({r.data(), elements.size()});
    return {r.begin(), r.end()};
  } else {
    return {elements.begin(), elements.end()};
  }
}
template <class H, class Elements>
void fill(Elements const& elements, std::vector<float> const& values) {
  std::vector<H> r;
  for (float v : values) r.push_back(static_cast<H>(v));
  elements.from_host({r.data(), elements.size()});
}
/// Equal to `within` of the largest.
inline void check_close(std::vector<float> const& got, std::vector<float> const& expected, double within,
                        char const* what) {
  BOOST_REQUIRE(got.size() == expected.size());
  double largest = 0;
  for (float w : expected) largest = std::fmax(largest, std::fabs(static_cast<double>(w)));
  for (std::size_t i = 0; i < got.size(); ++i) {
    double const a = static_cast<double>(got[i]), b = static_cast<double>(expected[i]);
    if (!(std::fabs(a - b) <= within * largest)) {
      BOOST_ERROR(what << ", " << i << " is " << a << ", expected " << b << ", the largest is " << largest);
      return;
    }
  }
}

}  // namespace test
