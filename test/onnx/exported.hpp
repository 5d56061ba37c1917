// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier.hpp>
#include <espalier/io/onnx.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace esp = espalier;
namespace nn = espalier::nn;

/// What the programs of this folder share: nets with numbers everywhere, written as ONNX files beside an input and the
/// library's output.
namespace test {

inline std::string folder;

/// The same numbers everywhere: a multiplicative generator's, in [low, high).
class numbers {
 public:
  double next(double low, double high) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * static_cast<double>(state_ >> 40) / 16777216.0;
  }

 private:
  std::uint64_t state_ = 42;
};

inline std::string path_of(std::string const& name, char const* ending) { return folder + "/" + name + ending; }
inline void write_bytes(std::string const& path, void const* data, std::size_t size) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0) std::exit(2);
}

/// What a net has learned, and how far its input reaches.
struct ranges {
  double low = -1.5, high = 1.5;
  bool whole = false;
  bool keeps_parameters = false;
};

/// Biases, statistics and all that begin with one number for each get different ones; variances stay positive.
template <class Model>
void learn(Model& model, numbers& random) {
  auto const each = [&](char const* name, esp::extents const&, auto span) {
    bool const variance = std::string{name}.find("running_var") != std::string::npos;
    bool const same = span.size() < 2 || span[0] == span[1];
    for (auto& number : span)
      if (same || variance)
        number = static_cast<typename Model::value_type>(variance ? random.next(0.5, 2) : random.next(-1, 1));
  };
  model.for_each_parameter(each);
  model.for_each_buffer(each);
}

/// The net's outputs by its program's meaning, node by node: what kernels are held to elsewhere, and much less to
/// compile. y: one for each result.
template <class Net, class Batch, class Model, class... X>
void interpreted(Model& model, std::vector<typename Model::value_type*> const& y, X const&... x) {
  using T = typename Model::value_type;
  std::unique_ptr<esp::graph::program> const p{
      new esp::graph::program(esp::detail::evaluation_program<Net, Batch>::build())};
  std::vector<T const*> parameters, buffers;
  model.for_each_parameter([&](char const*, esp::extents const&, auto span) { parameters.push_back(span.data()); });
  model.for_each_buffer([&](char const*, esp::extents const&, auto span) { buffers.push_back(span.data()); });
  T const* arguments[sizeof...(X)]{};
  std::int32_t const* integers[sizeof...(X)]{};
  auto take = [&, i = 0](auto const& one) mutable {
    if constexpr (std::is_same_v<esp::element_of<std::remove_cvref_t<decltype(one)>>, T>) arguments[i] = one.data();
    else integers[i] = one.data();
    ++i;
  };
  (take(x), ...);
  std::vector<int> results;
  for (std::size_t i = 0; i < y.size(); ++i) results.push_back(p->outputs[i].id);
  esp::tracing::interpreter<T> run{p->nodes, results.data(), static_cast<int>(results.size())};
  run.run(
      esp::tracing::leaf_values<T>{arguments, integers, nullptr, parameters.data(), buffers.data(), nullptr, nullptr});
  for (std::size_t k = 0; k < y.size(); ++k)
    for (std::int64_t i = 0; i < p->nodes[results[k]].shape.size(); ++i) y[k][i] = run.value(results[k])[i];
}

enum class by { kernels, interpreter };

/// Writes NAME.onnx, and NAME_23.onnx in operator set 23.
template <class Exported, class Model>
void write_files(char const* name, Model const& model) {
  esp::io::write_onnx<Exported>(path_of(name, ".onnx").c_str(), model);
  esp::io::write_onnx<Exported>(path_of(name, "_23.onnx").c_str(), model, {.operator_set = 23});
}

/// Writes NAME.onnx, NAME_23.onnx, NAME.x and NAME.y. nodes: operations that must be there as often as told ("Conv 2");
/// "23:Attention 1" is for operator set 23 only.
/// Exported: the batch as it is exported, where that is not Batch.
template <class Net, class Batch, by By = by::kernels, class Exported = Batch, class T = float>
void put(char const* name, char const* nodes = "", ranges const& range = {}) {
  auto const model = std::make_unique<esp::model<Net, esp::cpu, T>>(esp::seed{3});
  numbers random;
  if (!range.keeps_parameters) learn(*model, random);
  using Input = esp::detail::stored_input<Net, T>;
  auto const x = std::make_unique<esp::tensor<Input, Batch>>();
  for (Input& number : x->span()) {
    double const random_values = random.next(range.low, range.high);
    number = static_cast<Input>(range.whole ? static_cast<double>(static_cast<int>(random_values)) : random_values);
  }
  auto const y = std::make_unique<esp::tensor<T, std::remove_const_t<decltype(esp::output_shape<Net, Batch>)>>>();
  if constexpr (By == by::kernels) esp::predictor{*model, Batch{}}(*x, *y);
  else interpreted<Net, Batch>(*model, {y->data()}, *x);
  write_files<Exported>(name, *model);
  write_bytes(path_of(name, ".x"), x->data(), static_cast<std::size_t>(x->span().size()) * sizeof(Input));
  write_bytes(path_of(name, ".y"), y->data(), static_cast<std::size_t>(y->span().size()) * sizeof(T));
  write_bytes(path_of(name, ".nodes"), nodes, std::string{nodes}.size());
}

/// The same for a net of several inputs or results of shapes X and Y: NAME.x0, NAME.x1, ..., NAME.y0, ... Exported: as
/// of put. Indices are below 4.
template <class Net, class Exported, class T, by By, class... X, class... Y, int... I, int... K>
void put_several(char const* name, char const* nodes, esp::shapes<X...>, esp::shapes<Y...>,
                 std::integer_sequence<int, I...>, std::integer_sequence<int, K...>) {
  esp::model<Net, esp::cpu, T> model{esp::seed{3}};
  numbers random;
  learn(model, random);
  std::tuple<esp::tensor<esp::detail::stored_input<Net, T, I>, X>...> inputs;
  std::tuple<esp::tensor<T, Y>...> outputs;
  auto const fill = [&](auto& x) {
    using Input = esp::element_of<std::remove_reference_t<decltype(x)>>;
    for (Input& number : x.span())
      number = std::is_same_v<Input, T> ? static_cast<Input>(random.next(-1.5, 1.5))
                                        : static_cast<Input>(static_cast<int>(random.next(0, 4)));
  };
  (fill(std::get<I>(inputs)), ...);
  if constexpr (By == by::kernels) {
    esp::predictor predict{model, X{}...};
    predict(std::get<I>(inputs)..., std::get<K>(outputs)...);
  } else {
    interpreted<Net, esp::shapes<X...>>(model, {std::get<K>(outputs).data()...}, std::get<I>(inputs)...);
  }
  write_files<Exported>(name, model);
  auto const keep = [&](char const* base, int i, int count, auto const& x) {
    std::string const ending = base + (count == 1 ? std::string{} : std::to_string(i));
    write_bytes(path_of(name, ending.c_str()), x.data(),
                static_cast<std::size_t>(x.span().size()) * sizeof(x.data()[0]));
  };
  (keep(".x", I, sizeof...(I), std::get<I>(inputs)), ...);
  (keep(".y", K, sizeof...(K), std::get<K>(outputs)), ...);
  write_bytes(path_of(name, ".nodes"), nodes, std::string{nodes}.size());
}
template <class Net, class Inputs, class Exported = Inputs, class T = float, by By = by::kernels>
void put_several(char const* name, char const* nodes = "") {
  using Results = typename esp::detail::result_shapes<esp::detail::results_of_net<Net, Inputs>>::type;
  using Listed = esp::detail::listed_shapes<Inputs>;
  put_several<Net, Exported, T, By>(name, nodes, Listed{}, Results{}, std::make_integer_sequence<int, Listed::count>{},
                                    std::make_integer_sequence<int, Results::count>{});
}

}  // namespace test

/// The program writes to the folder that it is given.
#define ESPALIER_EXPORTED_MAIN(...) \
  int main(int argc, char** argv) { \
    if (argc != 2) return 2;        \
    test::folder = argv[1];         \
    __VA_ARGS__                     \
    return 0;                       \
  }
