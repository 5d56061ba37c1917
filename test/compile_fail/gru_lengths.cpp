// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect-early: state_or_count<espalier::shape<1, 2, 5>, espalier::shape<2> ?>
// expect-26: or a count \(\) or \(1\) for all samples, got \(2\); lengths of samples are masks in a scan
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::GRU<3, 5>>;

#ifdef SHOULD_FAIL
auto f(Model const& model, esp::tensor<float, esp::shape<6, 2, 3>> const& x,
       esp::tensor<std::int32_t, esp::shape<2>> const& lengths) {
  return model(x, lengths);
}
#else
inline constexpr auto outputs = [](auto net, auto x, auto count) { return std::get<0>(evaluate(net, x, count)); };
void f(Model const& model, esp::tensor<float, esp::shape<6, 2, 3>> const& x,
       esp::tensor<std::int32_t, esp::shape<1>> const& count) {
  esp::compiled run{outputs, model, x, count};
}
#endif
