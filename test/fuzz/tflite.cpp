// SPDX-License-Identifier: BSL-1.0
#include <espalier/io/read_quantized_tflite.hpp>

#include "changed_words.hpp"
#include "quantized_nets.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

/// Half of the files have other words, the others any other bytes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  fuzz::change_words(data, size, seed);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::read_nets(data, size, []<class Net, class Batch>(std::string_view bytes, char const* path) {
    return espalier::io::tflite::quantized_of_bytes<Net, Batch>(bytes, path);
  });
  return 0;
}
