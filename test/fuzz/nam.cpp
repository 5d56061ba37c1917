// SPDX-License-Identifier: BSL-1.0
#include <espalier.hpp>
#include <espalier/io/nam.hpp>
#include <espalier/nn/nam.hpp>

#include "archives.hpp"

namespace io = espalier::io;
namespace nn = espalier::nn;

namespace {

template <class Model>
std::vector<unsigned char> bytes_of(Model& model) {
  std::vector<unsigned char> all;
  io::snapshot const kept{model};
  for (auto const& a : kept.arrays()) all.insert(all.end(), a.data, a.data + a.bytes);
  return all;
}
/// A model takes all of a file or nothing.
template <class Model>
void restore(io::nam_file const& file, Model& model) {
  std::vector<unsigned char> const before = bytes_of(model);
  try {
    io::detail::restore_from_nam(file, model);
    io::snapshot const kept{model};
    for (auto const& a : kept.arrays())
      fuzz::require(io::detail::count_not_finite(a) == 0, "a file has finite numbers");
  } catch (io::mismatch_error const& error) {
    fuzz::require(!error.disagreements().empty() && std::strlen(error.what()) > 0, "a refusal says why");
    fuzz::require(bytes_of(model) == before, "a refused file changes no byte of a model");
  }
}

using Amp = nn::nam::WaveNet<nn::nam::Stack<nn::nam::stack{.channels = 1, .head = 1}, nn::Tanh, 1, 2>>;

}  // namespace

// The seeds are files of these two nets.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static espalier::model<Amp> wavenet{espalier::seed{1}};
  static espalier::model<nn::nam::LSTM<1>> lstm{espalier::seed{1}};
  try {
    io::nam_file const file = io::parse_nam("input", fuzz::copy_of(data, size));
    restore(file, wavenet);
    restore(file, lstm);
  } catch (io::format_error const&) {}
  return 0;
}
