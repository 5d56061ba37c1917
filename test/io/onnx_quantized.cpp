// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_onnx_quantized
#include <boost/test/unit_test.hpp>

#include <espalier/io/onnx_quantized.hpp>

#include "support/nets.hpp"
#include "support/temporary.hpp"

using namespace test;
namespace io = espalier::io;
using esp::shape, esp::tensor;

namespace {

std::size_t times(std::string const& text, std::string const& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}
std::string message(auto&& f) {
  try {
    f();
  } catch (std::exception const& e) {
    return e.what();
  }
  return "nothing thrown";
}

/// Two products with one matrix.
struct Shared {
  nn::Linear<4, 4> layer;
  ESPALIER_MODULE(Shared, layer)
  constexpr auto forward(auto x) const { return layer(tanh(layer(x))); }
};

}  // namespace

/// A product reads integers of both factors, and its bias stays.
BOOST_AUTO_TEST_CASE(products_read_dequantized_integers) {
  io::onnx::model_file file;
  std::string const name = io::onnx::name_of_weights(3);
  file.initializers = {{name, io::onnx::element::float32, {2, 1, 1, 2}, {1, -2, 0.5, 0.25}, {}},
                       {"bias", io::onnx::element::float32, {2}, {5, 6}, {}}};
  file.operations = {{"Conv", {"x", name, "bias"}, "y", {}}};
  io::onnx::quantizer{file, "net.onnx"}.quantize(3, {0.5f, 2.0f, 7}, {5, 6});
  BOOST_TEST(file.operations.size() == 4u);
  BOOST_TEST(file.operations[0].type == "QuantizeLinear");
  BOOST_TEST(file.operations[0].inputs[0] == "x");
  BOOST_TEST(file.operations[2].type == "DequantizeLinear");
  BOOST_TEST(file.operations[2].inputs[0] == name);
  io::onnx::operation const& conv = file.operations[3];
  BOOST_TEST(conv.inputs[0] == file.operations[1].result);
  BOOST_TEST(conv.inputs[1] == file.operations[2].result);
  BOOST_TEST(conv.inputs[2] == "bias");
  io::onnx::initializer const& w = file.initializers[0];
  BOOST_TEST((w.type == io::onnx::element::int8 && w.numbers.empty()));
  BOOST_TEST((w.whole == io::onnx::integers{64, -127, 127, 64}));
  for (io::onnx::initializer const& i : file.initializers) {
    if (i.name == "scale_3") BOOST_TEST(i.numbers[0] == 0.5);
    if (i.name == "zero_point_3") BOOST_TEST((i.type == io::onnx::element::uint8 && i.whole[0] == 7));
    if (i.name == "scales_of_weights_3")
      BOOST_TEST((i.numbers == std::vector<double>{static_cast<float>(2.0 / 127), static_cast<float>(0.5 / 127)}));
  }
}

BOOST_AUTO_TEST_CASE(files_have_integers_in_front_of_each_product) {
  using Net = nn::Sequential<nn::ConvBN<3, 8, 3>, nn::MaxPool2d<2>, nn::Flatten, nn::Linear<8 * 4 * 4, 10>>;
  using batch = esp::batch<2, 3, 8, 8>;
  temporary::folder const folder;
  esp::model<Net> model{esp::seed{1}};
  esp::calibration calibration{model, batch{}};
  std::string const before =
      message([&] { io::write_quantized_onnx<batch>(folder.path("a.onnx"), model, calibration); });
  BOOST_TEST(before.find("expected a calibration that evaluated a batch") != std::string::npos);
  BOOST_TEST(folder.entries() == 0u);
  calibration(numbers<float, batch>(1));
  io::write_quantized_onnx<batch>(folder.path("a.onnx"), model, calibration);
  io::write_quantized_onnx<io::any_batch<3, 8, 8>>(folder.path("b.onnx"), model, calibration.ranges());
  for (char const* name : {"a.onnx", "b.onnx"}) {
    std::string const file = temporary::read(folder.path(name));
    // 2 products; DequantizeLinear contains no QuantizeLinear with a capital Q.
    BOOST_TEST(times(file, "QuantizeLinear") == 2u);
    BOOST_TEST(times(file, "DequantizeLinear") == 4u);
    BOOST_TEST(times(file, "MaxPool") == 1u);
  }
}

BOOST_AUTO_TEST_CASE(what_onnx_cannot_state_is_refused) {
  temporary::folder const folder;
  esp::model<Shared> model{esp::seed{1}};
  esp::calibration calibration{model, esp::batch<2, 4>{}};
  calibration(numbers<float, shape<2, 4>>(1));
  BOOST_TEST(message([&] { io::write_quantized_onnx<esp::batch<2, 4>>(folder.path("a.onnx"), model, calibration); }) ==
             std::string{folder.path("a.onnx")} + ": products 0 and 1 of the quantized net share their weights");
  BOOST_TEST(folder.entries() == 0u);
}
