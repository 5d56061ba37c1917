// SPDX-License-Identifier: BSL-1.0
#pragma once
/// espalier's side of a row that is a whole net.
#include <espalier/io/onnx.hpp>
#include <espalier/io/safetensors.hpp>
#include <espalier/model/frozen.hpp>
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/sgd.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <type_traits>

#include "harness.hpp"
#include "nets.hpp"

namespace bench {

/// A folder for the files of nets, which is removed when the program ends.
class net_folder {
 public:
  net_folder() {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no folder for the files of nets");
  }
  net_folder(net_folder const&) = delete;
  ~net_folder() { std::filesystem::remove_all(path_); }
  std::string file() const { return path_ + "/net"; }

 private:
  std::string path_ = "/tmp/espalier_bench_net_XXXXXX";
};
inline std::string file_of_net() {
  static net_folder const folder;
  return folder.file();
}

/// Norms' gains and statistics differ from 1 and 0, so that a result shows where they are left out.
template <class Model>
std::shared_ptr<Model> initial_model() {
  auto const model = std::make_shared<Model>(espalier::seed{0});
  unsigned number = 1;
  auto const vary = [&](espalier::span<float> elements, float low) {
    for (float& each : elements) {
      number = number * 1664525u + 1013904223u;
      each = low + static_cast<float>(number >> 8) * 0x1p-24f;  // low to low + 1
    }
  };
  model->for_each_parameter([&](char const* name, espalier::extents const&, espalier::span<float> elements) {
    if (std::string_view(name).ends_with("norm.weight")) vary(elements, 0.5f);
  });
  model->for_each_buffer([&](char const* name, espalier::extents const&, espalier::span<float> elements) {
    vary(elements, std::string_view(name).ends_with("running_var") ? 0.5f : -0.5f);
  });
  return model;
}

/// Writes the files that implementations in Python read.
template <class Batch, class Model>
void write_net(Model& model) {
  std::string const path = file_of_net();
  espalier::io::save_safetensors(path + ".safetensors", model);
  if constexpr (!std::is_void_v<Batch>) espalier::io::write_onnx<Batch>(path + ".onnx", model);
  setenv("ESPALIER_BENCH_NET", path.c_str(), 1);
}

template <class Net, class Batch>
struct net_forward {
  using model = espalier::model<Net>;
  using frozen = espalier::frozen<model, Batch>;
  using scores = typename frozen::output_shape;
  static work prepare(operands o) {
    auto const start = initial_model<model>();
    write_net<Batch>(*start);
    auto const run = std::make_shared<frozen>(*start, Batch{});
    espalier::view<float const, Batch> const x(o.in[0]);
    espalier::view<float, scores> const y(o.out[0]);
    auto const step = [=] { (*run)(x, y); };
    return {repeated(step), {}, seconds_in_blocks(step)};
  }
  row what;
  implementation own;
  explicit net_forward(std::string const& name)
      : what{name, {{Batch::size}}, {{scores::size}}, 0, 0}, own{name, "espalier", prepare} {}
};

template <class Net, class Loss, class Batch, class Device = espalier::cpu>
struct net_step {
  using model = espalier::model<Net, Device>;
  using optimizer = espalier::optim::SGD<espalier::optim::heavy_ball>;
  using scores = std::remove_cvref_t<decltype(espalier::output_shape<Net, Batch>)>;
  static constexpr bool has_labels = std::is_same_v<Loss, espalier::nn::SoftmaxLoss>;
  using target_view =
      std::conditional_t<has_labels, espalier::view<std::int32_t const, espalier::shape<Batch::template extent<0>()>>,
                         espalier::view<float const, scores>>;
  struct state {
    explicit state(double learning_rate)
        : net{initial_model<model>()},
          trainer{*net, Loss{}, optimizer{.learning_rate = learning_rate, .momentum = {net_momentum}}, Batch{}} {}
    std::shared_ptr<model> net;
    espalier::trainer<model, Loss, optimizer, Batch> trainer;
  };
  static target_view targets(operands o) {
    if constexpr (has_labels) return target_view(o.labels(1));
    else return target_view(o.in[1]);
  }
  /// Calls f(parameter, result, offset in the result). A bias belongs to the result of the weight before it: a bias
  /// before a norm has a gradient of rounding errors only.
  static void for_each_result(model const& net, auto&& f) {
    int result = 0;
    std::size_t offset = 0;
    net.for_each_parameter([&](char const* name, espalier::extents const&, espalier::span<float const> p) {
      if (!std::string_view(name).ends_with("bias")) ++result, offset = 0;
      f(p, result, offset);
      offset += static_cast<std::size_t>(p.size());
    });
  }
  /// What a first step does: see nets.hpp.
  static void collect(operands o) {
    state s{1};
    for_each_result(*s.net, [&](espalier::span<float const> p, int result, std::size_t offset) {
      std::copy_n(p.begin(), p.size(), o.out[result] + offset);
    });
    *o.out[0] = s.trainer.step(espalier::view<float const, Batch>(o.in[0]), targets(o));
    for_each_result(*s.net, [&](espalier::span<float const> p, int result, std::size_t offset) {
      float* at = o.out[result] + offset;
      for (float const each : p) *at = *at - each, ++at;
    });
  }
  static work prepare(operands o) {
    auto const s = std::make_shared<state>(net_learning_rate);
    write_net<void>(*s->net);
    espalier::view<float const, Batch> const x(o.in[0]);
    auto const step = [=, t = targets(o)] { s->trainer.step(x, t); };
    return {repeated(step), [=] { collect(o); }, seconds_in_blocks(step)};
  }
  static std::vector<output> outputs(double tolerance = 2e-3) {
    std::vector<output> all{{1, 1e-5}};
    for_each_result(*initial_model<model>(), [&](espalier::span<float const> p, int result, std::size_t offset) {
      if (offset == 0) all.push_back({0, tolerance});
      all[static_cast<std::size_t>(result)].count += static_cast<std::size_t>(p.size());
    });
    return all;
  }
  static std::vector<input> inputs() {
    if constexpr (has_labels) return {{Batch::size}, {Batch::template extent<0>(), 0, 0, scores::template extent<1>()}};
    else return {{Batch::size}, {scores::size}};
  }
};

}  // namespace bench
