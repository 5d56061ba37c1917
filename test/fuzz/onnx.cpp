// SPDX-License-Identifier: BSL-1.0
#include <espalier.hpp>
#include <espalier/io/read_quantized_onnx.hpp>

#include "archives.hpp"

namespace io = espalier::io;
namespace nn = espalier::nn;
using espalier::nhwc, espalier::shape;

namespace {

/// A file gives a whole net, which runs, or is rejected.
template <class Net, class Batch>
void read(std::uint8_t const* data, std::size_t size) {
  io::file_bytes const bytes = fuzz::copy_of(data, size);
  try {
    auto net = io::onnx::quantized_of_bytes<Net, Batch>({reinterpret_cast<char const*>(bytes.data()), size}, "input");
    espalier::tensor<float, Batch> x;
    espalier::tensor<float, typename decltype(net)::output_shape> y;
    net(x, y);
  } catch (io::error const& error) {
    fuzz::require(std::strncmp(error.what(), "input", 5) == 0, "an error begins with the file's name");
  } catch (espalier::quantization_error const&) {}
}

using Rows = nn::Sequential<nn::Linear<3, 2>, nn::ReLU, nn::Linear<2, 2>, nn::Softmax<>>;
using Images = nn::Sequential<nn::ConvBN<1, 2, 3, nn::conv{.stride = 2, .layout = nhwc}>,
                              nn::MaxPool2d<2, espalier::pooling{.layout = nhwc}>, nn::Flatten, nn::Linear<2, 2>>;

}  // namespace

// The seeds are files of these two nets.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  read<Rows, shape<1, 3>>(data, size);
  read<Images, shape<1, 4, 4, 1>>(data, size);
  return 0;
}
