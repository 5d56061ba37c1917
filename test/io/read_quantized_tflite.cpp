// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_read_quantized_tflite
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <fstream>
#include <tuple>

#include <espalier/io/read_quantized_tflite.hpp>
#include <espalier/io/tflite.hpp>

#include "support/base64.hpp"
#include "support/nets.hpp"
#include "support/temporary.hpp"
#include "tflite_files.hpp"

using namespace test;
namespace io = espalier::io;
namespace tflite = espalier::io::tflite;
using esp::nhwc, esp::shape, esp::tensor;

namespace {

/// Writes a quantized net, reads it and counts the results that differ.
template <class Net, int... N>
int differing_after_a_file(shape<N...> batch, bool fully_connected = true) {
  temporary::folder const folder;
  esp::model<Net> model{esp::seed{3}};
  scramble(model);
  auto const x = numbers<float, shape<N...>>(7);
  esp::calibration calibration{model, batch};
  esp::result_calibration results{model, batch};
  calibration(x);
  results(x);
  io::write_tflite<shape<N...>>(folder.path("net"), model, calibration, results, {.fully_connected = fully_connected});
  esp::quantized written{model, calibration, batch};
  auto read = io::read_quantized_tflite<Net, shape<N...>>(folder.path("net"));
  static_assert(std::is_same_v<decltype(read), decltype(written)>);
  tensor<float, typename decltype(read)::output_shape> expected, y;
  written(x, expected);
  read(x, y);
  int n = 0;
  for (std::int64_t i = 0; i < y.size(); ++i) n += !(expected[i] == y[i]);
  return n;
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
/// The file is in memory of its own, so that a sanitizer finds reads behind its end.
template <class Net, class Batch>
auto quantized_of(std::string const& bytes) {
  std::vector<char> const exact(bytes.begin(), bytes.end());
  return tflite::quantized_of_bytes<Net, Batch>({exact.data(), exact.size()}, "net");
}
template <class Net, class Batch>
std::string message_of(std::string const& bytes) {
  return message([&] { (void)quantized_of<Net, Batch>(bytes); });
}

/// The largest difference from the results of TensorFlow Lite's interpreter.
template <class Net, int... N, std::size_t In, std::size_t Out>
double difference(shape<N...>, char const* file, float const (&x)[In], float const (&y)[Out]) {
  temporary::folder const folder;
  write(folder.path("net"), from_base64(file));
  auto read = io::read_quantized_tflite<Net, shape<N...>>(folder.path("net"));
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

constexpr nn::conv last{.layout = nhwc};
using Dense = nn::Sequential<nn::Linear<64, 8>, nn::ReLU, nn::Linear<8, 10>, nn::Softmax<>>;
using Images = nn::Sequential<nn::ConvBN<1, 4, 3, last>, nn::MaxPool2d<2, esp::pooling{.layout = nhwc}>,
                              nn::Conv<4, 4, 3, nn::conv{.groups = 4, .layout = nhwc}>, nn::ReLU,
                              nn::Conv<4, 4, 1, last>, nn::ReLU, nn::Flatten, nn::Linear<64, 10>>;
/// What the padding SAME of TensorFlow is for a stride of 2: only below and on the right.
constexpr nn::conv half{.stride = 2, .padding = {0, 0, 1, 1}, .layout = nhwc};
template <nn::conv Half>
struct Residual {
  nn::Conv<1, 3, 3, last> first;
  nn::Conv<3, 3, 3, last> second;
  nn::Conv<3, 4, 3, Half> third;
  nn::GlobalAvgPool<nhwc> mean;
  nn::Linear<4, 10> classes;
  ESPALIER_MODULE(Residual, first, second, third, mean, classes)
  constexpr auto forward(auto x) const {
    auto const y = relu(first(x));
    return sigmoid(classes(mean(relu(third(relu(y + second(y)))))));
  }
};

struct Two {
  nn::Linear<4, 3> first;
  nn::Linear<5, 3> second;
  ESPALIER_MODULE(Two, first, second)
  constexpr auto forward(auto x, auto h) const {
    auto const y = second(h);
    return std::tuple{first(x) + y, y};
  }
};

using Small = nn::Sequential<nn::Linear<6, 7>, nn::ReLU, nn::Linear<7, 3>>;
tflite::model_file file_of_small() {
  temporary::folder const folder;
  esp::model<Small> model{esp::seed{3}};
  esp::calibration calibration{model, shape<4, 6>{}};
  esp::result_calibration results{model, shape<4, 6>{}};
  calibration(numbers<float, shape<4, 6>>(7));
  results(numbers<float, shape<4, 6>>(7));
  io::write_tflite<shape<4, 6>>(folder.path("net"), model, calibration, results);
  std::string const bytes = temporary::read(folder.path("net"));
  return tflite::model_reader{bytes, "net"}.read();
}
/// What reading a changed file reports behind the file's name.
std::string message_of_changed(auto&& change) {
  tflite::model_file file = file_of_small();
  change(file);
  std::string const text = message_of<Small, shape<4, 6>>(tflite::model_writer{file}.bytes());
  return text.starts_with("net: ") ? text.substr(5) : text;
}
tflite::tensor& named(tflite::model_file& f, std::string const& name) {
  for (auto& t : f.tensors)
    if (t.name == name) return t;
  throw std::runtime_error("no tensor " + name);
}
void contains(std::string const& text, char const* part) {
  BOOST_TEST(text.find(part) != std::string::npos, text << " does not contain " << part);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_written_has_the_same_bits) {
  BOOST_TEST(differing_after_a_file<Small>(shape<4, 6>{}) == 0);
  BOOST_TEST(differing_after_a_file<Small>(shape<4, 6>{}, false) == 0);
  using Pictures = nn::Sequential<nn::ConvBN<3, 8, 3>,
                                  nn::MaxPool2d<3, esp::pooling{.stride = 2, .padding = 1, .layout = esp::nchw}>,
                                  nn::Conv<8, 16, 3, nn::conv{.stride = 2}>, nn::ReLU,
                                  nn::AvgPool2d<3, esp::pooling{.stride = 1, .padding = 1, .layout = esp::nchw}>,
                                  nn::Flatten, nn::Linear<16 * 2 * 2, 10>, nn::LogSoftmax<>>;
  BOOST_TEST(differing_after_a_file<Pictures>(shape<3, 3, 8, 8>{}) == 0);
  using Separable = nn::Sequential<nn::Conv<4, 8, 3, nn::conv{.groups = 4}>, nn::ReLU, nn::Conv<8, 5, 1>,
                                   nn::Softmax<1>, nn::Conv<5, 4, 3, nn::conv{.dilation = 2, .layout = esp::nchw}>>;
  BOOST_TEST(differing_after_a_file<Separable>(shape<2, 4, 9, 8>{}) == 0);
  using Signals = nn::Sequential<nn::Conv1d<2, 8, 5>, nn::ReLU, nn::Conv1d<8, 8, 3, nn::conv{.groups = 8}>>;
  BOOST_TEST(differing_after_a_file<Signals>(shape<2, 2, 20>{}) == 0);
  using Normed = nn::Sequential<nn::Linear<16, 32>, nn::BatchNorm1d<32>, nn::ReLU,
                                nn::Residual<nn::Sequential<nn::Linear<32, 32>, nn::LayerNorm1d<32>, nn::Tanh>>,
                                nn::Linear<32, 4, nn::no_bias>, nn::Softmax<>>;
  BOOST_TEST(differing_after_a_file<Normed>(shape<8, 16>{}) == 0);
  BOOST_TEST((differing_after_a_file<nn::MultiheadAttention<32, 4>>(shape<2, 6, 32>{})) == 0);
}

BOOST_AUTO_TEST_CASE(nets_of_several_inputs_and_of_indices_have_the_same_bits) {
  temporary::folder const folder;
  {
    esp::model<Two> model{esp::seed{1}};
    esp::calibration calibration{model, esp::batch<2, 4>{}, esp::batch<2, 5>{}};
    esp::result_calibration results{model, esp::batch<2, 4>{}, esp::batch<2, 5>{}};
    auto const x = numbers<float, shape<2, 4>>(1);
    auto const h = numbers<float, shape<2, 5>>(2);
    calibration(x, h);
    results(x, h);
    using batches = esp::shapes<esp::batch<2, 4>, esp::batch<2, 5>>;
    io::write_tflite<batches>(folder.path("two"), model, calibration, results);
    esp::quantized written{model, calibration, esp::batch<2, 4>{}, esp::batch<2, 5>{}};
    auto read = io::read_quantized_tflite<Two, batches>(folder.path("two"));
    tensor<float, shape<2, 3>> a, b, of_file, also_of_file;
    written(x, h, a, b);
    read(x, h, of_file, also_of_file);
    for (int i = 0; i < 6; ++i) BOOST_TEST((a[i] == of_file[i] && b[i] == also_of_file[i]));
  }
  using Words = nn::Sequential<nn::Embedding<10, 8>, nn::Linear<8, 3>>;
  esp::model<Words> model{esp::seed{1}};
  tensor<std::int32_t, shape<2, 5>> x;
  for (int i = 0; i < 10; ++i) x[i] = i * 7 % 10;
  esp::calibration calibration{model, esp::batch<2, 5>{}};
  esp::result_calibration results{model, esp::batch<2, 5>{}};
  calibration(x);
  results(x);
  io::write_tflite<esp::batch<2, 5>>(folder.path("words"), model, calibration, results);
  esp::quantized written{model, calibration, esp::batch<2, 5>{}};
  auto read = io::read_quantized_tflite<Words, esp::batch<2, 5>>(folder.path("words"));
  tensor<float, shape<2, 5, 3>> y, of_file;
  written(x, y);
  read(x, of_file);
  for (int i = 0; i < 30; ++i) BOOST_TEST(y[i] == of_file[i]);
}

/// The interpreter also rounds results and values between products, to half a step of 1/255 of their range each.
// All samples have numbers of one sign; that is no ReLU, neither between the products nor behind them.
BOOST_AUTO_TEST_CASE(results_of_one_sign_are_read) {
  using Net = nn::Sequential<nn::Linear<2, 3>, nn::Linear<3, 2>>;
  using batch = esp::batch<4, 2>;
  for (float const sign : {-1.0f, 1.0f}) {
    esp::model<Net> model{esp::seed{1}};
    for (float& p : model.parameters()) p = 0.25f;
    for (float& b : model.parameter("0.bias").span()) b = 2 * sign;
    for (float& b : model.parameter("1.bias").span()) b = 4 * sign;
    auto const x = numbers<float, batch>(1);
    esp::calibration calibration{model, batch{}};
    esp::result_calibration results{model, batch{}};
    calibration(x);
    results(x);
    temporary::folder const folder;
    io::write_tflite<batch>(folder.path("net"), model, calibration, results);
    esp::quantized written{model, calibration, batch{}};
    auto read = io::read_quantized_tflite<Net, batch>(folder.path("net"));
    tensor<float, shape<4, 2>> of_net, of_file;
    written(x, of_net);
    read(x, of_file);
    BOOST_TEST(sign * of_net[0] > 0);
    BOOST_TEST(of_net == of_file);
  }
}

BOOST_AUTO_TEST_CASE(files_of_tensorflow_have_its_results) {
  namespace files = test::tflite_files;
  BOOST_TEST(difference<Dense>(shape<4, 64>{}, files::dense, files::dense_x, files::dense_y) < 0.02);
  BOOST_TEST(difference<Images>(shape<4, 8, 8, 1>{}, files::images, files::images_x, files::images_y) < 0.15);
  BOOST_TEST(difference<Residual<half>>(shape<4, 8, 8, 1>{}, files::residual, files::residual_x, files::residual_y) <
             0.02);
}

BOOST_AUTO_TEST_CASE(files_of_other_nets_are_rejected_in_words) {
  std::string const dense = from_base64(test::tflite_files::dense);
  using Wider = nn::Sequential<nn::Linear<64, 9>, nn::ReLU, nn::Linear<9, 10>, nn::Softmax<>>;
  contains(message_of<Wider, shape<4, 64>>(dense), "with weights of shape (9, 10), as in the net, got (8, 10)");
  using NoSoftmax = nn::Sequential<nn::Linear<64, 8>, nn::ReLU, nn::Linear<8, 10>>;
  contains(message_of<NoSoftmax, shape<4, 64>>(dense), "Softmax");
  using NoReLU = nn::Sequential<nn::Linear<64, 8>, nn::Linear<8, 10>, nn::Softmax<>>;
  contains(message_of<NoReLU, shape<4, 64>>(dense), "where the file has Relu");
  contains(message_of<Dense, shape<4, 2, 64>>(dense), "of shape (4, 2, 64), with any number of samples, got (1, 64)");
  std::string const residual = from_base64(test::tflite_files::residual);
  constexpr nn::conv symmetric{.stride = 2, .layout = nhwc};
  contains(message_of<Residual<symmetric>, shape<4, 8, 8, 1>>(residual), "with padding in front of (1, 1), got (0, 0)");
}

BOOST_AUTO_TEST_CASE(numbers_that_do_not_fit_are_rejected_in_words) {
  using tflite::model_file;
  BOOST_TEST(message_of_changed([](model_file&) {}) == "nothing thrown");
  BOOST_TEST(message_of_changed([](model_file& f) {
               named(f, "weights_of_product_0").by.zero_points[2] = 1;
             }).find("expected the same zero point for all indices, got several") != std::string::npos);
  contains(message_of_changed([](model_file& f) {
             for (auto& z : named(f, "weights_of_product_0").by.zero_points) z = 3;
           }),
           "with symmetric weights, zero point 0, got 3");
  contains(message_of_changed([](model_file& f) {
             named(f, "weights_of_product_0").by.scales[1] = 0;
             named(f, "weights_of_product_0_bias").by = {};
           }),
           "expected a scale from 1e-30 to 1e30, got 0");
  contains(message_of_changed([](model_file& f) { named(f, "weights_of_product_0").by.axis = 1; }),
           "expected one scale, or one for each of the 7 outputs, got 7 along axis 1");
  contains(message_of_changed([](model_file& f) { named(f, "weights_of_product_1_bias").by.scales[0] *= 2; }),
           "expected a bias in units of both scales");
  contains(message_of_changed([](model_file& f) { named(f, "weights_of_product_1").type = tflite::element::float32; }),
           "of shape (3, 7) has 21 bytes");
  contains(message_of_changed([](model_file& f) {
             f.tensors[static_cast<std::size_t>(f.operations[0].outputs[0])].by.zero_points[0] = 200;
           }),
           "zero point 200 is outside its type's range");
  contains(message_of_changed([](model_file& f) {
             f.tensors[static_cast<std::size_t>(f.operations[0].outputs[0])].by.scales.clear();
           }),
           "expected one scale and one zero point for all elements, got 0 and 0");
  // Products of floats have no integers.
  contains(message_of_changed([](model_file& f) {
             f.operations[1].inputs[0] = f.inputs[0];
             named(f, "weights_of_product_0_bias") = {"bias", tflite::element::float32, {7}, 0};
             named(f, "bias").buffer = f.buffers.size();
             f.buffers.push_back(std::string(28, '\0'));
           }),
           "expected QuantizeLinear and DequantizeLinear in front of MatMul");
}

BOOST_AUTO_TEST_CASE(operators_that_do_not_fit_are_rejected_in_words) {
  using tflite::model_file;
  contains(message_of_changed([](model_file& f) { f.operations[2].code = static_cast<tflite::op>(44); }),
           "operator 44 \"matmul_2\": the operator is not read");
  contains(message_of_changed([](model_file& f) { f.operations[1].fields[0] = 4; }), "its activation is not read");
  BOOST_TEST(message_of_changed([](model_file& f) { f.operations[1].fields[0] = 3; }) ==
             "the net has Add where the file has Clip \"matmul_1_2\"");
  contains(message_of_changed([](model_file& f) { f.operations[1].options = 5; }),
           "its options are those of another operator");
  contains(message_of_changed([](model_file& f) { f.operations.erase(f.operations.begin()); }),
           "nothing in front of its readers computes \"x_int8_1\"");
  contains(message_of_changed([](model_file& f) { std::swap(f.operations[0], f.operations[2]); }),
           "nothing in front of its readers computes");
  contains(message_of_changed([](model_file& f) { f.operations[2].outputs = f.operations[1].outputs; }),
           "its result is that of a second operator");
  contains(message_of_changed([](model_file& f) { f.operations[1].inputs.resize(1); }), "an operand is missing");
  contains(message_of_changed([](model_file& f) { f.operations[1].inputs[1] = f.operations[1].inputs[0]; }),
           "expected constant weights of 2 axes");
  contains(message_of_changed([](model_file& f) {
             f.tensors[static_cast<std::size_t>(f.operations[1].outputs[0])].extents = {7, 4};
           }),
           "has another shape than its operands give, (4, 7)");
  contains(message_of_changed([](model_file& f) { f.inputs.push_back(f.inputs[0]); }), "an input twice");
  BOOST_TEST(message_of_changed([](model_file& f) { f.outputs.push_back(f.outputs[0]); }) ==
             "expected 1 outputs, got 2");
  contains(message_of_changed([](model_file& f) { f.outputs.clear(); }), "expected 1 outputs, got 0");
}

/// Files with changed bytes are read or rejected, and nothing beyond them is read.
BOOST_AUTO_TEST_CASE(damaged_files_are_read_or_rejected) {
  std::string const whole = from_base64(test::tflite_files::dense);
  for (std::size_t n = 0; n < whole.size(); n += 61)
    BOOST_CHECK_THROW((quantized_of<Dense, shape<4, 64>>(whole.substr(0, n))), io::format_error);
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
    try {
      (void)quantized_of<Dense, shape<4, 64>>(damaged);
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
