// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "../model/result_calibration.hpp"
#include "onnx_quantized.hpp"
#include "tflite_operations.hpp"

ESPALIER_HEADER_INCLUDED(tflite);

/// Exports quantized nets for TensorFlow Lite.
namespace espalier::io {

/// The name of the graph and the description of the net in a TensorFlow Lite file. fully_connected: whether a Linear is
/// a FULLY_CONNECTED with a scale for each output, which is version 12 of that operator. Older interpreters, such as
/// tflite_runtime 2.14, run the same net with convolutions of one pixel.
struct tflite_options {
  char const* name = "net";
  char const* description = "";
  bool fully_connected = true;
};

namespace tflite {

/// Ops whose form in ONNX has no operator in TensorFlow Lite.
inline constexpr graph::descriptor const* not_in_tflite[] = {&described<erf_>, &described<gelu_>,
                                                             &described<scatter_add_>, &described<index_copy_>};
/// Named relation: TensorFlow Lite has an operator for an op.
template <class Op>
struct in_tflite {
  static constexpr bool agree = false;
};
template <class Program>
constexpr int first_op_not_in_tflite() {
  for (int id = 1; id <= onnx::numbering_of<Program>.count; ++id)
    for (int k = 0; k < 4; ++k)
      if (espalier::detail::same_address(onnx::rows_of_program<Program>.nodes[id].op, not_in_tflite[k])) return k;
  return -1;
}
template <class Program, int Which = first_op_not_in_tflite<Program>()>
struct ops_in_tflite {
  using type = in_tflite<graph::op_of<not_in_tflite[Which]>>;
};
template <class Program>
struct ops_in_tflite<Program, -1> {
  using type = typename onnx::ops_in_onnx<Program>::type;
};

/// Named relation: the number of samples is fixed.
template <class Batch>
struct samples_are_fixed {
  static constexpr bool agree = onnx::traced_batch<Batch>::samples == 0;
};
/// A call without ranges of results: an error, in words.
struct no_results {};
/// Named relation: ranges of the results of as many products as the net has.
template <class Results, int Products>
struct result_ranges_fit {
  static constexpr bool agree = false;
};
template <int Products, class Device>
struct result_ranges_fit<espalier::tensor<float, shape<Products, 2>, Device>, Products> {
  static constexpr bool agree = std::is_same_v<Device, cpu>;
};
template <class Model, class Batch, int Products>
struct result_ranges_fit<result_calibration<Model, Batch>, Products> {
  static constexpr bool agree = result_calibration<Model, Batch>::products == Products;
};

/// A quantized net in ONNX, as a value.
template <class Net, class Batch, class Model>
onnx::model_file quantized_onnx(char const* path, Model const& model, float const* ranges,
                                tflite_options const& options) {
  auto const& split = espalier::detail::quantized_split_of<Net, Batch>;
  onnx::builder to{path, onnx::element::float32, 0};
  to.file.name = options.name;
  to.file.description = options.description;
  std::vector<onnx::tensor> const constants = onnx::constants_of_model<Net, Batch>(model);
  onnx::export_program<onnx::quantizable_program<Net, Batch>, Batch, Net>(
      to, [&](onnx::exporter& e) { e.parameters = constants; });
  for (int k = 0; k < split.count; ++k) {
    int const bias = split.products[k].bias;
    onnx::quantizer{to.file, path}.quantize(
        k, espalier::detail::scale_of_range(ranges[2 * k], ranges[2 * k + 1], k),
        bias < 0 ? std::vector<double>{} : constants[static_cast<std::size_t>(bias)].numbers);
  }
  return std::move(to.file);
}

/// Writes the file of a net. ranges, returned: two numbers for each product.
template <class Net, class Batch, class Model>
void write(char const* path, Model const& model, float const* ranges, float const* returned,
           tflite_options const& options) {
  auto const& split = espalier::detail::quantized_split_of<Net, Batch>;
  std::vector<product_results> products;
  for (int k = 0; k < split.count; ++k) {
    for (int j = 0; j < k; ++j)
      if (split.products[j].slot == split.products[k].slot)
        throw_error<error>("%s: products %d and %d of the quantized net share their weights", path, j, k);
    float low = returned[2 * k], high = returned[2 * k + 1];
    (void)espalier::detail::scale_of_range(low, high, k);  // throws
    // A zero point at an end of the bytes would mean a ReLU to who reads the file, also where samples happen to have
    // numbers of one sign.
    if (!split.products[k].relu && high <= 0) high = -low / 254;
    if (!split.products[k].relu && low >= 0) low = -high / 254;
    products.push_back({split.products[k].bias >= 0, split.products[k].relu, low, high});
  }
  onnx::model_file const net = quantized_onnx<Net, Batch>(path, model, ranges, options);
  model_file const file = translator{net, std::move(products), options.fully_connected, path}.run();
  std::size_t most = 1 << 20;
  for (std::string const& data : file.buffers) most += data.size() + 64;
  if (most > 0x7fffffffu)
    throw_error<write_error>("%s: a TensorFlow Lite file has at most 2 GiB, and this net needs %lld bytes", path,
                             static_cast<long long>(most));
  std::string const bytes = model_writer{file}.bytes();
  atomic_file to{path};
  to.write(bytes.data(), bytes.size());
  to.commit();
}

}  // namespace tflite

/// write_tflite<batch<N, ...>>(path, model, ranges, results): exports a quantized net as a TensorFlow Lite file.
/// Products are FULLY_CONNECTED, CONV_2D and DEPTHWISE_CONV_2D of int8 with their bias and ReLU, weights with a scale
/// for each output. QUANTIZE and DEQUANTIZE are between them and what the net computes in float.
/// shape    as of model(x), for N samples: input "x" and output "y", or "x0", "x1" and so on, in float. Images are
///          transposed to channels last where the net has them second
/// range    ranges: the calibration, or its stored ranges, as for quantized. results: a result_calibration on the same
///          batches, or its stored ranges: the products of TensorFlow Lite return integers of 8 bits. If only another
///          product reads a result, it has the scale of that product
/// returns  nothing. Results of the file differ from those of quantized by the rounding of a product's result, at most
///          half a step of its range, and by what such roundings change behind it
/// memory   some copies of the parameters during the call
/// errors   Does not compile: what quantized does not accept; ranges of another number of products; an open number of
///          samples; an op that TensorFlow Lite has no operator for (erf, gelu). quantization_error: as quantized, also
///          for the ranges of results. error: two products share their weights; a product is a batch of products.
///          write_error: the file cannot be written; an existing file is unchanged
/// source   tensorflow.org/lite, "LiteRT 8-bit quantization specification"
template <
    class Batch, class Model, class Calibrated, class Results = tflite::no_results,
    class Found = espalier::detail::results_of_net<typename Model::net_type, typename onnx::traced_batch<Batch>::type>>
void write_tflite(file_path path, Model const& model, Calibrated const& calibrated, Results const& results = {},
                  tflite_options const& options = {}) {
  using Net = typename Model::net_type;
  using Layers =
      espalier::detail::root_message_fault<Found, Net, espalier::detail::root_at<Model, struct write_tflite_>>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(espalier::detail::own_message_fault<Found, Net>::report()) != 0);
  using Fixed = tflite::samples_are_fixed<Batch>;
  static_assert(Fixed::agree,
                ESPALIER_SENTENCE("write_tflite<batch>(path, model, ranges, results): write batch<N, ...> instead of "
                                  "any_batch<...>; TensorFlow Lite plans the net for N samples",
                                  Fixed));
  if constexpr (layers_fit<Found>::agree && Fixed::agree) {
    using Program = onnx::quantizable_program<Net, Batch>;
    using Quantizes = espalier::detail::quantizes<Model, Batch>;
    static_assert(
        Quantizes::agree,
        ESPALIER_SENTENCE("write_tflite<batch>(path, model, ranges, results): expected a net that quantized accepts",
                          Quantizes));
    if constexpr (Quantizes::agree) {
      using Ranges = espalier::detail::ranges_relation_of<Calibrated, Net, Quantizes::count>;
      static_assert(
          Ranges::agree,
          ESPALIER_SENTENCE("write_tflite<batch>(path, model, ranges, results): " ESPALIER_RANGES_FIT, Ranges));
      using Returned = tflite::result_ranges_fit<Results, Quantizes::count>;
      static_assert(
          Returned::agree || !Ranges::agree,
          ESPALIER_SENTENCE("write_tflite<batch>(path, model, ranges, results): expected the result_calibration of "
                            "this net, or its ranges, a tensor<float, shape<products, 2>>",
                            Returned));
      using Ops = typename tflite::ops_in_tflite<Program>::type;
      static_assert(Ops::agree,
                    ESPALIER_SENTENCE("write_tflite<batch>(path, model, ranges, results): the net has an op that "
                                      "TensorFlow Lite has no operator for",
                                      Ops));
      if constexpr (Ranges::agree && Returned::agree && Ops::agree) {
        espalier::detail::check_has_data(calibrated);
        espalier::detail::check_has_data(results);
        tflite::write<Net, Batch>(path, model, espalier::detail::ranges_in(calibrated),
                                  espalier::detail::ranges_in(results), options);
      }
    }
  }
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
