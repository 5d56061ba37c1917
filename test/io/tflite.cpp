// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_tflite
#include <boost/test/unit_test.hpp>

#include <espalier/io/tflite.hpp>

#include "support/nets.hpp"
#include "support/temporary.hpp"
#include "tflite_interpreter.hpp"

using namespace test;
namespace io = espalier::io;
namespace tflite = espalier::io::tflite;
using esp::nhwc, esp::shape, esp::tensor;

namespace {

std::string message(auto&& f) {
  try {
    f();
  } catch (std::exception const& e) {
    return e.what();
  }
  return "nothing thrown";
}
tflite::model_file read(char const* path) {
  std::string const bytes = temporary::read(path);
  return tflite::model_reader{bytes, path}.read();
}

/// A file of a net, and how far its results are from those of the quantized net, in steps of the file's last integers.
struct written {
  tflite::model_file file;
  double difference, step;

  std::string operators() const {
    std::string r;
    for (tflite::operation const& o : file.operations) r += (r.empty() ? "" : " ") + tflite::name_of(o.code);
    return r;
  }
  tflite::operation const& first(tflite::op code) const {
    for (tflite::operation const& o : file.operations)
      if (o.code == code) return o;
    throw std::runtime_error("no " + tflite::name_of(code));
  }
  tflite::tensor const& operand(tflite::operation const& o, std::size_t i) const {
    return file.tensors.at(static_cast<std::size_t>(o.inputs.at(i)));
  }
};
template <class Net, int... N>
written write(shape<N...> batch, io::tflite_options const& options = {}) {
  temporary::folder const folder;
  esp::model<Net> model{esp::seed{3}};
  scramble(model);
  auto const x = numbers<float, shape<N...>>(7);
  esp::calibration calibration{model, batch};
  esp::result_calibration results{model, batch};
  calibration(x);
  results(x);
  io::write_tflite<shape<N...>>(folder.path("net.tflite"), model, calibration, results, options);
  esp::quantized net{model, calibration, batch};
  tensor<float, typename decltype(net)::output_shape> y;
  net(x, y);
  written r{read(folder.path("net.tflite")), 0, 0};
  std::vector<double> const z = tflite_interpreter{r.file}(x.data());
  BOOST_REQUIRE(static_cast<std::int64_t>(z.size()) == y.size());
  for (std::int64_t i = 0; i < y.size(); ++i)
    r.difference = std::fmax(r.difference, std::fabs(z[static_cast<std::size_t>(i)] - static_cast<double>(y[i])));
  for (tflite::operation const& o : r.file.operations)
    if (o.code == tflite::op::dequantize) r.step = static_cast<double>(r.operand(o, 0).by.scales[0]);
  return r;
}

/// Two products with one matrix.
struct Shared {
  nn::Linear<4, 4> layer;
  ESPALIER_MODULE(Shared, layer)
  constexpr auto forward(auto x) const { return layer(tanh(layer(x))); }
};
using Mlp = nn::Sequential<nn::Linear<6, 7>, nn::ReLU, nn::Linear<7, 3>>;

}  // namespace

/// A result that only another product reads has that product's scale: the file rounds what the net rounds, and the
/// results once more.
BOOST_AUTO_TEST_CASE(products_follow_each_other_in_integers) {
  written const w = write<Mlp>(shape<4, 6>{});
  BOOST_TEST(w.operators() == "QUANTIZE FULLY_CONNECTED FULLY_CONNECTED DEQUANTIZE");
  BOOST_TEST(w.difference < 0.51 * w.step);
  BOOST_TEST(w.difference > 0);
  tflite::operation const& o = w.first(tflite::op::fully_connected);
  BOOST_TEST(o.fields[0] == static_cast<double>(tflite::activation::relu));
  tflite::tensor const &x = w.operand(o, 0), &k = w.operand(o, 1), &b = w.operand(o, 2);
  BOOST_TEST((x.type == tflite::element::int8 && x.by.zero_points[0] >= -128 && x.by.zero_points[0] < 0));
  BOOST_TEST((k.type == tflite::element::int8 && k.extents == tflite::integers{7, 6} && k.by.scales.size() == 7u));
  BOOST_TEST((k.by.zero_points == tflite::integers(7, 0) && k.by.axis == 0));
  BOOST_TEST((b.type == tflite::element::int32 && b.by.scales[3] == x.by.scales[0] * k.by.scales[3]));
  // The second product reads numbers of at least 0.
  BOOST_TEST(w.file.tensors[static_cast<std::size_t>(o.outputs[0])].by.zero_points[0] == -128);
}

BOOST_AUTO_TEST_CASE(a_matrix_may_be_a_convolution_of_one_pixel) {
  written const w = write<Mlp>(shape<4, 6>{}, {.fully_connected = false});
  BOOST_TEST(w.operators() == "QUANTIZE RESHAPE CONV_2D RESHAPE RESHAPE CONV_2D RESHAPE DEQUANTIZE");
  BOOST_TEST(w.difference < 0.51 * w.step);
}

BOOST_AUTO_TEST_CASE(images_have_their_channels_last) {
  using Pictures =
      nn::Sequential<nn::ConvBN<3, 8, 3>, nn::MaxPool2d<2>, nn::Conv<8, 16, 3, nn::conv{.stride = 2, .groups = 2}>,
                     nn::ReLU, nn::Flatten, nn::Linear<16 * 2 * 2, 10>>;
  written const w = write<Pictures>(shape<3, 3, 8, 8>{});
  BOOST_TEST(w.operators() ==
             "QUANTIZE TRANSPOSE CONV_2D MAX_POOL_2D PADV2 CONV_2D DEQUANTIZE RELU TRANSPOSE RESHAPE QUANTIZE "
             "FULLY_CONNECTED DEQUANTIZE");
  BOOST_TEST((w.operand(w.first(tflite::op::conv_2d), 1).extents == tflite::integers{8, 3, 3, 3}));
  BOOST_TEST(w.first(tflite::op::conv_2d).fields[0] == static_cast<double>(tflite::padding::same));
  BOOST_TEST(w.difference < 2 * w.step);  // the results in groups are rounded in between

  using Last = nn::Sequential<nn::ConvBN<2, 8, 3, nn::conv{.layout = nhwc}>,
                              nn::Residual<nn::Sequential<nn::ConvBN<8, 8, 3, nn::conv{.layout = nhwc}>,
                                                          nn::Conv<8, 8, 3, nn::conv{.layout = nhwc}>>>,
                              nn::GlobalAvgPool<nhwc>, nn::Linear<8, 10>, nn::Sigmoid>;
  written const last = write<Last>(shape<2, 8, 8, 2>{});
  BOOST_TEST(last.operators().find("TRANSPOSE") == std::string::npos);
  BOOST_TEST(last.operators().find("ADD MEAN QUANTIZE") != std::string::npos);
  BOOST_TEST(last.difference < 0.02);
}

BOOST_AUTO_TEST_CASE(windows_of_every_kind) {
  using Separable =
      nn::Sequential<nn::Conv<4, 8, 3, nn::conv{.groups = 4}>, nn::ReLU, nn::Conv<8, 8, 3, nn::conv{.stride = 2}>,
                     nn::MaxPool2d<3, esp::pooling{.stride = 2, .padding = 1, .layout = esp::nchw}>, nn::Conv<8, 5, 1>,
                     nn::Conv<5, 4, 3, nn::conv{.padding = 3, .dilation = 2}>>;
  written const w = write<Separable>(shape<2, 4, 9, 8>{});
  BOOST_TEST((w.operand(w.first(tflite::op::depthwise_conv_2d), 1).extents == tflite::integers{1, 3, 3, 8}));
  BOOST_TEST(w.operand(w.first(tflite::op::depthwise_conv_2d), 1).by.axis == 3);
  BOOST_TEST(w.first(tflite::op::depthwise_conv_2d).fields[3] == 2);
  BOOST_TEST(w.difference < 2 * w.step);
  using Averages = nn::Sequential<nn::Conv<1, 3, 3>, nn::AvgPool2d<3, esp::pooling{.padding = 1, .layout = esp::nchw}>,
                                  nn::Flatten, nn::Linear<27, 2>>;
  written const a = write<Averages>(shape<2, 1, 7, 7>{});
  BOOST_TEST(a.operators().find("DEQUANTIZE PADV2 AVERAGE_POOL_2D") != std::string::npos);
  BOOST_TEST(a.difference < 1.01 * a.step);
  using Signals = nn::Sequential<nn::Conv1d<2, 8, 5>, nn::ReLU, nn::Conv1d<8, 3, 3>>;
  written const s = write<Signals>(shape<2, 2, 20>{});
  BOOST_TEST((s.operand(s.first(tflite::op::conv_2d), 1).extents == tflite::integers{8, 1, 5, 2}));
  BOOST_TEST(s.difference < 1.5 * s.step);
}

BOOST_AUTO_TEST_CASE(the_ranges_may_be_stored_ones) {
  temporary::folder const folder;
  esp::model<Mlp> model{esp::seed{1}};
  esp::calibration calibration{model, esp::batch<4, 6>{}};
  esp::result_calibration results{model, esp::batch<4, 6>{}};
  BOOST_TEST(message([&] {
               io::write_tflite<esp::batch<4, 6>>(folder.path("a"), model, calibration, results);
             }).find("expected a calibration that evaluated a batch") != std::string::npos);
  auto const x = numbers<float, shape<4, 6>>(2);
  calibration(x);
  BOOST_TEST(message([&] {
               io::write_tflite<esp::batch<4, 6>>(folder.path("a"), model, calibration, results);
             }).find("expected a calibration that evaluated a batch") != std::string::npos);
  BOOST_TEST(folder.entries() == 0u);
  results(x);
  io::write_tflite<esp::batch<4, 6>>(folder.path("a"), model, calibration, results, {"mine", "a net"});
  io::write_tflite<esp::batch<4, 6>>(folder.path("b"), model, calibration.ranges(), results.ranges(),
                                     {"mine", "a net"});
  BOOST_TEST(temporary::read(folder.path("a")) == temporary::read(folder.path("b")));
  BOOST_TEST(read(folder.path("a")).name == "mine");
  BOOST_TEST(read(folder.path("a")).description == "a net");
  // Another number of samples.
  io::write_tflite<esp::batch<1, 6>>(folder.path("one"), model, calibration, results);
  BOOST_TEST((read(folder.path("one")).tensors[0].extents == tflite::integers{1, 6}));
  esp::activation_ranges<2> none{};
  BOOST_CHECK_THROW((io::write_tflite<esp::batch<4, 6>>(folder.path("c"), model, calibration, none)),
                    esp::quantization_error);
}

BOOST_AUTO_TEST_CASE(what_tensorflow_lite_cannot_have_is_rejected) {
  temporary::folder const folder;
  esp::model<Shared> model{esp::seed{1}};
  esp::calibration calibration{model, esp::batch<2, 4>{}};
  esp::result_calibration results{model, esp::batch<2, 4>{}};
  calibration(numbers<float, shape<2, 4>>(1));
  results(numbers<float, shape<2, 4>>(1));
  BOOST_TEST(message([&] { io::write_tflite<esp::batch<2, 4>>(folder.path("a"), model, calibration, results); }) ==
             std::string{folder.path("a")} + ": products 0 and 1 of the quantized net share their weights");
  BOOST_TEST(message([&] {
               esp::model<Mlp> other{esp::seed{1}};
               esp::calibration c{other, esp::batch<4, 6>{}};
               esp::result_calibration r{other, esp::batch<4, 6>{}};
               c(numbers<float, shape<4, 6>>(1));
               r(numbers<float, shape<4, 6>>(1));
               io::write_tflite<esp::batch<4, 6>>(folder.path("no/such/folder"), other, c, r);
             }).find("no/such/folder: cannot be written") != std::string::npos);
  BOOST_TEST(folder.entries() == 0u);
}
