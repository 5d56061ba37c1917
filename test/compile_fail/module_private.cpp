// SPDX-License-Identifier: BSL-1.0
// expect: ESPALIER_MODULE is in the private part of the net; write `struct` instead of `class`, or `public:` before the members
// expect-early: net_is_public<Net>
// expect-26: or `public:` before the members; got Net
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
class Net {
#else
struct Net {
#endif
  nn::Linear<8, 3> fc;
  ESPALIER_MODULE(Net, fc)

 public:
  constexpr auto forward(auto x) const { return fc(x); }
};
esp::model<Net> model{esp::seed{0}};
