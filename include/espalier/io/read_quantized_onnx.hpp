// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "../model/accepts_every_call.hpp"
#include "onnx_matching.hpp"
#include "onnx_quantized.hpp"
#include "onnx_reader.hpp"

ESPALIER_HEADER_INCLUDED(read_quantized_onnx);

/// Makes quantized nets of ONNX files.
namespace espalier::io {

namespace onnx {

/// The net in ONNX, in float. Each element of its parameters is its own index: so a file's numbers find their places.
template <class Net, class Batch>
model_file indexed_file(char const* path) {
  builder to{path, element::float32, 0};
  export_program<quantizable_program<Net, Batch>, Batch, Net>(to, [](exporter& e) {
    auto const& parts = espalier::detail::quantizable_parts<Net, Batch>;
    for (int i = 0; i < parts.count; ++i) {
      graph::node const& n = espalier::detail::quantizable_evaluation<Net, Batch>.nodes[parts.node[i]];
      tensor t{"slot_" + std::to_string(i), n.shape, std::vector<double>(static_cast<std::size_t>(n.shape.size()))};
      for (std::size_t k = 0; k < t.numbers.size(); ++k) t.numbers[k] = static_cast<double>(k);
      e.parameters.push_back(std::move(t));
    }
  });
  return std::move(to.file);
}

/// The extents of the inputs of a file. Those that it leaves open are the net's.
inline std::vector<integers> input_extents(model_file const& net, model_file const& file, char const* path) {
  if (net.inputs.size() != file.inputs.size())
    throw_error<format_error>("%s: expected %d inputs, got %d", path, static_cast<int>(net.inputs.size()),
                              static_cast<int>(file.inputs.size()));
  std::vector<integers> r;
  for (std::size_t i = 0; i < net.inputs.size(); ++i) {
    integers const& expected = net.inputs[i].extents;
    integers actual = file.inputs[i].extents;
    bool same = expected.size() == actual.size();
    for (std::size_t k = 0; same && k < actual.size(); ++k) {
      if (actual[k] < 0) actual[k] = k == 0 && i > 0 ? r[0][0] : expected[k];
      same = k == 0 ? actual[k] > 0 && actual[k] < std::int64_t{1} << 31 : actual[k] == expected[k];
    }
    if (!same)
      throw_error<format_error>("%s: expected input %s of shape %s, with any number of samples, got %s", path,
                                in_quotes(file.inputs[i].name).c_str(), text_of(expected).c_str(),
                                text_of(file.inputs[i].extents).c_str());
    r.push_back(std::move(actual));
  }
  return r;
}

inline std::vector<integers> extents_of_inputs(model_file const& net) {
  std::vector<integers> r;
  for (value_info const& i : net.inputs) r.push_back(i.extents);
  return r;
}

/// Compares a file with a net and takes its numbers.
template <class Net, class Batch>
quantized_matcher match_file(model_file const& net, model_file const& file, char const* path) {
  if (file.operator_set < 13)
    throw_error<format_error>("%s: expected operator set 13 or later, which has scales for each output, got %d", path,
                              file.operator_set);
  auto const& parts = espalier::detail::quantizable_parts<Net, Batch>;
  auto const& split = espalier::detail::quantized_split_of<Net, Batch>;
  std::vector<integers> const expected = extents_of_inputs(net), actual = input_extents(net, file, path);
  std::vector<matched_product> products;
  for (int k = 0; k < split.count; ++k) {
    auto const& p = split.products[k];
    for (matched_product const& other : products)
      if (other.slot == p.slot)
        throw_error<format_error>("%s: two products of the net share their weights, which is not read", path);
    products.push_back({p.slot, p.groups, p.depth, p.columns});
  }
  std::vector<std::int64_t> sizes;
  for (int i = 0; i < parts.count; ++i)
    sizes.push_back(espalier::detail::quantizable_evaluation<Net, Batch>.nodes[parts.node[i]].shape.size());
  file_values const of_net{net, expected, path}, of_file{file, actual, path};
  quantized_matcher m{of_net, of_file, expected[0][0], actual[0][0], std::move(products), sizes, path};
  m.run();
  return m;
}

template <class Quantized, class Net, class Batch>
Quantized make_quantized(quantized_matcher const& m) {
  std::vector<float> constants(static_cast<std::size_t>(espalier::detail::constants_size<Net, Batch>));
  for (std::size_t i = 0; i < m.slots().size(); ++i)
    std::copy(m.slots()[i].begin(), m.slots()[i].end(),
              constants.begin() + static_cast<std::ptrdiff_t>(espalier::detail::constants_of<Net, Batch>.at[i]));
  espalier::detail::stored_net<Quantized::products> from{constants.data(), {}, {}};
  for (std::size_t k = 0; k < m.products().size(); ++k) {
    found_product const& p = m.products()[k];
    from.by[k] = espalier::detail::scale_of_step(p.scale, p.zero_point);
    from.integers[k] = {p.weights.data(), p.steps.data()};
  }
  return Quantized{from};
}

/// The net of a file; path: for errors.
template <class Net, class Batch>
auto quantized_of_model(model_file const& file, char const* path) {
  model_file const net = indexed_file<Net, Batch>(path);
  return make_quantized<quantized<model<Net>, Batch>, Net, Batch>(match_file<Net, Batch>(net, file, path));
}

}  // namespace onnx

/// read_quantized_onnx<Net, batch<N, ...>>(path): makes a quantized net of an ONNX file with QuantizeLinear and
/// DequantizeLinear in front of its MatMul, Gemm and Conv, as write_quantized_onnx, ONNX Runtime's quantize_static and
/// PyTorch write it.
/// shape    the batch may have another number of samples than the file
/// range    activations of 8 bits with one scale; weights of 8 bits, symmetric, with one scale or one for each output;
///          biases in float, or integers behind DequantizeLinear
/// returns  quantized<model<Net>, batch<N, ...>>. The results of a file of write_quantized_onnx are those of the net
///          that it was written of, bit for bit. Rounding that no product reads is left out (values between products
///          and results stay float), so other files differ by about that rounding
/// memory   some copies of the parameters during the call
/// errors   as quantized: nets that do not compile, and sums that can exceed 32 bits. format_error: no ONNX model; an
///          operation, a shape or a number of it that differs from the net's; a product without QuantizeLinear and
///          DequantizeLinear; other scales, zero points and weights than above
/// source   onnx.ai, operators QuantizeLinear and DequantizeLinear
template <class Net, class Batch, class Found = espalier::detail::results_of_net<Net, Batch>>
auto read_quantized_onnx(file_path path) {
  using Model = model<Net>;
  using Layers =
      espalier::detail::root_message_fault<Found, Net, espalier::detail::root_at<Model, struct read_quantized_onnx_>>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(espalier::detail::own_message_fault<Found, Net>::report()) != 0);
  if constexpr (layers_fit<Found>::agree) {
    using Quantizes = espalier::detail::quantizes<Model, Batch>;
    static_assert(
        Quantizes::agree,
        ESPALIER_SENTENCE("read_quantized_onnx<Net, batch>(path): expected a net that quantized accepts", Quantizes));
    if constexpr (Quantizes::agree) {
      using Ops = typename onnx::ops_in_onnx<onnx::quantizable_program<Net, Batch>>::type;
      static_assert(
          Ops::agree,
          ESPALIER_SENTENCE("read_quantized_onnx<Net, batch>(path): the net has an op that ONNX has no operation for",
                            Ops));
      if constexpr (Ops::agree) return onnx::quantized_of_model<Net, Batch>(onnx::read_model(path), path);
      else return espalier::detail::accepts_every_call<>{};  // one error, not two
    } else {
      return espalier::detail::accepts_every_call<>{};
    }
  } else {
    return espalier::detail::accepts_every_call<>{};
  }
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
