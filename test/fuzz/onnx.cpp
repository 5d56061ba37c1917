// SPDX-License-Identifier: BSL-1.0
#include <espalier/io/read_quantized_onnx.hpp>

#include "changed_onnx.hpp"
#include "quantized_nets.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

/// Half of the files differ in bytes, half in what their messages say.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  namespace onnx = espalier::io::onnx;
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  try {
    onnx::model_file file = onnx::model_reader{{reinterpret_cast<char const*>(data), size}, "input"}.read();
    fuzz::changed_onnx changed{file, seed};
    for (unsigned i = 0; i < 1 + seed / 2 % 3; ++i) changed.change();
    for (onnx::operation& o : file.operations)
      for (onnx::attribute& a : o.attributes) a.value = std::clamp(a.value, -1e15, 1e15);  // NaN stays
    std::string const bytes = file.to_protobuf().bytes();
    if (bytes.size() <= most) {
      std::copy(bytes.begin(), bytes.end(), data);
      return bytes.size();
    }
  } catch (espalier::io::error const&) {}
  return LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::read_nets(data, size, []<class Net, class Batch>(std::string_view bytes, char const* path) {
    return espalier::io::onnx::quantized_of_model<Net, Batch>(espalier::io::onnx::model_reader{bytes, path}.read(),
                                                              path);
  });
  return 0;
}
