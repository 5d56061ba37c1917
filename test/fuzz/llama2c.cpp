// SPDX-License-Identifier: BSL-1.0
#include <espalier.hpp>
#include <espalier/io/llama2c.hpp>

#include "archives.hpp"

namespace esp = espalier;
namespace io = espalier::io;
namespace nn = espalier::nn;

namespace {
/// The numbers of a model, as bytes.
template <class Model>
std::vector<unsigned char> bytes_of(Model& model) {
  auto const all = model.parameters();
  auto const* const at = reinterpret_cast<unsigned char const*>(all.data());
  return {at, at + all.size() * 4};
}
}  // namespace

// What is read are the bytes of the file in order, and a model takes all of them or nothing.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static esp::model<nn::Llama<3, 4, 2, 2, 1, 2>> model{esp::seed{1}};
  try {
    io::llama2c_checkpoint const all = io::parse_llama2c("input", fuzz::copy_of(data, size));
    std::int64_t bytes = 28 + 2 * 4 * std::int64_t{all.header.seq_len} * (all.header.dim / all.header.n_heads / 2);
    for (auto const& a : all.arrays.arrays()) {
      bytes += a.bytes;
      fuzz::require(io::count_of(a.extents) == a.size(), "extents and elements agree");
      (void)fuzz::sum_of(a.data, a.bytes);
    }
    fuzz::require(bytes == static_cast<std::int64_t>(size), "every byte of the file is a tensor's");
    std::vector<unsigned char> const before = bytes_of(model);
    try {
      io::restore(all.arrays, model, io::load_options{}.from_pytorch());
    } catch (io::mismatch_error const& error) {
      fuzz::require(!error.disagreements().empty(), "a mismatch names what differs");
      fuzz::require(bytes_of(model) == before, "a file that does not fit changes no byte of a model");
    }
  } catch (io::format_error const&) {}
  return 0;
}
