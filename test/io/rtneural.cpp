// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_rtneural
#include <boost/test/unit_test.hpp>

#include <fstream>

#include <espalier.hpp>
#include <espalier/io/rtneural.hpp>

#include "support/file_errors.hpp"
#include "support/temporary.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace io = espalier::io;

namespace {

// The models, and the results of numpy and PyTorch for them in double, which compute them from their formulas.
std::string const stack_file =
    R"({"in_shape": [null, null, 2], "layers": [{"type": "time-distributed-dense", "activation": "tanh", )"
    R"("shape": [null, null, 3], "weights": [[[0.18, 0.8, 0.78], [0.63, -0.93, 0.38]], [-0.24, 0.04, 0.32]]}, )"
    R"({"type": "conv1d", "activation": "", "shape": [null, null, 2], "kernel_size": [2], "dilation": [2], )"
    R"("groups": 1, "weights": [[[[-0.61, -0.46], [0.44, 0.57], [0.7, 0.55]], [[-0.93, -0.77], [0.5, -0.52], )"
    R"([-0.49, 0.72]]], [0.9, 0.12]]}, {"type": "batchnorm", "activation": "", "shape": [null, null, 2], )"
    R"("epsilon": 0.01, "weights": [[0.86, 2.04], [-0.02, 0.26], [0.68, -0.08], [1.5, 1.86]]}, {"type": )"
    R"("lstm", "activation": "tanh", "shape": [null, null, 2], "weights": [[[0.3, -0.46, -0.87, 0.54, -0.04, )"
    R"(-0.34, 0.02, -0.47], [-0.38, 0.25, 0.11, -0.36, -0.21, -0.48, 0.16, -0.68]], [[0.2, 0.65, -0.69, 0.47, )"
    R"(-0.18, 0.56, 0.61, 0.57], [0.18, 0.33, 0.29, -0.15, 0.03, 0.0, -0.93, 0.42]], [0.24, 0.56, -0.08, )"
    R"(-0.24, -0.42, 0.11, -0.83, 0.26]]}, {"type": "dense", "activation": "sigmoid", "shape": [null, null, )"
    R"(1], "weights": [[[0.89], [0.78]], [0.76]]}]})";
constexpr double stack_x[] = {-0.31, 0.41, 0.05, 0.32, -0.46, 0.22, -0.9, 0.39, -0.4, -0.67, -0.34, -0.67};
constexpr double stack_y[] = {0.645061145812, 0.630746447415, 0.626462098605,
                              0.623954519138, 0.624775899519, 0.63176750964};
std::string const gru_file =
    R"({"in_shape": [null, null, 1], "layers": [{"type": "gru", "activation": "tanh", "shape": [null, null, )"
    R"(2], "weights": [[[0.83, -0.43, -0.78, -0.77, 0.51, 0.68]], [[-0.93, -0.76, 0.78, 0.03, 0.85, 0.16], )"
    R"([0.55, -0.15, 0.65, -0.23, -0.29, -0.14]], [[-0.21, 0.69, -0.25, -0.26, -0.17, -0.15], [0.33, -0.62, )"
    R"(0.44, -0.49, 0.93, -0.73]]]}, {"type": "dense", "activation": "", "shape": [null, null, 1], "weights": )"
    R"([[[0.61], [-0.29]], [-0.83]]}]})";
constexpr double sequence_x[] = {0.46, 0.99, -0.98, -0.52, -0.08, 0.53};
constexpr double gru_y[] = {-0.722509014296, -0.702331327579, -0.605291416343,
                            -0.512286462017, -0.455017333128, -0.469805925046};
// result = x + lin(rec(x))
std::string const torch_file =
    R"({"model_data": {"model": "SimpleRNN", "skip": 1, "unit_type": "LSTM", "bias_fl": true}, "state_dict": )"
    R"({"rec.weight_ih_l0": [[-0.7], [-0.56], [-0.3], [-0.67], [-0.04], [-0.62], [0.38], [0.34]], )"
    R"("rec.weight_hh_l0": [[0.13, 0.55], [-0.07, 0.42], [-0.5, -0.14], [-0.63, -0.06], [-0.46, 0.64], [0.49, )"
    R"(0.53], [0.21, -0.4], [0.64, -0.69]], "rec.bias_ih_l0": [-0.45, -0.44, -0.29, 0.14, -0.54, -0.54, -0.34, )"
    R"(0.43], "rec.bias_hh_l0": [-0.51, -0.63, -0.61, -0.35, -0.19, -0.7, -0.33, 0.01], "lin.weight": [[0.12, )"
    R"(-0.1]], "lin.bias": [-0.08]}})";
constexpr double torch_y[] = {0.385924336317,  0.917332135391,  -1.05125934923,
                              -0.587827132392, -0.146348479494, 0.462098429198};

using Recurrent = nn::Outputs<nn::LSTM<2, 2, nn::lstm{.batch_first = true}>>;
template <int Dilation>
using Causal = nn::Conv1d<3, 2, 2, nn::conv{.padding = {0, Dilation, 0, 0}, .dilation = Dilation, .layout = esp::nhwc}>;
template <int Dilation, double Eps>
using StackOf = nn::Sequential<nn::Linear<2, 3>, nn::Tanh, nn::Dropout<0.5>, Causal<Dilation>,
                               nn::BatchNorm<2, -1, nn::norm{.eps = Eps}>, Recurrent, nn::Linear<2, 1>, nn::Sigmoid>;
using Stack = StackOf<2, 0.01>;
using LessDilated = StackOf<1, 0.01>;
using LargerEps = StackOf<2, 0.25>;
using Gated = nn::Sequential<nn::Outputs<nn::GRU<1, 2, nn::gru{.batch_first = true}>>, nn::Linear<2, 1>>;

/// A module with members of its own names.
struct Amp {
  nn::LSTM<1, 2, nn::lstm{.batch_first = true}> rec;
  nn::Linear<2, 1> lin;
  ESPALIER_MODULE(Amp, rec, lin)
  constexpr auto forward(auto x) const { return x + lin(std::get<0>(rec(x))); }
};

temporary::folder const& folder() {
  static temporary::folder const one;
  return one;
}
char const* file_of(std::string const& content, std::string const& name = "model.json") {
  char const* const path = folder().path(name);
  std::ofstream{path, std::ios::binary} << content;
  return path;
}
std::string replaced(std::string text, std::string const& old, std::string const& now) {
  std::size_t const at = text.find(old);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), now);
}

template <class T, int Features, class Model, std::size_t N, std::size_t M>
void check_values(Model& model, double const (&x)[N], double const (&expected)[M], double tolerance) {
  esp::tensor<T, esp::shape<1, static_cast<int>(M), Features>> in;
  for (std::size_t i = 0; i < N; ++i) in[static_cast<std::int64_t>(i)] = static_cast<T>(x[i]);
  auto const y = model(in);
  for (std::size_t i = 0; i < M; ++i)
    BOOST_TEST(std::abs(static_cast<double>(y[static_cast<std::int64_t>(i)]) - expected[i]) < tolerance);
}

template <class Net>
std::string mismatch(std::string const& content) {
  return test::mismatch_of<Net>([&](auto& model) { io::load_rtneural(file_of(content), model); });
}
std::string error_of(std::string const& content) {
  return test::format_error_of("model.json", [&] { return io::read_rtneural(file_of(content)); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_layer_has_the_values_of_keras) {
  esp::model<Stack> model{esp::seed{1}};
  io::load_rtneural(file_of(stack_file), model);
  check_values<float, 2>(model, stack_x, stack_y, 1e-6);
  esp::model<Stack, esp::cpu, double> exact{esp::seed{1}};
  io::load_rtneural(file_of(stack_file), exact);
  check_values<double, 2>(exact, stack_x, stack_y, 1e-11);
  esp::model<Gated, esp::cpu, double> gated{esp::seed{1}};
  io::load_rtneural(file_of(gru_file), gated);
  check_values<double, 1>(gated, sequence_x, gru_y, 1e-11);
}

BOOST_AUTO_TEST_CASE(learned_rectifiers) {
  using Net = nn::Sequential<nn::PReLU<2>, nn::PReLU<>>;
  esp::model<Net, esp::cpu, double> model{esp::seed{1}};
  io::load_rtneural(
      file_of(R"({"in_shape": [null, 2], "layers": [{"type": "prelu", "shape": [null, 2], "weights": [[[0.5, -1]]]}, )"
              R"({"type": "prelu", "shape": [null, 2], "weights": [[[0.25]]]}]})"),
      model);
  esp::tensor<double, esp::shape<2, 2>> const x{{-2, -4}, {3, -1}};
  BOOST_TEST(model(x) == (esp::tensor<double, esp::shape<2, 2>>{{-0.25, 4}, {3, 1}}));
}

BOOST_AUTO_TEST_CASE(layers_are_compared) {
  BOOST_TEST(mismatch<Stack>(gru_file) ==
             "  layers: expected dense, tanh, conv1d, batchnorm, lstm, dense, sigmoid, found gru, dense");
  BOOST_TEST(mismatch<Gated>(replaced(gru_file, "\"activation\": \"tanh\"", "\"activation\": \"relu\"")) ==
             "  layers: expected gru, dense, found gru, relu, dense");
  BOOST_TEST(mismatch<Gated>(replaced(gru_file, "\"activation\": \"\"", "\"activation\": \"elu\"")) ==
             "  layers: expected gru, dense, found gru, dense, elu");
  BOOST_TEST(mismatch<Gated>(replaced(gru_file, "\"gru\"", "\"conv2d\"")).find("found conv2d, tanh, dense") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(shapes_and_numbers_are_compared) {
  using Wider = nn::Sequential<nn::Outputs<nn::GRU<1, 3, nn::gru{.batch_first = true}>>, nn::Linear<3, 1>>;
  BOOST_TEST(mismatch<Wider>(gru_file) ==
             "  shape of \"0.weight_ih_l0\": expected (1, 9), found (1, 6), which is layers[0].weights[0]\n"
             "  shape of \"0.weight_hh_l0\": expected (3, 9), found (2, 6), which is layers[0].weights[1]\n"
             "  shape of \"0.bias_ih_l0\": expected (2, 9), found (2, 6), which is layers[0].weights[2]\n"
             "  shape of \"1.weight\": expected (3, 1), found (2, 1), which is layers[1].weights[0]");
  using Unbiased = nn::Sequential<nn::Outputs<nn::GRU<1, 2, nn::gru{.batch_first = true, .bias = false}>>,
                                  nn::Linear<2, 1, nn::no_bias>>;
  BOOST_TEST(mismatch<Unbiased>(gru_file) ==
             "  value of \"0.weights\": expected 2 tensors, found 3 tensors\n"
             "  value of \"1.weights\": expected 1 tensors, found 2 tensors");
  using Before =
      nn::Sequential<nn::Outputs<nn::GRU<1, 2, nn::gru{.batch_first = true, .reset_after = false}>>, nn::Linear<2, 1>>;
  BOOST_TEST(mismatch<Before>(gru_file) ==
             "  shape of \"0.bias_ih_l0\": expected (6), found (2, 6), which is layers[0].weights[2]");
  BOOST_TEST(mismatch<LessDilated>(stack_file) == "  value of \"3.dilation\": expected 1, found 2");
  BOOST_TEST(mismatch<LargerEps>(stack_file) == "  value of \"4.epsilon\": expected 0.25, found 0.01");
  BOOST_TEST(mismatch<Gated>(replaced(gru_file, "\"shape\": [null, null, 2]", "\"shape\": [null, null, 5]")) ==
             "  value of \"0.features\": expected 2, found 5");
  using Symmetric = nn::Sequential<nn::Conv1d<1, 1, 3, nn::conv{.layout = esp::nhwc, .bias = false}>>;
  BOOST_TEST(mismatch<Symmetric>(R"({"in_shape": [1], "layers": [{"type": "conv1d", "shape": [1], )"
                                 R"("kernel_size": [3], "weights": [[[[1]], [[2]], [[3]]]]}]})") ==
             "  value of \"0.padding behind\": expected 1, found 0");
}

BOOST_AUTO_TEST_CASE(files_without_the_format_are_rejected) {
  BOOST_TEST(error_of(gru_file) == "");
  for (std::size_t length = 0; length < gru_file.size(); ++length)
    BOOST_TEST(error_of(gru_file.substr(0, length)) != "", "the first " << length);
  BOOST_TEST(error_of("[]") == "expected an object, got a list");
  BOOST_TEST(error_of(torch_file) ==
             "expected an object with layers, as RTNeural exports Keras models, got one "
             "without; a PyTorch state_dict is read by load_json_state_dict");
  BOOST_TEST(error_of(R"({"layers": []})") == "expected an object with in_shape, got one without");
  BOOST_TEST(error_of(R"({"in_shape": [1], "layers": [{"type": "dense"}]})") ==
             "layers[0]: expected an object with shape, got one without");
  BOOST_TEST(error_of(replaced(gru_file, "-0.93", "\"x\"")) ==
             "layers[0].weights[1]: expected a number or nested lists of numbers, got text");
  BOOST_TEST(error_of(replaced(gru_file, "0.83, ", "")) == "");
  BOOST_TEST(error_of(replaced(gru_file, "-0.93, ", "")) ==
             "layers[0].weights[1]: expected lists of equal lengths, got others");
  BOOST_TEST(error_of(replaced(gru_file, "0.83", "1e40")) == "expected numbers in the range of float, got 1e40");
}

BOOST_AUTO_TEST_CASE(a_state_dict_is_loaded_by_names) {
  esp::model<Amp, esp::cpu, double> amp{esp::seed{1}};
  io::load_json_state_dict(file_of(torch_file), amp);
  check_values<double, 1>(amp, sequence_x, torch_y, 1e-11);
  // in a Sequential, names are positions
  using Net =
      nn::Residual<nn::Sequential<nn::Outputs<nn::LSTM<1, 2, nn::lstm{.batch_first = true}>>, nn::Linear<2, 1>>>;
  esp::model<Net> net{esp::seed{1}};
  io::load_json_state_dict(file_of(torch_file), net,
                           io::load_options{}.rename("rec.*", "fn.0.*").rename("lin.*", "fn.1.*"));
  check_values<float, 1>(net, sequence_x, torch_y, 1e-6);
  io::archive const file = io::read_json_state_dict(file_of(torch_file));
  BOOST_TEST((file.find("rec.weight_hh_l0")->extents == std::vector<std::int64_t>{8, 2}));
  BOOST_TEST(file.find("lin.bias")->size() == 1);
  auto const& metadata = file.metadata();
  BOOST_REQUIRE(metadata.size() == 5u);
  BOOST_TEST(metadata[1].name == "skip");
  BOOST_TEST(metadata[1].text == "1");
  BOOST_TEST(metadata[2].text == "LSTM");
  BOOST_TEST(metadata[3].text == "true");
  BOOST_TEST(metadata[4].text == "pt");
}

BOOST_AUTO_TEST_CASE(a_state_dict_that_does_not_fit) {
  esp::model<nn::LSTM<1, 3>> model{esp::seed{1}};
  BOOST_CHECK_EXCEPTION(
      io::load_json_state_dict(file_of(torch_file), model, io::load_options{}.rename("rec.*", "*").ignore("lin.*")),
      io::mismatch_error, [](io::mismatch_error const& error) {
        return error.disagreements().size() == 4u &&
               io::mismatch_error::line_of(error.disagreements()[0]).find("expected (12, 1), found (8, 1)") !=
                   std::string::npos;
      });
  auto const fails = [](std::string const& content, char const* expected) {
    BOOST_CHECK_EXCEPTION(
        (void)io::read_json_state_dict(file_of(content)), io::format_error,
        [&](io::format_error const& error) { return std::string{error.what()}.find(expected) != std::string::npos; });
  };
  fails(stack_file, "expected a PyTorch state_dict, got layers of Keras, which load_rtneural reads");
  fails(R"({"a": [1, 2], "b": "x"})", "b: expected a number or nested lists of numbers, got text");
  fails(R"({"state_dict": [1]})", "state_dict: expected an object, got a list");
  fails(R"({"state_dict": {"a": [[1], [2, 3]]}})", "state_dict.a: expected lists of equal lengths, got others");
  // the whole document is the state_dict; a number has no extents
  io::archive const flat = io::read_json_state_dict(file_of(R"({"a": [1, 2], "n": 3})"));
  BOOST_TEST(flat.find("n")->extents.empty());
  BOOST_TEST((flat.find("a")->extents == std::vector<std::int64_t>{2}));
}

// Programs that play AIDA-X files add the input to the result, and scale both: a net has no such entries.
BOOST_AUTO_TEST_CASE(entries_that_change_the_result_are_refused_by_name) {
  std::string const rest = R"("in_shape": [null, null, 1], "layers": [{"type": "dense", "activation": "", )"
                           R"("shape": [null, null, 1], "weights": [[[2]], [0.125]]}])";
  auto const with = [&](char const* entry) { return "{" + std::string{entry} + ", " + rest + "}"; };
  BOOST_TEST(error_of(with(R"("in_skip": 1)")).find("in_skip: expected 0, because a net has no such entry") !=
             std::string::npos);
  for (char const* entry : {R"("skip": 1)", R"("in_gain": -3.5)", R"("out_gain": 6)", R"("unknown": 1)"})
    BOOST_TEST(error_of(with(entry)) != "");
  esp::model<nn::Linear<1, 1>> model{esp::seed{1}};
  for (char const* entry : {R"("in_skip": 0)", R"("samplerate": "48000")", R"("metadata": {"name": "a"})"}) {
    io::load_rtneural(file_of(with(entry)), model);
    BOOST_TEST(model(esp::tensor<float, esp::shape<1, 1>>{{1}})[0] == 2.125f);
  }
  io::load_rtneural(file_of(with(R"("in_skip": 1)")), model, io::load_options{}.ignore("in_skip"));
  BOOST_TEST(model(esp::tensor<float, esp::shape<1, 1>>{{1}})[0] == 2.125f);
}
