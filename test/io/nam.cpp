// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_nam
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <fstream>

#include <espalier.hpp>
#include <espalier/io/nam.hpp>
#include <espalier/nn/nam.hpp>

#include "support/file_errors.hpp"
#include "support/temporary.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace io = espalier::io;
namespace nam = espalier::nn::nam;

namespace {

temporary::folder const& folder() {
  static temporary::folder const one;
  return one;
}
char const* file_of(std::string const& content) {
  char const* const path = folder().path("net.nam");
  std::ofstream{path, std::ios::binary} << content;
  return path;
}
std::string replaced(std::string text, std::string const& old, std::string const& now) {
  std::size_t const at = text.find(old);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), now);
}
/// A file with the weights sin(1) / 2, sin(2) / 2, ...
std::string file(std::string const& architecture, std::string const& config, int count) {
  std::string weights;
  for (int i = 1; i <= count; ++i) {
    char text[40];
    std::snprintf(text, sizeof text, "%s%.17g", i > 1 ? ", " : "", 0.5 * std::sin(i));
    weights += text;
  }
  return R"({"version": "0.5.4", "metadata": {"name": "x", "loudness": -20.5, "date": {"year": 2024}}, "architecture": ")" +
         architecture + R"(", "config": )" + config + R"(, "weights": [)" + weights + "]}";
}

using Gated = nam::WaveNet<
    nam::Stack<nam::stack{.channels = 2, .head = 2, .kernel = 2, .gated = true, .head_bias = true}, nn::ReLU, 1, 3>,
    nam::Stack<nam::stack{.inputs = 2, .channels = 2, .head = 1}, nn::Tanh, 2>>;
using Deep = nam::LSTM<2, 2>;
std::string const gated_file = file(
    "WaveNet",
    R"({"layers": [{"input_size": 1, "condition_size": 1, "head_size": 2, "channels": 2, "kernel_size": 2, )"
    R"("dilations": [1, 3], "activation": "ReLU", "gated": true, "head_bias": true}, {"input_size": 2, )"
    R"("condition_size": 1, "head_size": 1, "channels": 2, "kernel_size": 3, "dilations": [2], "activation": "Tanh", )"
    R"("gated": false, "head_bias": false}], "head": null, "head_scale": 0.02})",
    97);
std::string const lstm_file = file("LSTM", R"({"input_size": 1, "hidden_size": 2, "num_layers": 2})", 83);

// Results of numpy in double, which computes the formulas of NeuralAmpModelerCore, for 0.8 sin(0.7 i).
constexpr double gated_y[] = {-0.119506069345, -0.134577173598, -0.154506537191, -0.150434588557,
                              -0.144635443532, -0.125803580215, -0.10518922855,  -0.100459330699,
                              -0.112889297752, -0.137049581631, -0.152017098367, -0.157084369059};
constexpr double lstm_y[] = {0.511511828718, 0.469623242051, 0.458581538423, 0.454361452587,
                             0.452622481139, 0.452092538708, 0.452298718216, 0.452830149297,
                             0.453187487423, 0.453116237177, 0.452745178197, 0.452332222018};

template <class Net, class T, int Steps, class Signal>
esp::tensor<T, esp::shape<1, Steps, 1>> results(char const* path, Signal const& signal) {
  esp::model<Net, esp::cpu, T> model{esp::seed{1}};
  io::load_nam(path, model);
  esp::tensor<T, esp::shape<1, Steps, 1>> x;
  for (int i = 0; i < Steps; ++i) x[i] = static_cast<T>(signal(i));
  return model(x);
}
template <class Net>
std::string mismatch(std::string const& content) {
  return test::mismatch_of<Net>([&](auto& model) { io::load_nam(file_of(content), model); });
}
std::string error_of(std::string const& content) {
  return test::format_error_of("net.nam", [&] { return io::read_nam(file_of(content)); });
}
double sine(int i) { return 0.8 * std::sin(0.7 * i); }
double two_sines(int i) { return 0.5 * std::sin(0.05 * i) + 0.2 * std::sin(0.31 * i); }

}  // namespace

BOOST_AUTO_TEST_CASE(values_of_every_option) {
  auto const y = results<Gated, double, 12>(file_of(gated_file), sine);
  for (int i = 0; i < 12; ++i) BOOST_TEST(std::abs(y[i] - gated_y[i]) < 1e-11);
  auto const z = results<nam::LSTM<2, 2>, double, 12>(file_of(lstm_file), sine);
  for (int i = 0; i < 12; ++i) BOOST_TEST(std::abs(z[i] - lstm_y[i]) < 1e-11);
  auto const f = results<nam::LSTM<2, 2>, float, 12>(file_of(lstm_file), sine);
  for (int i = 0; i < 12; ++i) BOOST_TEST(std::abs(static_cast<double>(f[i]) - lstm_y[i]) < 1e-6);
}

// Files that Neural Amp Modeler wrote; the results are numpy's.
BOOST_AUTO_TEST_CASE(values_of_real_files) {
  using Small =
      nam::WaveNet<nam::Stack<nam::stack{.channels = 3, .head = 2}, nn::Tanh, 1, 2>,
                   nam::Stack<nam::stack{.inputs = 3, .channels = 2, .head = 1, .head_bias = true}, nn::Tanh, 8>>;
  constexpr int at[] = {0, 1, 2, 17, 40, 63};
  constexpr double wavenet[] = {-0.00712829934188, -0.009341803053, -0.0125671875981,
                                0.140045213798,    0.137357203358,  0.0669168948};
  constexpr double lstm[] = {-0.000933798301745, 0.00422077251708, 0.00990566849572,
                             0.0136198703378,    0.0292313684807,  0.00763162428102};
  auto const y = results<Small, double, 64>(ESPALIER_DATA "/amps/wavenet.nam", two_sines);
  auto const z = results<nam::LSTM<3>, double, 64>(ESPALIER_DATA "/amps/lstm.nam", two_sines);
  for (int i = 0; i < 6; ++i) {
    BOOST_TEST(std::abs(y[at[i]] - wavenet[i]) < 1e-11);
    BOOST_TEST(std::abs(z[at[i]] - lstm[i]) < 1e-11);
  }
  io::nam_file const file = io::read_nam(ESPALIER_DATA "/amps/wavenet.nam");
  BOOST_TEST(file.version == "0.5.4");
  BOOST_TEST(file.architecture == "WaveNet");
  BOOST_TEST(file.sample_rate == 48000);
  BOOST_REQUIRE(file.metadata.size() > 2u);
  BOOST_TEST(file.metadata[2].name == "name");
  BOOST_TEST(file.metadata[2].text == "Test Model");
}

BOOST_AUTO_TEST_CASE(configurations_are_compared) {
  BOOST_TEST(mismatch<Deep>(gated_file) == "  value of \"architecture\": expected \"LSTM\", found \"WaveNet\"");
  using Wide = nam::LSTM<3, 1>;
  BOOST_TEST(mismatch<Wide>(lstm_file) ==
             "  value of \"hidden_size\": expected 3, found 2\n"
             "  value of \"num_layers\": expected 1, found 2");
  BOOST_TEST(mismatch<Gated>(replaced(gated_file, "\"Tanh\"", "\"ReLU\"")) ==
             "  value of \"layers[1].activation\": expected \"Tanh\", found \"ReLU\"");
  BOOST_TEST(mismatch<Gated>(replaced(gated_file, "[1, 3]", "[1, 4]")) ==
             "  value of \"layers[0].dilations\": expected [1, 3], found [1, 4]");
  BOOST_TEST(mismatch<Gated>(replaced(gated_file, "\"gated\": true, ", "")) ==
             "  value of \"layers[0].gated\": expected true, found none");
  BOOST_TEST(mismatch<Gated>(replaced(gated_file, "\"gated\": true", "\"gated\": true, \"groups\": 2")) ==
             "  extra \"layers[0].groups\": the file has 2");
  esp::model<Gated> with_groups{esp::seed{1}};
  io::load_nam(file_of(replaced(gated_file, "\"gated\": true", "\"gated\": true, \"groups\": 2")), with_groups,
               io::load_options{}.ignore("layers[0].groups"));
  BOOST_TEST(mismatch<Gated>(replaced(gated_file, "\"head\": null", "\"head\": {}")) ==
             "  extra \"head\": the file has an object");
  using One = nam::WaveNet<
      nam::Stack<nam::stack{.channels = 2, .head = 2, .kernel = 2, .gated = true, .head_bias = true}, nn::ReLU, 1, 3>>;
  BOOST_TEST(mismatch<One>(gated_file) == "  value of \"layers\": expected 1 stacks, found 2 stacks");
  BOOST_TEST(mismatch<Deep>(file("LSTM", R"({"input_size": 1, "hidden_size": 2, "num_layers": 2})", 84)) ==
             "  value of \"weights\": expected 83 numbers, found 84 numbers");
}

BOOST_AUTO_TEST_CASE(files_without_the_format_are_rejected) {
  BOOST_TEST(error_of(lstm_file) == "");
  for (std::size_t length = 0; length < lstm_file.size(); length += 7)
    BOOST_TEST(error_of(lstm_file.substr(0, length)) != "", "the first " << length);
  BOOST_TEST(error_of("[]") == "expected an object, got a list");
  BOOST_TEST(error_of("{}") == "expected an object with version, got one without");
  BOOST_TEST(error_of(replaced(lstm_file, "0.5.4", "0.9.0")) ==
             "version: expected a version from 0.5 to 0.7, got \"0.9.0\"");
  BOOST_TEST(error_of(replaced(lstm_file, "\"weights\": [", "\"weights\": [null, ")) ==
             "weights: expected a list of numbers, got other values");
  BOOST_TEST(error_of(replaced(lstm_file, "\"config\": {", "\"config\": [{").append(" ")) != "");
}
