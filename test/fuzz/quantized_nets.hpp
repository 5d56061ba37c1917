// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier.hpp>
#include <espalier/io/error.hpp>
#include <espalier/model/quantized.hpp>

#include <string_view>

#include "archives.hpp"

/// Readers of quantized nets: the seeds are files of two nets, and a file gives a whole net, which runs, or an error.
namespace fuzz {

namespace nn = espalier::nn;

template <class Net, class Batch, class Read>
void read_net(std::uint8_t const* data, std::size_t size, Read read) {
  io::file_bytes const bytes = copy_of(data, size);  // aligned, as read_bytes returns them
  try {
    auto net = read.template operator()<Net, Batch>(std::string_view{reinterpret_cast<char const*>(bytes.data()), size},
                                                    "input");
    espalier::tensor<float, Batch> x;
    espalier::tensor<float, typename decltype(net)::output_shape> y;
    net(x, y);
  } catch (io::error const& error) {
    require(std::strncmp(error.what(), "input", 5) == 0, "an error begins with the file's name");
  } catch (espalier::quantization_error const&) {}
}

/// read: a template <Net, Batch> of (bytes, path).
template <class Read>
void read_nets(std::uint8_t const* data, std::size_t size, Read read) {
  using Rows = nn::Sequential<nn::Linear<3, 2>, nn::ReLU, nn::Linear<2, 2>, nn::Softmax<>>;
  using Images =
      nn::Sequential<nn::ConvBN<1, 2, 3, nn::conv{.stride = 2, .layout = espalier::nhwc}>,
                     nn::MaxPool2d<2, espalier::pooling{.layout = espalier::nhwc}>, nn::Flatten, nn::Linear<2, 2>>;
  read_net<Rows, espalier::shape<1, 3>>(data, size, read);
  read_net<Images, espalier::shape<1, 4, 4, 1>>(data, size, read);
}

}  // namespace fuzz
