// SPDX-License-Identifier: BSL-1.0
// An op that the library does not have, said in twenty lines: say that there were no softplus. Kernels, gradients of
// any order and proofs follow from them.
//   own_op [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>
#include <espalier/eager/gradient_agrees.hpp>

#include "support/recorded.hpp"

// [softplus]
namespace own {
struct softplus_ {};

/// softplus(x) = log(1 + exp(x)) of every element, without overflow.
/// shape   S -> S
/// saves   x
/// gradient  dx = dy sigmoid(x)
template <espalier::Operand X>
constexpr espalier::applied<softplus_, X> softplus(X&& x) {
  return espalier::apply<softplus_>(static_cast<X&&>(x));
}
}  // namespace own

template <>
struct espalier::rule<own::softplus_> : espalier::elementwise {
  static constexpr char const* name = "softplus";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::maximum(x, T(0)) + math::log(T(1) + math::exp(-math::abs(x)));
  }
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return dy * sigmoid(x);
  }
};
// [/softplus]

namespace esp = espalier;
// [use]
using four = esp::tensor<double, esp::shape<4>>;
inline constexpr auto total = [](auto x) { return sum(own::softplus(x)); };
inline constexpr auto gradient = [](auto x) { return sum(esp::grad(total)(x)); };

// Values, gradients and second-order gradients, computed by the compiler: log 2, 1/2 and 1/4 at 0; x, 1 and 0 far to
// the right.
constexpr four points{0, 1, 40, -40};
static_assert(all_close(four{own::softplus(points)}, four{0.6931471805599453, 1.3132616875182228, 40, 0}, 1e-14,
                        1e-15));
static_assert(all_close(esp::grad(total)(points), four{0.5, 0.7310585786300049, 1, 0}, 1e-14, 1e-15));
static_assert(all_close(esp::grad(gradient)(points), four{0.25, 0.19661193324148185, 0, 0}, 1e-14, 1e-15));
static_assert(esp::gradient_agrees(total)(points) && esp::gradient_agrees(gradient)(points));  // against differences
// [/use]

int main(int count, char** words) {
  // The same by the kernels that run: whole registers and a rest.
  esp::tensor<float, esp::shape<19>> x;
  for (int i = 0; i < 19; ++i) x[i] = 0.5f * static_cast<float>(i) - 4.5f;
  esp::tensor<float, esp::shape<19>> const y = own::softplus(x), dy = esp::grad(total)(x), ddy = esp::grad(gradient)(x);
  examples::recorded out;
  for (int i = 0; i < 19; i += 3)
    out.print("softplus(%4.1f) = %.4f, derivative %.4f, second derivative %.4f\n", static_cast<double>(x[i]),
              static_cast<double>(y[i]), static_cast<double>(dy[i]), static_cast<double>(ddy[i]));
  return out.finish(count, words);
}
