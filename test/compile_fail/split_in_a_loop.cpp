// SPDX-License-Identifier: BSL-1.0
// expect: the parts of split are a std::tuple, so a loop cannot iterate over them; write auto \[a, b\] = split<1>\(x\), or std::apply
// lines: 12
// PyTorch iterates over the parts. What the loop computes of them is no mistake of its own.
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Recurrent {
  nn::Linear<8, 3> input;
  nn::Linear<3, 3> state;
  ESPALIER_MODULE(Recurrent, input, state)
  constexpr auto forward(auto x) const {
    auto h = input(mean<1>(x));
#ifdef SHOULD_FAIL
    for (auto part : esp::split<1>(x)) h = tanh(input(part) + state(h));
#else
    std::apply([&](auto... part) { ((h = tanh(input(part) + state(h))), ...); }, esp::split<1>(x));
#endif
    return h;
  }
};

// Asked for directly, so that the message need not say how model(x) came to it.
static_assert(sizeof(Recurrent{}.forward(esp::traced<esp::shape<4, 5, 8>>{})) > 0);

auto f(esp::model<Recurrent> const& model, esp::tensor<float, esp::shape<4, 5, 8>> const& x) { return model(x); }
