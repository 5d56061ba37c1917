// SPDX-License-Identifier: BSL-1.0
#pragma once
/// A training step of MLPResNet as a row: images on the device, labels on the host, the loss waited for.
#include <espalier.hpp>
#include <espalier/data/prefetcher.hpp>

#include "cuda.hpp"

namespace bench {

/// While it exists, launches overlap and the algorithms of products are measured.
struct tuned {
  esp::on_cuda::cuda_backend& backend = esp::on_cuda::default_backend<esp::cuda>();
  tuned() {
    backend.set_overlapping_launches(true);
    backend.set_algorithms(esp::on_cuda::product_algorithms::measured);
  }
  tuned(tuned const&) = delete;
  ~tuned() {
    backend.set_overlapping_launches(false);
    backend.set_algorithms(esp::on_cuda::product_algorithms::heuristic);
  }
};

template <int In, int Hidden, int Blocks, int Batch>
void add_step(measurements& to) {
  using Net = esp::nn::Sequential<esp::nn::Flatten, esp::nn::MLPResNet<In, Hidden, Blocks, 10>>;
  using Images = esp::batch<Batch, In>;
  using Step = esp::detail::training_program<Net, esp::nn::SoftmaxLoss, Images>;
  using Model = esp::model<Net, esp::cuda>;
  using Trainer = esp::trainer<Model, esp::nn::SoftmaxLoss, esp::optim::Adam, Images>;
  struct state {
    Model model{esp::seed{0}};
    Trainer trainer{model, esp::nn::SoftmaxLoss{}, esp::optim::Adam{.learning_rate = 1e-3, .weight_decay = 1e-3},
                    Images{}};
    esp::tensor<float, esp::shape<Batch, In>, esp::cuda> images;
    esp::tensor<std::int32_t, esp::shape<Batch>> labels;
    static auto some_images() {
      esp::tensor<float, esp::shape<Batch, In>> x;
      std::uint32_t bits = 1;
      for (int i = 0; i < Batch * In; ++i)
        x.data()[i] = static_cast<float>((bits = bits * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1.f;
      return x;
    }
    state() : images(some_images()) {
      for (int i = 0; i < Batch; ++i) labels.data()[i] = i * 7 % 10;
    }
  };
  amounts counted = detail::count<Step>();
  counted += detail::count<esp::detail::update_program<esp::optim::Adam, static_cast<int>(Model::parameter_count)>>();
  std::string const shape = std::to_string(In) + "-" + std::to_string(Hidden) + "x" + std::to_string(Blocks) +
                            ", batch " + std::to_string(Batch);
  to.push_back({"train_mlp_resnet", shape, counted,
                [](esp::on_cuda::cuda_backend&) -> std::function<void()> {
                  auto const s = std::make_shared<state>();
                  return [s] { (void)s->trainer.step(s->images, s->labels); };
                },
                true});
  // The same step with what is off by default.
  struct tuned_state : tuned, state {};
  to.push_back({"train_mlp_resnet_tuned", shape, std::move(counted),
                [](esp::on_cuda::cuda_backend&) -> std::function<void()> {
                  auto const s = std::make_shared<tuned_state>();
                  return [s] { (void)s->trainer.step(s->images, s->labels); };
                },
                true});
}

/// Samples for an epoch of 16 steps, and what trains on them.
template <int In, int Hidden, int Blocks, int Batch>
class epoch_state {
  using Net = esp::nn::Sequential<esp::nn::Flatten, esp::nn::MLPResNet<In, Hidden, Blocks, 10>>;
  using Images = esp::batch<Batch, In>;
  using Model = esp::model<Net, esp::cuda>;
  using Trainer = esp::trainer<Model, esp::nn::SoftmaxLoss, esp::optim::Adam, Images>;
  static constexpr std::size_t count = std::size_t{16} * Batch;

 public:
  auto loader() const {
    return esp::data::loader{esp::data::samples<float, esp::shape<In>>{images_, labels_}, Images{},
                             esp::data::shuffled{1}, esp::data::drop_last};
  }
  /// Queues an epoch, and waits for the device.
  template <class Batches>
  void train(Batches& batches) {
    for (auto const& [images, labels] : batches.epoch(epoch_++)) trainer_.step(images, labels, esp::queued{});
    model_.engine().backend().synchronize();
  }

 private:
  std::vector<float> images_ = std::vector<float>(count * In, 0.5f);
  std::vector<std::int32_t> labels_ = std::vector<std::int32_t>(count, 1);
  Model model_{esp::seed{0}};
  Trainer trainer_{model_, esp::nn::SoftmaxLoss{}, esp::optim::Adam{.learning_rate = 1e-3, .weight_decay = 1e-3},
                   Images{}};
  int epoch_ = 0;
};

/// An epoch on batches of a loader on the host. Ahead: a prefetcher prepares them; otherwise the loader, the copy and
/// the kernels of a step take turns.
template <int In, int Hidden, int Blocks, int Batch, bool Ahead>
void add_epoch(measurements& to) {
  using state = epoch_state<In, Hidden, Blocks, Batch>;
  std::string const shape = std::to_string(In) + "-" + std::to_string(Hidden) + "x" + std::to_string(Blocks) +
                            ", batch " + std::to_string(Batch);
  to.push_back({Ahead ? "epoch_prefetched" : "epoch_from_host",
                shape,
                {},
                [](esp::on_cuda::cuda_backend&) -> std::function<void()> {
                  using loader = decltype(std::declval<state const&>().loader());
                  using source = std::conditional_t<Ahead, esp::data::prefetcher<loader, esp::cuda>, loader>;
                  auto const s = std::make_shared<state>();
                  auto const batches = std::make_shared<source>(s->loader());
                  return [s, batches] { s->train(*batches); };
                },
                true});
}

}  // namespace bench
