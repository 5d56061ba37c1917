// SPDX-License-Identifier: BSL-1.0
// A residual network of -DBLOCKS=n equal blocks, forward, backward and Adam: what depth costs the compiler.
#include <espalier.hpp>
#include <utility>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifndef BLOCKS
#define BLOCKS 4
#endif

using Block = nn::Sequential<nn::Residual<nn::Sequential<nn::Linear<64, 64>, nn::LayerNorm1d<64>, nn::ReLU,
                                                         nn::Dropout<0.1>, nn::Linear<64, 64>, nn::LayerNorm1d<64>>>,
                             nn::ReLU>;

template <std::size_t>
struct nth {
  using type = Block;
};
template <class>
struct deep;
template <std::size_t... Place>
struct deep<std::index_sequence<Place...>> {
  using type =
      nn::Sequential<nn::Flatten, nn::Linear<64, 64>, nn::ReLU, typename nth<Place>::type..., nn::Linear<64, 10>>;
};
using Net = deep<std::make_index_sequence<BLOCKS>>::type;

int main() {
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3f}, esp::batch<32, 8, 8>{}};
  esp::tensor<float, esp::shape<32, 8, 8>> images{};
  esp::tensor<std::int32_t, esp::shape<32>> labels{};
  float loss = 0;
  for (int step = 0; step < 10; ++step) loss = trainer.step(images, labels);
  return loss < 3 ? 0 : 1;
}
