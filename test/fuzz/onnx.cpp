// SPDX-License-Identifier: BSL-1.0
#include <espalier/io/read_quantized_onnx.hpp>

#include "quantized_nets.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::read_nets(data, size, []<class Net, class Batch>(std::string_view bytes, char const* path) {
    return espalier::io::onnx::quantized_of_model<Net, Batch>(espalier::io::onnx::model_reader{bytes, path}.read(),
                                                              path);
  });
  return 0;
}
