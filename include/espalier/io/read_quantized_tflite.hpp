// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "read_quantized_onnx.hpp"
#include "tflite_as_onnx.hpp"

ESPALIER_HEADER_INCLUDED(read_quantized_tflite);

/// Makes quantized nets of TensorFlow Lite files.
namespace espalier::io {

namespace tflite {

/// The quantized net of the bytes of a file. path: for errors.
template <class Net, class Batch>
auto quantized_of_bytes(std::string_view bytes, char const* path) {
  model_file const file = model_reader{bytes, path}.read();
  onnx::model_file const in_onnx = onnx_translator{file, path}.run(), net = onnx::indexed_file<Net, Batch>(path);
  return onnx::make_quantized<quantized<model<Net>, Batch>, Net, Batch>(
      onnx::match_file<Net, Batch>(net, in_onnx, path));
}

}  // namespace tflite

/// read_quantized_tflite<Net, batch<N, ...>>(path): makes a quantized net of a TensorFlow Lite file with integers of 8
/// bits, as write_tflite and TensorFlow's converter write it (post-training quantization with a representative data
/// set).
/// shape    the batch may have another number of samples than the file. The file's layout of images is the net's: of a
///          Keras model, channels last (nhwc)
/// range    activations of int8 or uint8 with one scale; weights of int8, or uint8 with zero point 128, symmetric, with
///          one scale or one for each output; biases of int32 in units of both scales
/// returns  quantized<model<Net>, batch<N, ...>>. Rounding that no product reads is left out (values between products
///          and results stay float), so the results differ from those of the interpreter by about that rounding
/// memory   some copies of the parameters during the call
/// errors   as quantized: nets that do not compile, and sums that can exceed 32 bits. format_error: no TensorFlow Lite
///          model; an operator that is not read; an operation, a shape or a number of it that differs from the net's,
///          named as in ONNX; a product of floats; other scales, zero points and weights than above
/// source   github.com/tensorflow/tensorflow, tensorflow/lite/schema/schema.fbs; tensorflow.org/lite, "LiteRT 8-bit
///          quantization specification"
template <class Net, class Batch, class Found = espalier::detail::results_of_net<Net, Batch>>
auto read_quantized_tflite(file_path path) {
  using Model = model<Net>;
  using Layers =
      espalier::detail::root_message_fault<Found, Net, espalier::detail::root_at<Model, struct read_quantized_tflite_>>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(espalier::detail::own_message_fault<Found, Net>::report()) != 0);
  if constexpr (layers_fit<Found>::agree) {
    using Quantizes = espalier::detail::quantizes<Model, Batch>;
    static_assert(
        Quantizes::agree,
        ESPALIER_SENTENCE("read_quantized_tflite<Net, batch>(path): expected a net that quantized accepts", Quantizes));
    if constexpr (Quantizes::agree) {
      using Ops = typename onnx::ops_in_onnx<onnx::quantizable_program<Net, Batch>>::type;
      static_assert(
          Ops::agree,
          ESPALIER_SENTENCE("read_quantized_tflite<Net, batch>(path): the net has an op that ONNX, in whose terms it "
                            "is compared, has no operation for",
                            Ops));
      if constexpr (Ops::agree) {
        file_bytes const bytes = read_bytes(path);
        return tflite::quantized_of_bytes<Net, Batch>(
            {reinterpret_cast<char const*>(bytes.data()), static_cast<std::size_t>(bytes.size())}, path);
      } else {
        return espalier::detail::accepts_every_call<>{};  // one error, not two
      }
    } else {
      return espalier::detail::accepts_every_call<>{};
    }
  } else {
    return espalier::detail::accepts_every_call<>{};
  }
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
