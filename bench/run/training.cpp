// SPDX-License-Identifier: BSL-1.0
// Training steps: multi-layer perceptrons, and residual nets with either norm, without dropout so that every
// implementation does the same.
#include "training.hpp"

#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/sgd.hpp>

#include <algorithm>
#include <memory>

#include "harness.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

using namespace bench;
using small_net = nn::Sequential<nn::Linear<image, small_hidden>, nn::ReLU, nn::Linear<small_hidden, classes>>;
using large_net = nn::Sequential<nn::Linear<image, large_hidden>, nn::ReLU, nn::Linear<large_hidden, large_hidden>,
                                 nn::ReLU, nn::Linear<large_hidden, classes>>;
template <class Norm>
using residual_net = nn::MLPResNet<image, residual_hidden, residual_blocks, classes, Norm, 0.0>;

/// Where a parameter starts: matrices as a trained net's, norms' weights near 1.
std::vector<input> with_parameters(std::vector<input> in, auto& model) {
  model.for_each_parameter([&](char const* name, esp::extents const& s, esp::span<float> elements) {
    bool const gain = s.rank == 1 && std::string(name).ends_with("weight");
    float const range = s.rank == 2 && s.at[0] > 1 ? 2.f / static_cast<float>(s.at[0] > 200 ? 28 : 10) : 0.1f;
    in.push_back({static_cast<std::size_t>(elements.size()), gain ? 0.8f : -range, gain ? 1.2f : range});
  });
  return in;
}

template <class Net, int Batch, int Hidden>
struct training_row {
  struct state {
    esp::model<Net> model{esp::seed{0}};
    esp::trainer<esp::model<Net>, nn::SoftmaxLoss, esp::optim::SGD<>, esp::batch<Batch, image>> trainer{
        model, nn::SoftmaxLoss{}, esp::optim::SGD{.learning_rate = learning_rate}, esp::batch<Batch, image>{}};
    float loss = 0;
  };
  static work prepare(operands o) {
    auto s = std::make_shared<state>();
    int number = 2;
    s->model.for_each_parameter([&](char const*, esp::extents const&, esp::span<float> p) {
      std::copy_n(o.in[number++], p.size(), p.begin());
    });
    esp::view<float const, esp::shape<Batch, image>> const x(o.in[0]);
    esp::view<std::int32_t const, esp::shape<Batch>> const labels(o.labels(1));
    return {repeated([=] { s->loss = s->trainer.step(x, labels); }), [=] {
              *o.out[0] = s->loss;
              int which = 0;
              s->model.for_each_parameter([&](char const*, esp::extents const&, esp::span<float> p) {
                if (which++ == 0) std::copy_n(p.begin(), p.size(), o.out[1]);
                if (p.size() == classes) std::copy_n(p.begin(), p.size(), o.out[2]);
              });
            }};
  }
  row what;
  implementation own;
  explicit training_row(std::string const& name)
      : what{name,
             with_parameters({{std::size_t{Batch} * image}, {Batch, 0, 0, classes}}, std::make_unique<state>()->model),
             {{1, 1e-5}, {std::size_t{image} * Hidden}, {classes}},
             // Images and parameters are read, parameters written.
             4. * Batch * image + 8. * static_cast<double>(esp::model<Net>::parameter_count),
             static_cast<double>(
                 esp::training_plan<Net, nn::SoftmaxLoss, esp::optim::SGD<>, esp::batch<Batch, image>>.flops)},
        own{name, "espalier", prepare} {}
};

training_row<small_net, small_batch, small_hidden> const small_row{"train_mlp/784-128-10"};
training_row<large_net, large_batch, large_hidden> const large_row{"train_mlp/784-512-512-10"};
training_row<residual_net<nn::use_batch_norm>, residual_batch, residual_hidden> const batch_norm_row{
    "train_mlp_resnet/batch_norm"};
training_row<residual_net<nn::use_layer_norm>, residual_batch, residual_hidden> const layer_norm_row{
    "train_mlp_resnet/layer_norm"};

}  // namespace
