// SPDX-License-Identifier: BSL-1.0
// Elementary functions of 4096 numbers in the nearest cache, beside xsimd's.
#include <espalier/device/cpu/vector/simd.hpp>

#include <xsimd/xsimd.hpp>

#include "harness.hpp"

namespace {

constexpr std::size_t count = 4096;
using ours = espalier::on_cpu::pack<float>;
using theirs = xsimd::batch<float>;

template <class F>
struct beside_xsimd {
  bench::row row;
  bench::implementation own, peer;
  beside_xsimd(std::string const& name, float low, float high)
      : row{name, {{count, low, high}}, {{count, 1e-5}}, 8. * count, 0},
        own{name, "espalier",
            [](bench::operands o) {
              return bench::work{bench::repeated([in = o.in[0], out = o.out[0]] {
                for (std::size_t i = 0; i < count; i += static_cast<std::size_t>(ours::size))
                  F::espalier(ours::load(in + i)).store(out + i);
              })};
            }},
        peer{name, "xsimd", [](bench::operands o) {
               return bench::work{bench::repeated([in = o.in[0], out = o.out[0]] {
                 for (std::size_t i = 0; i < count; i += theirs::size)
                   F::xsimd(theirs::load_unaligned(in + i)).store_unaligned(out + i);
               })};
             }} {}
};

struct exponential {
  static auto espalier(ours x) { return exp(x); }
  static auto xsimd(theirs x) { return ::xsimd::exp(x); }
};
struct logarithm {
  static auto espalier(ours x) { return log(x); }
  static auto xsimd(theirs x) { return ::xsimd::log(x); }
};
struct hyperbolic_tangent {
  static auto espalier(ours x) { return tanh(x); }
  static auto xsimd(theirs x) { return ::xsimd::tanh(x); }
};
struct logistic {
  static auto espalier(ours x) { return sigmoid(x); }
  static auto xsimd(theirs x) { return theirs(1.0f) / (theirs(1.0f) + ::xsimd::exp(-x)); }
};
struct error_function {
  static auto espalier(ours x) { return erf(x); }
  static auto xsimd(theirs x) { return ::xsimd::erf(x); }
};

beside_xsimd<exponential> const exp_row{"exp/4096", -10, 10};
beside_xsimd<logarithm> const log_row{"log/4096", 0.01f, 100};
beside_xsimd<hyperbolic_tangent> const tanh_row{"tanh/4096", -6, 6};
beside_xsimd<logistic> const sigmoid_row{"sigmoid/4096", -10, 10};
beside_xsimd<error_function> const erf_row{"erf/4096", -4, 4};

}  // namespace
