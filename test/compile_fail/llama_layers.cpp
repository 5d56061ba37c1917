// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: cache_for_each_layer<1, 1, 2>
// expect-26: got 1 caches of keys and 1 of values for 2 layers
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Llama<16, 8, 2, 2, 2, 12>;

struct Step {
  Net net{};
  ESPALIER_MODULE(Step, net)
  using input_element = std::tuple<std::int32_t, std::int32_t, float>;
  constexpr auto forward(auto word, auto position, auto cache) const {
#ifdef SHOULD_FAIL
    return net(word, position, std::tuple{cache}, std::tuple{cache});
#else
    return std::get<0>(net(word, position, std::tuple{cache, cache}, std::tuple{cache, cache}));
#endif
  }
};
[[maybe_unused]] constexpr auto y =
    esp::output_shape<Step, esp::shapes<esp::shape<1, 1>, esp::shape<1>, Net::cache_shape<9>>>;
