// SPDX-License-Identifier: BSL-1.0
// Training steps in libtorch: modules, autograd and its SGD.
#include <torch/torch.h>

#include <memory>

#include "harness.hpp"
#include "torch_side.hpp"
#include "training.hpp"

namespace {

using namespace bench;
using torch::nn::Linear, torch::nn::ReLU, torch::nn::Sequential;

Sequential small_net() { return Sequential(Linear(image, small_hidden), ReLU(), Linear(small_hidden, classes)); }
Sequential large_net() {
  return Sequential(Linear(image, large_hidden), ReLU(), Linear(large_hidden, large_hidden), ReLU(),
                    Linear(large_hidden, classes));
}

struct residual_block : torch::nn::Module {
  explicit residual_block(bool batch_norm) {
    int const half = residual_hidden / 2;
    if (batch_norm)
      fn = Sequential(Linear(residual_hidden, half), torch::nn::BatchNorm1d(half), ReLU(),
                      Linear(half, residual_hidden), torch::nn::BatchNorm1d(residual_hidden));
    else
      fn = Sequential(Linear(residual_hidden, half), torch::nn::LayerNorm(torch::nn::LayerNormOptions({half})), ReLU(),
                      Linear(half, residual_hidden),
                      torch::nn::LayerNorm(torch::nn::LayerNormOptions({residual_hidden})));
    register_module("fn", fn);
  }
  torch::Tensor forward(torch::Tensor x) { return torch::relu(fn->forward(x) + x); }
  Sequential fn;
};
Sequential residual_net(bool batch_norm) {
  Sequential net(Linear(image, residual_hidden), ReLU());
  for (int i = 0; i < residual_blocks; ++i) net->push_back(residual_block(batch_norm));
  net->push_back(Linear(residual_hidden, classes));
  return net;
}

struct state {
  state(Sequential n, operands o, int batch)
      : net{n},
        optimizer{net->parameters(), torch::optim::SGDOptions(learning_rate)},
        x{wrap(o.in[0], {batch, image})},
        labels{torch::from_blob(o.in[1], {batch}, torch::kInt32).to(torch::kInt64)} {
    torch::NoGradGuard const no_gradients;
    int number = 2;
    for (auto& p : net->parameters()) {  // torch has a weight as (out, in)
      if (p.dim() == 2) p.copy_(wrap(o.in[number++], {p.size(1), p.size(0)}).t());
      else p.copy_(wrap(o.in[number++], {p.size(0)}));
    }
  }
  void step() {
    optimizer.zero_grad();
    torch::Tensor const l = torch::nn::functional::cross_entropy(net->forward(x), labels);
    l.backward();
    optimizer.step();
    loss = l;
  }
  Sequential net;
  torch::optim::SGD optimizer;
  torch::Tensor x, labels, loss;
};

work train(Sequential net, operands o, int batch) {
  one_thread();
  auto const s = std::make_shared<state>(net, o, batch);
  return {repeated([=] { s->step(); }), [=] {
            torch::NoGradGuard const no_gradients;
            auto const p = s->net->parameters();
            *o.out[0] = s->loss.item<float>();
            wrap(o.out[1], {p[0].size(1), p[0].size(0)}).copy_(p[0].t());
            wrap(o.out[2], {classes}).copy_(p.back());
          }};
}

implementation const all[] = {
    {"train_mlp/784-128-10", "torch", [](operands o) { return train(small_net(), o, small_batch); }, library},
    {"train_mlp/784-512-512-10", "torch", [](operands o) { return train(large_net(), o, large_batch); }, library},
    {"train_mlp_resnet/batch_norm", "torch", [](operands o) { return train(residual_net(true), o, residual_batch); },
     library},
    {"train_mlp_resnet/layer_norm", "torch", [](operands o) { return train(residual_net(false), o, residual_batch); },
     library},
};

}  // namespace
