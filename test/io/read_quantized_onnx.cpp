// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_read_quantized_onnx
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <fstream>

#include <espalier/io/read_quantized_onnx.hpp>

#include "runtime_files.hpp"
#include "support/base64.hpp"
#include "support/nets.hpp"
#include "support/temporary.hpp"

using namespace test;
namespace io = espalier::io;
using esp::shape, esp::tensor;

namespace {

template <class T>
int differing(T const& a, T const& b) {
  int n = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) n += !(a[i] == b[i]);
  return n;
}

/// Writes a quantized net, reads it and counts the results that differ.
template <class Net, int... N>
int differing_after_a_file(shape<N...> batch) {
  temporary::folder const folder;
  esp::model<Net> model{esp::seed{3}};
  scramble(model);
  auto const x = numbers<float, shape<N...>>(7);
  esp::calibration calibration{model, batch};
  calibration(x);
  io::write_quantized_onnx<shape<N...>>(folder.path("net.onnx"), model, calibration);
  esp::quantized written{model, calibration, batch};
  auto read = io::read_quantized_onnx<Net, shape<N...>>(folder.path("net.onnx"));
  static_assert(std::is_same_v<decltype(read), decltype(written)>);
  tensor<float, typename decltype(read)::output_shape> expected, y;
  written(x, expected);
  read(x, y);
  return differing(expected, y);
}

void write(char const* path, std::string const& bytes) { std::ofstream{path, std::ios::binary} << bytes; }
std::string message(auto&& f) {
  try {
    f();
  } catch (std::exception const& e) {
    return e.what();
  }
  return "nothing thrown";
}

/// The largest difference from the results of ONNX Runtime.
template <class Net, int... N, std::size_t In, std::size_t Out>
double difference(shape<N...>, char const* file, float const (&x)[In], float const (&y)[Out]) {
  temporary::folder const folder;
  char const* const path = folder.path("net.onnx");
  write(path, from_base64(file));
  auto read = io::read_quantized_onnx<Net, shape<N...>>(path);
  tensor<float, shape<N...>> in;
  tensor<float, typename decltype(read)::output_shape> out;
  BOOST_REQUIRE(in.size() == static_cast<std::int64_t>(In));
  BOOST_REQUIRE(out.size() == static_cast<std::int64_t>(Out));
  std::copy(x, x + In, in.data());
  read(in, out);
  double worst = 0;
  for (std::size_t i = 0; i < Out; ++i) worst = std::fmax(worst, std::fabs(static_cast<double>(out.data()[i] - y[i])));
  return worst;
}

using Small = nn::Sequential<nn::Linear<6, 7>, nn::ReLU, nn::Linear<7, 3>>;
using Images = nn::Sequential<nn::Conv<2, 3, 3, nn::conv{.stride = 2}>, nn::ReLU, nn::Conv<3, 2, 1>>;

/// What reading a changed file says behind the file's name.
template <class Net, int... N>
std::string message_of_changed(shape<N...> batch, auto&& change) {
  temporary::folder const folder;
  char const* const path = folder.path("net.onnx");
  esp::model<Net> model{esp::seed{3}};
  esp::calibration calibration{model, batch};
  calibration(numbers<float, shape<N...>>(7));
  io::write_quantized_onnx<shape<N...>>(path, model, calibration);
  io::onnx::model_file file = io::onnx::read_model(path);
  change(file);
  write(path, file.to_protobuf().bytes());
  std::string const text = message([&] { (void)io::read_quantized_onnx<Net, shape<N...>>(path); });
  std::string const before = std::string{path} + ": ";
  return text.starts_with(before) ? text.substr(before.size()) : text;
}
std::string message_of_small(auto&& change) { return message_of_changed<Small>(shape<4, 6>{}, change); }
io::onnx::initializer& named(io::onnx::model_file& file, std::string const& name) {
  for (auto& i : file.initializers)
    if (i.name == name) return i;
  throw std::runtime_error("no initializer " + name);
}
io::onnx::operation& first(io::onnx::model_file& file, std::string const& type) {
  for (auto& o : file.operations)
    if (o.type == type) return o;
  throw std::runtime_error("no operation " + type);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_written_has_the_same_bits) {
  BOOST_TEST((differing_after_a_file<nn::Sequential<nn::Linear<6, 7>, nn::ReLU, nn::Linear<7, 3>>>(shape<4, 6>{})) ==
             0);
  using Pictures = nn::Sequential<nn::ConvBN<3, 8, 3>, nn::MaxPool2d<2>, nn::Conv<8, 16, 3, nn::conv{.groups = 2}>,
                                  nn::ReLU, nn::AvgPool2d<2>, nn::Flatten, nn::Linear<16 * 2 * 2, 10>>;
  BOOST_TEST(differing_after_a_file<Pictures>(shape<3, 3, 8, 8>{}) == 0);
  using Separable =
      nn::Sequential<nn::Conv<4, 4, 3, nn::conv{.groups = 4}>, nn::ReLU, nn::ConvBN<4, 8, 3, nn::conv{.stride = 2}>,
                     nn::Conv<8, 5, 1>, nn::Conv<5, 4, 3, nn::conv{.dilation = 2}>>;
  BOOST_TEST(differing_after_a_file<Separable>(shape<2, 4, 9, 8>{}) == 0);
  using Signals = nn::Sequential<nn::Conv1d<2, 8, 5>, nn::ReLU, nn::Conv1d<8, 3, 3>>;
  BOOST_TEST(differing_after_a_file<Signals>(shape<2, 2, 20>{}) == 0);
  using Normed = nn::Sequential<nn::Linear<16, 32>, nn::BatchNorm1d<32>, nn::ReLU,
                                nn::Residual<nn::Sequential<nn::Linear<32, 32>, nn::LayerNorm1d<32>, nn::Tanh>>,
                                nn::Linear<32, 4>, nn::Softmax<>>;
  BOOST_TEST(differing_after_a_file<Normed>(shape<8, 16>{}) == 0);
  BOOST_TEST((differing_after_a_file<nn::MultiheadAttention<32, 4>>(shape<2, 6, 32>{})) == 0);
}

/// The steps of weights depend on the bias.
BOOST_AUTO_TEST_CASE(a_large_bias_has_the_same_bits) {
  using Net = nn::Linear<4, 2>;
  temporary::folder const folder;
  esp::model<Net> model{esp::seed{1}};
  model.for_each_parameter([](char const*, esp::extents const&, auto span) {
    for (float& w : span) w = span.size() == 2 ? 1e6f : 1e-8f;
  });
  tensor<float, shape<1, 4>> x;
  x.fill(1);
  esp::calibration calibration{model, esp::batch<1, 4>{}};
  calibration(x);
  io::write_quantized_onnx<esp::batch<1, 4>>(folder.path("net.onnx"), model, calibration);
  esp::quantized written{model, calibration, esp::batch<1, 4>{}};
  auto read = io::read_quantized_onnx<Net, esp::batch<1, 4>>(folder.path("net.onnx"));
  tensor<float, shape<1, 2>> expected, y;
  written(x, expected);
  read(x, y);
  BOOST_TEST(differing(expected, y) == 0);
  BOOST_TEST(std::fabs(y[0] - 1e6f) < 1.0f);
}

BOOST_AUTO_TEST_CASE(batches_may_have_another_number_of_samples) {
  temporary::folder const folder;
  esp::model<Images> model{esp::seed{3}};
  auto const x = numbers<float, shape<2, 2, 9, 9>>(7);
  esp::calibration calibration{model, esp::batch<2, 2, 9, 9>{}};
  calibration(x);
  io::write_quantized_onnx<esp::batch<2, 2, 9, 9>>(folder.path("two.onnx"), model, calibration);
  io::write_quantized_onnx<io::any_batch<2, 9, 9>>(folder.path("any.onnx"), model, calibration);
  auto two = io::read_quantized_onnx<Images, esp::batch<2, 2, 9, 9>>(folder.path("any.onnx"));
  auto one = io::read_quantized_onnx<Images, esp::batch<1, 2, 9, 9>>(folder.path("two.onnx"));
  tensor<float, shape<2, 2, 5, 5>> y;
  two(x, y);
  for (int n = 0; n < 2; ++n) {
    tensor<float, shape<1, 2, 9, 9>> sample;
    std::copy_n(x.data() + 162 * n, 162, sample.data());
    tensor<float, shape<1, 2, 5, 5>> of_sample;
    one(sample, of_sample);
    for (int i = 0; i < 50; ++i) BOOST_TEST(of_sample[i] == y[50 * n + i]);
  }
}

/// ONNX Runtime also rounds results and values between products, to half a step of 1/255 of their range each.
BOOST_AUTO_TEST_CASE(files_of_onnx_runtime_have_its_results) {
  namespace files = test::runtime_files;
  using Pictures =
      nn::Sequential<nn::ConvBN<1, 4, 3>, nn::MaxPool2d<2>, nn::Conv<4, 4, 3, nn::conv{.stride = 2, .groups = 4}>,
                     nn::ReLU, nn::Flatten, nn::Linear<16, 3>>;
  BOOST_TEST(difference<Pictures>(shape<2, 1, 8, 8>{}, files::pictures_u8, files::pictures_u8_x, files::pictures_u8_y) <
             0.005);
  using Mlp = nn::Sequential<nn::Linear<6, 7>, nn::ReLU, nn::Linear<7, 5>, nn::Tanh, nn::Linear<5, 3>, nn::Softmax<>>;
  BOOST_TEST(difference<Mlp>(shape<4, 6>{}, files::mlp_s8, files::mlp_s8_x, files::mlp_s8_y) < 0.01);
  using Sequences = nn::Sequential<nn::Linear<6, 8>, nn::ReLU, nn::Residual<nn::Sequential<nn::Linear<8, 8>, nn::ReLU>>,
                                   nn::Linear<8, 5>>;
  BOOST_TEST(difference<Sequences>(shape<2, 3, 6>{}, files::sequences_u8, files::sequences_u8_x,
                                   files::sequences_u8_y) < 0.02);
  temporary::folder const folder;
  write(folder.path("a.onnx"), from_base64(files::asymmetric));
  std::string const text =
      message([&] { (void)io::read_quantized_onnx<nn::Linear<2, 4>, esp::batch<8, 2>>(folder.path("a.onnx")); });
  BOOST_TEST(text.find("with symmetric weights, zero point 128, got ") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(files_of_other_nets_are_refused_in_words) {
  temporary::folder const folder;
  char const* const path = folder.path("net.onnx");
  write(path, from_base64(test::runtime_files::mlp_s8));
  auto const read = [&]<class Net, int... N>(std::type_identity<Net>, shape<N...>) {
    return message([&] { (void)io::read_quantized_onnx<Net, shape<N...>>(path); });
  };
  auto const contains = [](std::string const& text, char const* part) {
    BOOST_TEST(text.find(part) != std::string::npos, text << " does not contain " << part);
  };
  using Wider = nn::Sequential<nn::Linear<6, 7>, nn::ReLU, nn::Linear<7, 6>, nn::Tanh, nn::Linear<6, 3>, nn::Softmax<>>;
  contains(read(std::type_identity<Wider>{}, shape<4, 6>{}), "with weights of shape (6, 3), as in the net, got (5, 3)");
  using Other =
      nn::Sequential<nn::Linear<6, 7>, nn::ReLU, nn::Linear<7, 5>, nn::Sigmoid, nn::Linear<5, 3>, nn::Softmax<>>;
  contains(read(std::type_identity<Other>{}, shape<4, 6>{}), "the net has Sigmoid where the file has Tanh ");
  contains(read(std::type_identity<Small>{}, shape<4, 6>{}),
           "the file sets numbers of Softmax \"y_QuantizeLinear_Input\" below 0 to 0");
  contains(read(std::type_identity<Small>{}, shape<4, 2, 6>{}),
           "expected input \"x\" of shape (4, 2, 6), with any number");
  // A ReLU that the file has as a clipped range, in front of what is no product.
  using NoReLU =
      nn::Sequential<nn::Linear<6, 8>, nn::Residual<nn::Sequential<nn::Linear<8, 8>, nn::ReLU>>, nn::Linear<8, 5>>;
  write(path, from_base64(test::runtime_files::sequences_u8));
  contains(read(std::type_identity<NoReLU>{}, shape<2, 3, 6>{}), "below 0 to 0, and the net has no ReLU there");
  write(path, "no ONNX");
  contains(read(std::type_identity<Small>{}, shape<4, 6>{}), "expected");
}

BOOST_AUTO_TEST_CASE(scales_and_zero_points_that_do_not_fit_are_refused_in_words) {
  using io::onnx::element, io::onnx::model_file;
  BOOST_TEST(message_of_small([](model_file&) {}) == "nothing thrown");
  for (double const scale : {0.0, -0.5, 1e38})
    BOOST_TEST(message_of_small([&](model_file& f) {
                 named(f, "scale_0").numbers[0] = scale;
               }).find("expected a scale from 1e-30 to 1e30, got ") != std::string::npos);
  BOOST_TEST(message_of_small([](model_file& f) {
               named(f, "scale_1").extents = {7};
               named(f, "scale_1").numbers.assign(7, 0.5);
             }) == "QuantizeLinear \"integers_of_activations_1\": expected one scale for all activations, got 7");
  BOOST_TEST(message_of_small([](model_file& f) { named(f, "zero_points_of_weights_1").whole.assign(3, 4); }) ==
             "expected MatMul \"matmul_2\" with symmetric weights, zero point 0, got 4");
  BOOST_TEST(message_of_small([](model_file& f) {
               named(f, "zero_point_0").type = element::int64;
             }).find("expected a zero point of 8 bits") != std::string::npos);
  BOOST_TEST(message_of_small([](model_file& f) {
               f.initializers.push_back({"other", element::uint8, {}, {}, {9}});
               first(f, "DequantizeLinear").inputs[2] = "other";
             }).find("have different scales or zero points") != std::string::npos);
  BOOST_TEST(message_of_small([](model_file& f) {
               named(f, "scales_of_weights_0").extents = {6};
             }).find("has 7 elements") != std::string::npos);
  BOOST_TEST(message_of_small([](model_file& f) {
               for (auto& o : f.operations)
                 if (o.result == "quantized_weights_0") o.attributes[0].value = 0;
             }).find("expected a scale for each index of axis 0 of (6, 7), got 7") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(operations_that_do_not_fit_are_refused_in_words) {
  using io::onnx::model_file;
  BOOST_TEST(message_of_small([](model_file& f) { first(f, "MatMul").inputs[0] = "x"; }) ==
             "expected QuantizeLinear and DequantizeLinear in front of MatMul \"matmul_1\", got the input \"x\"");
  BOOST_TEST(message_of_small([](model_file& f) {
               std::erase_if(f.operations, [](auto const& o) { return o.type == "QuantizeLinear"; });
             }).find("which nothing in front of it computes") != std::string::npos);
  BOOST_TEST(message_of_small([](model_file& f) {
               first(f, "DequantizeLinear").inputs[0] = "x";
             }).find("expected QuantizeLinear in front of \"activations_0\", got the input \"x\"") !=
             std::string::npos);
  BOOST_TEST(message_of_small([](model_file& f) { first(f, "Relu").type = "Tanh"; }) ==
             "the net has Add where the file has Tanh \"relu_1\"");
  BOOST_TEST(message_of_small([](model_file& f) {
               first(f, "Relu").type = "com.microsoft.Gelu";
             }).find("where the file has com.microsoft.Gelu \"relu_1\"") != std::string::npos);
  BOOST_TEST(message_of_small([](model_file& f) { f.outputs.push_back(f.outputs[0]); }) == "expected 1 outputs, got 2");
  BOOST_TEST(
      message_of_small([](model_file& f) { f.operator_set = 11; }).starts_with("expected operator set 13 or later"));
  auto const images = [](auto&& change) { return message_of_changed<Images>(shape<1, 2, 9, 9>{}, change); };
  BOOST_TEST(images([](model_file&) {}) == "nothing thrown");
  BOOST_TEST(images([](model_file& f) {
               for (auto& a : first(f, "Conv").attributes)
                 if (a.name == "pads") a.values = {0, 1, 2, 1};
             }).find("with padding in front of (1, 1), got (0, 1)") != std::string::npos);
  BOOST_TEST(images([](model_file& f) {
               for (auto& a : first(f, "Conv").attributes)
                 if (a.name == "strides") a.values = {2, 1};
             }) == "expected Conv \"y\" of shape (1, 2, 5, 5), as in the net, got (1, 2, 5, 9)");
  BOOST_TEST(images([](model_file& f) {
               for (auto& a : first(f, "Conv").attributes)
                 if (a.name == "pads") a.values = {1, 1, 1, 1};
             }) == "nothing thrown");
  BOOST_TEST(images([](model_file& f) { first(f, "Conv").inputs.pop_back(); }).find("with a bias") !=
             std::string::npos);
  // Without kernels, which the attributes describe as well, and with the bias in their place.
  for (std::size_t const operands : {1u, 2u})
    BOOST_TEST(images([&](model_file& f) {
                 auto& inputs = first(f, "Conv").inputs;
                 inputs.erase(inputs.begin() + 1);
                 inputs.resize(operands);
               }).find("automatic padding is not read, nor windows of unknown shape") != std::string::npos);
  BOOST_TEST(images([](model_file& f) { first(f, "Conv").inputs[2] = f.inputs[0].name; }) ==
             "expected constant numbers, got the input \"x\"");
  BOOST_TEST(images([](model_file& f) {
               io::onnx::operation relu{};
               relu.type = "Relu";
               relu.inputs = {first(f, "Conv").inputs[2]};
               relu.result = "computed";
               first(f, "Conv").inputs[2] = relu.result;
               f.operations.insert(f.operations.begin(), relu);
             }) == "expected constant numbers, got Relu \"computed\"");
}

BOOST_AUTO_TEST_CASE(truncated_files_are_refused) {
  temporary::folder const folder;
  char const* const path = folder.path("net.onnx");
  std::string const whole = from_base64(test::runtime_files::asymmetric);
  for (std::size_t n = 0; n < whole.size(); n += 7) {
    write(path, whole.substr(0, n));
    BOOST_CHECK_THROW((io::read_quantized_onnx<nn::Linear<2, 4>, esp::batch<8, 2>>(path)), io::format_error);
  }
}

/// Files with changed bytes are read or rejected, and nothing beyond them is read.
BOOST_AUTO_TEST_CASE(damaged_files_are_read_or_refused) {
  temporary::folder const folder;
  char const* const path = folder.path("net.onnx");
  std::string const whole = from_base64(test::runtime_files::mlp_s8);
  using Mlp = nn::Sequential<nn::Linear<6, 7>, nn::ReLU, nn::Linear<7, 5>, nn::Tanh, nn::Linear<5, 3>, nn::Softmax<>>;
  int rejected = 0, read = 0;
  std::uint32_t random = 1;
  for (int i = 0; i < 1500; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 1 + i % 3; ++k) {
      random = random * 1664525u + 1013904223u;
      std::size_t const at = (random >> 8) % damaged.size();
      random = random * 1664525u + 1013904223u;
      damaged[at] =
          static_cast<char>(i % 2 == 0 ? damaged[at] ^ (1 << (random >> 29)) : static_cast<int>(random >> 24));
    }
    write(path, damaged);
    try {
      (void)io::read_quantized_onnx<Mlp, esp::batch<4, 6>>(path);
      ++read;
    } catch (io::error const&) {
      ++rejected;
    } catch (esp::quantization_error const&) {
      ++rejected;
    }
  }
  BOOST_TEST(rejected + read == 1500);
  BOOST_TEST(rejected > 300);
}
