// SPDX-License-Identifier: BSL-1.0
#include <espalier/io/rtneural.hpp>
#include <espalier/io/safetensors.hpp>

#include "whole_or_nothing.hpp"

namespace io = espalier::io;
namespace nn = espalier::nn;

namespace {

/// A small model of every layer that files have; the seeds are files of it.
using Net = nn::Sequential<nn::Linear<1, 2>, nn::Tanh,
                           nn::Conv1d<2, 2, 2, nn::conv{.padding = {0, 1, 0, 0}, .layout = espalier::nhwc}>,
                           nn::BatchNorm<2, -1>, nn::Outputs<nn::GRU<2, 1>>, nn::Outputs<nn::LSTM<1, 1>>>;

std::vector<unsigned char> bytes_of(espalier::model<Net>& model) {
  std::vector<unsigned char> all;
  io::snapshot const kept{model};
  for (auto const& a : kept.arrays()) all.insert(all.end(), a.data, a.data + a.bytes);
  return all;
}

}  // namespace

// Layers of Keras, and PyTorch's state_dict: a model takes all of it or nothing.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static espalier::model<Net> model{espalier::seed{1}};
  static fuzz::subject subject;
  try {
    auto const layers = io::parse_rtneural("input", fuzz::copy_of(data, size));
    std::vector<unsigned char> const before = bytes_of(model);
    try {
      io::detail::restore_from_keras("input", layers, model);
      io::snapshot const kept{model};
      for (auto const& a : kept.arrays())
        fuzz::require(io::detail::count_not_finite(a) == 0, "a file has finite numbers");
    } catch (io::mismatch_error const& error) {
      fuzz::require(!error.disagreements().empty() && std::strlen(error.what()) > 0, "a refusal says why");
      fuzz::require(bytes_of(model) == before, "a refused file changes no byte of a model");
    }
  } catch (io::format_error const&) {}
  try {
    auto const again = [](std::vector<io::named_array> const& arrays) {
      fuzz::written file;
      io::detail::write_safetensors_to(file, "again", arrays, {});
      return io::parse_safetensors("again", file.file());
    };
    subject.restore(io::parse_json_state_dict("input", fuzz::copy_of(data, size)), again);
  } catch (io::format_error const&) {}
  return 0;
}
