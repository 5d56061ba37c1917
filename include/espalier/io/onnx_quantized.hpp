// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cmath>

#include "../base/needs_header.hpp"
#include "../model/quantized.hpp"
#include "onnx.hpp"

ESPALIER_HEADER_INCLUDED(onnx_quantized);

/// Exports quantized nets: the program in float with QuantizeLinear and DequantizeLinear in front of each product.
namespace espalier::io {

namespace onnx {

/// The program that a quantized net is made of, in float. Constants are its parameters.
template <class Net, class Batch>
struct quantizable_program {
  static constexpr graph::program build() {
    graph::program const& from = espalier::detail::quantizable_parts<Net, Batch>.running;
    graph::program p = from;
    int* const number = new int[static_cast<std::size_t>(from.nodes.size) + 1]{};
    // An alias lacks the operands of its formula, so its value is written.
    for (int id = 1; id <= from.nodes.size; ++id) {
      graph::node const& n = from.nodes[id];
      number[id] = n.op->family == op_family::alias ? number[n.operand[0]] : id;
      for (int k = 0; k < 4; ++k) p.nodes.nodes[id].operand[k] = number[n.operand[k]];
    }
    for (int i = 0; i < p.output_count; ++i) p.outputs[i].id = number[p.outputs[i].id];
    delete[] number;
    return p;
  }
};

inline std::string name_of_weights(int product) { return "weights_of_product_" + std::to_string(product); }

/// Makes integers of the weights that an operation reads, and of its first operand.
class quantizer {
 public:
  quantizer(model_file& file, char const* path) : file_{file}, path_{path} {}

  /// bias: of each output, or empty; the scales of weights depend on it.
  void quantize(int product, on_cpu::detail::int8_scale const& by, std::vector<double> const& bias) {
    std::string const name = name_of_weights(product), of = std::to_string(product);
    std::size_t const at = position(name, product);
    operation& o = file_.operations[at];
    std::string const weights = o.inputs[1];
    bool const by_first_axis = o.type == "Conv";
    std::string const activations = o.inputs[0];
    o.inputs[0] = "activations_" + of;
    o.inputs[1] = "quantized_weights_" + of;  // a bias of Conv stays
    auto const scale = number("scale_" + of, element::float32, {static_cast<double>(by.scale)}, {});
    auto const zero = number("zero_point_" + of, element::uint8, {}, {by.zero_point});
    std::vector<operation> before{
        {"QuantizeLinear", {activations, scale, zero}, "integers_of_activations_" + of, {}},
        {"DequantizeLinear", {"integers_of_activations_" + of, scale, zero}, "activations_" + of, {}},
        {"DequantizeLinear",
         {weights, "scales_of_weights_" + of, "zero_points_of_weights_" + of},
         "quantized_weights_" + of,
         {with("axis", std::int64_t{by_first_axis ? 0 : 1})}}};
    file_.operations.insert(file_.operations.begin() + static_cast<std::ptrdiff_t>(at), before.begin(), before.end());
    quantize_weights(weights, of, by_first_axis, product, by, bias);
  }

 private:
  /// The operation that reads the weights of a product.
  std::size_t position(std::string const& name, int product) const {
    for (std::size_t i = 0; i < file_.operations.size(); ++i) {
      operation const& o = file_.operations[i];
      if ((o.type == "MatMul" || o.type == "Conv") && o.inputs.size() >= 2 &&
          (o.inputs[1] == name || o.inputs[1].starts_with(name + '_')))
        return i;
    }
    throw_error<error>("%s: product %d of the quantized net is no MatMul and no Conv in ONNX", path_, product);
  }
  std::string number(std::string name, element type, std::vector<double> numbers, integers whole) {
    file_.initializers.push_back({name, type, {}, std::move(numbers), std::move(whole)});
    return name;
  }
  void quantize_weights(std::string const& name, std::string const& of, bool by_first_axis, int product,
                        on_cpu::detail::int8_scale const& by, std::vector<double> const& bias) {
    std::size_t at = 0;
    while (file_.initializers[at].name != name) ++at;
    initializer w = file_.initializers[at];
    if (!by_first_axis && w.extents.size() != 2)
      throw_error<error>(
          "%s: product %d of the quantized net is a batch of products, whose weights ONNX cannot scale by column",
          path_, product);
    auto const channels = static_cast<std::size_t>(by_first_axis ? w.extents[0] : w.extents[1]);
    std::size_t const inner = by_first_axis ? w.numbers.size() / channels : 1;
    std::vector<double> steps(channels);
    auto const channel = [&](std::size_t i) { return i / inner % channels; };
    for (std::size_t i = 0; i < w.numbers.size(); ++i)
      steps[channel(i)] = std::fmax(steps[channel(i)], std::fabs(w.numbers[i]));
    for (std::size_t c = 0; c < channels; ++c)
      steps[c] = static_cast<double>(espalier::detail::step_of_weights(
          static_cast<float>(steps[c]), bias.empty() ? 0.0f : static_cast<float>(bias[c]), by));
    for (std::size_t i = 0; i < w.numbers.size(); ++i)
      w.whole.push_back(
          espalier::detail::quantized_weight(static_cast<float>(w.numbers[i]), static_cast<float>(steps[channel(i)])));
    w.type = element::int8;
    w.numbers.clear();
    file_.initializers[at] = std::move(w);
    auto const count = static_cast<std::int64_t>(channels);
    file_.initializers.push_back({"scales_of_weights_" + of, element::float32, {count}, steps, {}});
    file_.initializers.push_back({"zero_points_of_weights_" + of, element::int8, {count}, {}, integers(channels)});
  }

  model_file& file_;
  char const* path_;
};

/// The constants of a net as tensors. Weights of products have their number in their name.
template <class Net, class Batch, class Model>
std::vector<tensor> constants_of_model(Model const& model) {
  using Preparing = espalier::detail::constants_program<Net, Batch>;
  std::size_t const bytes = static_cast<std::size_t>(espalier::detail::constants_size<Net, Batch>) * sizeof(float);
  espalier::detail::block const memory{
      bytes + espalier::detail::bytes_for<float>(espalier::detail::workspace_elements<Preparing>) + tensor_alignment};
  espalier::detail::program_bases b = model.bases();
  b.at[plan::base::gradients] = memory.at<float>(0);
  b.at[plan::base::workspace] = memory.at<float>(espalier::detail::aligned_bytes(bytes));
  on_cpu::run<Preparing, float>(b.at);
  auto const& parts = espalier::detail::quantizable_parts<Net, Batch>;
  auto const& split = espalier::detail::quantized_split_of<Net, Batch>;
  std::vector<tensor> r;
  for (int i = 0; i < parts.count; ++i) {
    graph::node const& n = espalier::detail::quantizable_evaluation<Net, Batch>.nodes[parts.node[i]];
    float const* const x = memory.at<float>(0) + espalier::detail::constants_of<Net, Batch>.at[i];
    std::string name = "constant_" + std::to_string(i);
    for (int k = 0; k < split.count; ++k)
      if (split.products[k].slot == i) name = name_of_weights(k);
    r.push_back(tensor{std::move(name), n.shape, std::vector<double>(x, x + n.shape.size())});
  }
  return r;
}

}  // namespace onnx

/// write_quantized_onnx<batch<N, ...>>(path, model, ranges): exports a quantized net as an ONNX file. Each product
/// reads activations behind QuantizeLinear and DequantizeLinear, and weights of 8 bits behind DequantizeLinear.
/// Runtimes replace these by operations on integers.
/// shape    as write_onnx
/// range    ranges: the calibration, or its stored ranges. Biases are float, so results differ from quantized by the
///          rounding of the bias, and behind another product perhaps by a step of an activation
/// errors   as write_onnx and quantized; error: a product has another form in ONNX than MatMul or Conv, or two products
///          share their weights
/// source   onnx.ai, operators QuantizeLinear and DequantizeLinear
template <class Batch, class Model, class Calibrated>
void write_quantized_onnx(file_path path, Model const& model, Calibrated const& calibrated,
                          onnx_options const& options = {}) {
  using Net = typename Model::net_type;
  using Traced = typename onnx::traced_batch<Batch>::type;
  using Program = onnx::quantizable_program<Net, Traced>;
  using Quantizes = espalier::detail::quantizes<Model, Traced>;
  static_assert(
      Quantizes::agree,
      ESPALIER_SENTENCE("write_quantized_onnx<batch>(path, model, ranges): expected a net that quantized accepts",
                        Quantizes));
  if constexpr (Quantizes::agree) {
    using Ranges = espalier::detail::ranges_relation_of<Calibrated, Net, Quantizes::count>;
    static_assert(Ranges::agree,
                  ESPALIER_SENTENCE("write_quantized_onnx<batch>(path, model, ranges): " ESPALIER_RANGES_FIT, Ranges));
    using Ops = typename onnx::ops_in_onnx<Program>::type;
    static_assert(Ops::agree,
                  ESPALIER_SENTENCE("write_quantized_onnx<batch>(path, model, ranges): the net has an op that ONNX has "
                                    "no operation for",
                                    Ops));
    if constexpr (Ranges::agree && Ops::agree) {
      espalier::detail::check_has_data(calibrated);
      auto const& split = espalier::detail::quantized_split_of<Net, Traced>;
      for (int k = 0; k < split.count; ++k)
        for (int j = 0; j < k; ++j)
          if (split.products[j].slot == split.products[k].slot)
            throw_error<error>("%s: products %d and %d of the quantized net share their weights",
                               static_cast<char const*>(path), j, k);
      std::vector<onnx::tensor> const constants = onnx::constants_of_model<Net, Traced>(model);
      onnx::write<Program, Batch, Model>(
          path, options, [&](onnx::exporter& e) { e.parameters = constants; },
          [&](onnx::model_file& file) {
            float const* const ranges = espalier::detail::ranges_in(calibrated);
            for (int k = 0; k < split.count; ++k) {
              int const bias = split.products[k].bias;
              onnx::quantizer{file, path}.quantize(
                  k, espalier::detail::scale_of_range(ranges[2 * k], ranges[2 * k + 1], k),
                  bias < 0 ? std::vector<double>{} : constants[static_cast<std::size_t>(bias)].numbers);
            }
          });
    }
  }
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
