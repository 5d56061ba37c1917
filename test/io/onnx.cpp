// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_onnx
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>

#include <sys/stat.h>

#include <espalier/io/onnx.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/simulated_cuda.hpp>

#include "support/written_file.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace io = espalier::io;
namespace onnx = espalier::io::onnx;

/// An op of somebody's, which may be written by its formula.
namespace own {
struct cube_plus_ {};
}  // namespace own
template <>
struct espalier::rule<own::cube_plus_> : espalier::elementwise {
  static constexpr char const* name = "cube_plus";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return x * x * x + math::where(math::greater(x, T(0)), math::exp(-x), T(0.5));
  }
};
template <>
inline constexpr bool espalier::io::exports_formula<own::cube_plus_> = true;

namespace {

struct CubePlus {
  ESPALIER_MODULE(CubePlus)
  constexpr auto forward(auto x) const { return esp::apply<own::cube_plus_>(x); }
};
using Net = nn::Sequential<nn::Linear<3, 4>, nn::BatchNorm1d<4>, CubePlus, nn::Linear<4, 2>>;
using Batch = esp::batch<2, 3>;

std::string content(char const* path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}
struct removed {
  char const* path;
  ~removed() { std::remove(path); }
};

/// The bytes of an attribute of whole numbers below 128, behind its name.
std::string ints(std::vector<int> const& numbers) {
  std::string text;
  for (int const n : numbers) text += "64 " + std::to_string(n) + " ";
  return text;
}

struct Reversed {
  ESPALIER_MODULE(Reversed)
  constexpr auto forward(auto x) const { return esp::flip<0>(x); }
};
struct AcrossSamples {
  ESPALIER_MODULE(AcrossSamples)
  constexpr auto forward(auto x) const { return x - esp::mean<0>(x, esp::keepdims); }
};
struct Cell {
  nn::Linear<3, 4> input;
  nn::Linear<4, 4> state;
  nn::Linear<4, 2> output;
  ESPALIER_MODULE(Cell, input, state, output)
  constexpr auto forward(auto x, auto h) const {
    auto const next = tanh(input(x) + state(h));
    return std::tuple{output(next), next};
  }
};
struct Lookup {
  using input_element = std::tuple<float, std::int32_t>;
  nn::Embedding<7, 3> table;
  ESPALIER_MODULE(Lookup, table)
  constexpr auto forward(auto x, auto index) const { return x * table(index); }
};
struct WithNumbers {
  ESPALIER_MODULE(WithNumbers)
  constexpr auto forward(auto x) const {
    return esp::concatenate<-1>(x, esp::zeros<esp::shape_of<decltype(x)>>(x) + 2);
  }
};
struct Crossed {
  ESPALIER_MODULE(Crossed)
  constexpr auto forward(auto a, auto b) const { return std::tuple{a, matmul(a, esp::transpose(b))}; }
};
struct Constant {
  esp::parameter<esp::shape<2, 2>, nn::init::initialized_by<nn::init::ones{}>> p;
  ESPALIER_MODULE(Constant, p)
  constexpr auto forward(auto) const { return esp::transpose(p); }
};

struct AsImages {
  ESPALIER_MODULE(AsImages)
  constexpr auto forward(auto x) const { return esp::reshape<-1, 8, 8, 1>(x); }
};

}  // namespace

BOOST_AUTO_TEST_CASE(names_types_and_order_of_a_file) {
  removed const gone{"io_onnx_names.onnx"};
  esp::model<Net> model{esp::seed{1}};
  io::write_onnx<Batch>(gone.path, model, {.name = "my net", .description = "two layers"});
  std::string const file = content(gone.path);
  // ir_version 8, producer, version, model version, description.
  BOOST_TEST(file.substr(0, 11) == std::string("\x08\x08\x12\x08"
                                               "espalier")
                                       .substr(0, 11));
  BOOST_TEST(file.find(ESPALIER_VERSION_STRING) != std::string::npos);
  for (char const* const part : {"my net", "two layers", "0.weight", "0.bias", "1.running_mean", "1.running_var",
                                 "3.weight", "MatMul", "Where", "parameters", "evaluation"})
    BOOST_TEST(file.find(part) != std::string::npos, part << " is missing");
  // The last import is operator set 17 of the domain "".
  BOOST_TEST(file.find(std::string("\x42\x04\x0a\x00\x10\x11", 6)) != std::string::npos);
  // The weights as they lie: rows of inputs.
  auto const weight = model.parameter("0.weight");
  std::string const raw(reinterpret_cast<char const*>(weight.span().data()),
                        static_cast<std::size_t>(weight.span().size()) * sizeof(float));
  BOOST_TEST(file.find(raw) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_model_of_a_device_gives_the_same_file) {
  removed const host_file{"io_onnx_here.onnx"}, device_file{"io_onnx_there.onnx"};
  esp::model<Net> const model{esp::seed{5}};
  esp::model<Net, esp::simulated_cuda> const on_device{esp::seed{5}};
  io::write_onnx<Batch>(host_file.path, model);
  io::write_onnx<Batch>(device_file.path, on_device);
  BOOST_TEST(!content(host_file.path).empty());
  BOOST_TEST((content(host_file.path) == content(device_file.path)));
}

BOOST_AUTO_TEST_CASE(write_errors_are_reported_and_keep_the_old_file) {
  esp::model<Net> const model{esp::seed{1}};
  auto const error_text = [&](char const* path) {
    return test::message<io::write_error>([&] { io::write_onnx<Batch>(path, model); });
  };
  BOOST_TEST(error_text("no/such/folder/net.onnx").find("no/such/folder/net.onnx: ") == 0u);
  BOOST_TEST(error_text(".").find("folder") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_open_number_of_samples_is_rejected_where_samples_interact) {
  test::written const old{"what was there", "io_onnx_open.onnx"};
  auto const error_text = [&](auto const& model) {
    return test::message<io::error>([&] { io::write_onnx<io::any_batch<3>>(old.name.c_str(), model); });
  };
  BOOST_TEST(error_text(esp::model<Reversed>{})
                 .find("io_onnx_open.onnx: cannot export with an open number of samples: samples are moved") == 0u);
  BOOST_TEST(error_text(esp::model<AcrossSamples>{}).find("along the samples") != std::string::npos);
  BOOST_TEST(error_text(esp::model<nn::BatchNorm1d<3, nn::norm{.untracked = true}>>{}).find("along the samples") !=
             std::string::npos);
  BOOST_TEST(error_text(esp::model<WithNumbers>{}).find("a constant is repeated along the samples") !=
             std::string::npos);
  BOOST_TEST(content(old.name.c_str()) == "what was there");
  BOOST_TEST(error_text(esp::model<nn::Linear<3, 2>>{}).empty());
  BOOST_TEST(content(old.name.c_str()) != "what was there");
}

namespace {
/// A loop over the samples.
struct AlongSamples {
  ESPALIER_MODULE(AlongSamples)
  constexpr auto forward(auto x) const {
    auto const step = [](auto sum, auto now) { return std::tuple{sum + now, sum}; };
    return std::get<1>(esp::scan(step, esp::zeros<esp::shape<3>>(x), x));
  }
};
/// A state that gets the axis of the samples in a step: before the first one it is a number for all.
struct CountsUp {
  ESPALIER_MODULE(CountsUp)
  constexpr auto forward(auto x) const {
    return esp::repeat<3>([&](auto sum) { return sum + x; }, esp::zeros<esp::shape_of<decltype(x)>>(x));
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_loop_over_an_open_number_of_samples_is_rejected) {
  test::written const old{"what was there", "io_onnx_loop.onnx"};
  auto const error_text = [&](auto const& model) {
    return test::message<io::error>([&] { io::write_onnx<io::any_batch<3>>(old.name.c_str(), model); });
  };
  BOOST_TEST(error_text(esp::model<AlongSamples>{}).find("a loop runs over the samples") != std::string::npos);
  BOOST_TEST(content(old.name.c_str()) == "what was there");
  BOOST_TEST(error_text(esp::model<CountsUp>{}).empty());
  BOOST_TEST(content(old.name.c_str()).find("Scan") != std::string::npos);
}

namespace {
/// The first steps of a loop, whose number is the input.
struct CountedSteps {
  using input_element = std::int32_t;
  nn::Linear<3, 3> layer;
  ESPALIER_MODULE(CountedSteps, layer)
  constexpr auto forward(auto count) const {
    auto const step = [&](auto const& h, auto const& x) { return std::tuple{matmul(h, layer.weight), h * x}; };
    return std::get<1>(esp::scan(step, layer.weight + 1, esp::zeros<esp::shape<4, 3, 3>>(count) + layer.bias, count));
  }
};
}  // namespace
BOOST_AUTO_TEST_CASE(a_loop_with_a_count_is_rejected) {
  test::written const old{"what was there", "io_onnx_count.onnx"};
  std::string const text =
      test::message<io::error>([&] { io::write_onnx<esp::batch<1>>(old.name.c_str(), esp::model<CountedSteps>{}); });
  BOOST_TEST(text.find("a loop whose number of steps is an argument cannot be exported") != std::string::npos, text);
  BOOST_TEST(content(old.name.c_str()) == "what was there");
}

BOOST_AUTO_TEST_CASE(operator_set_23_is_an_option) {
  test::written const old{"what was there", "io_onnx_set.onnx"};
  esp::model<nn::MultiheadAttention<4, 2>> const model{esp::seed{1}};
  auto const error_text = [&](int set) {
    return test::message<io::error>(
        [&] { io::write_onnx<esp::batch<1, 3, 4>>(old.name.c_str(), model, {.operator_set = set}); });
  };
  BOOST_TEST(error_text(18).find("io_onnx_set.onnx: operator set 18; write_onnx writes operator set 17 or 23") == 0u);
  BOOST_TEST(content(old.name.c_str()) == "what was there");
  BOOST_TEST(error_text(23).empty());
  // Version 11 of the format, and operator set 23 of the domain "".
  BOOST_TEST(content(old.name.c_str()).find(std::string("\x08\x0b\x12\x08", 4)) == 0u);
  BOOST_TEST(content(old.name.c_str()).find(std::string("\x42\x04\x0a\x00\x10\x17", 6)) != std::string::npos);
  BOOST_TEST(content(old.name.c_str()).find("Attention") != std::string::npos);
  BOOST_TEST(error_text(17).empty());
  BOOST_TEST(content(old.name.c_str()).find("Attention") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_recurrent_layer_in_float_is_one_operation) {
  removed const gone{"io_onnx_recurrent.onnx"};
  using Layer = nn::Outputs<nn::RNN<3, 2, nn::rnn{.nonlinearity = nn::nonlinearity::relu}>>;
  auto const written = [&](auto const& model) {
    io::write_onnx<esp::batch<4, 2, 3>>(gone.path, model);
    return content(gone.path);
  };
  esp::model<Layer> model{esp::seed{1}};
  std::string const file = written(model);
  for (char const* const part :
       {"RNN", "hidden_size", "activations", "Relu", "weight_ih_l0", "weight_hh_l0", "bias_ih_l0"})
    BOOST_TEST(file.find(part) != std::string::npos, part << " is missing");
  for (char const* const part : {"Scan", "MatMul", "bias_hh_l0", "reverse"})
    BOOST_TEST(file.find(part) == std::string::npos, part << " is there");
  // Rows are outputs, and the two biases are one row.
  auto const find = [&](std::vector<float> const& numbers) {
    return file.find(std::string{reinterpret_cast<char const*>(numbers.data()), numbers.size() * sizeof(float)});
  };
  auto const w = model.parameter("weight_ih_l0").span(), a = model.parameter("bias_ih_l0").span(),
             b = model.parameter("bias_hh_l0").span();
  BOOST_TEST(find({w[0], w[2], w[4], w[1], w[3], w[5]}) != std::string::npos);
  BOOST_TEST(find({a[0], a[1], b[0], b[1]}) != std::string::npos);
  // onnxruntime has no kernel for it in double.
  BOOST_TEST(written(esp::model<Layer, esp::cpu, double>{esp::seed{1}}).find("Scan") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_result_that_is_no_operation_is_one) {
  removed const gone{"io_onnx_constant.onnx"};
  io::write_onnx<Batch>(gone.path, esp::model<Constant>{});
  BOOST_TEST(content(gone.path).find("Identity") != std::string::npos);
  io::write_onnx<Batch>(gone.path, esp::model<nn::Identity>{});
  BOOST_TEST(content(gone.path).find("Identity") != std::string::npos);
}

/// Pictures without an axis of channels get one: Conv needs four axes.
BOOST_AUTO_TEST_CASE(pictures_without_channels_are_reshaped_in_front_of_a_convolution) {
  removed const gone{"io_onnx_pictures.onnx"};
  using Pictures = nn::Sequential<AsImages, nn::Conv<1, 2, 3, nn::conv{.layout = esp::nhwc}>>;
  io::write_onnx<esp::batch<2, 8, 8>>(gone.path, esp::model<Pictures>{esp::seed{1}});
  BOOST_TEST(content(gone.path).find("Reshape") != std::string::npos);
  io::write_onnx<io::any_batch<8, 8>>(gone.path, esp::model<Pictures>{esp::seed{1}});
  BOOST_TEST(content(gone.path).find("Reshape") != std::string::npos);
}

/// The text of an input or output in a file: its name, its element type and its extents, where 0 is the number N.
std::string value_text(std::string const& name, int element, std::vector<int> const& extents) {
  auto const field = [](int number, std::string const& text) {
    return std::string{static_cast<char>(8 * number + 2), static_cast<char>(text.size())} + text;
  };
  std::string shape;
  for (int const extent : extents)
    shape += field(1, extent == 0 ? field(2, "N") : std::string{'\x08', static_cast<char>(extent)});
  std::string const type = field(1, std::string{'\x08', static_cast<char>(element)} + field(2, shape));
  return field(1, name) + field(2, type);
}

BOOST_AUTO_TEST_CASE(several_inputs_and_results_are_numbered) {
  removed const gone{"io_onnx_several.onnx"};
  auto const check = [&](std::vector<std::string> const& present, std::vector<std::string> const& absent) {
    std::string const file = content(gone.path);
    for (std::string const& part : present) BOOST_TEST(file.find(part) != std::string::npos, part << " is missing");
    for (std::string const& part : absent) BOOST_TEST(file.find(part) == std::string::npos, part << " is there");
  };
  esp::model<Cell> const cell{esp::seed{1}};
  io::write_onnx<esp::shapes<esp::batch<2, 3>, esp::batch<2, 4>>>(gone.path, cell);
  check({value_text("x0", 1, {2, 3}), value_text("x1", 1, {2, 4}), value_text("y0", 1, {2, 2}),
         value_text("y1", 1, {2, 4})},
        {value_text("x", 1, {2, 3}), value_text("y", 1, {2, 2}), "Identity"});
  io::write_onnx<esp::shapes<io::any_batch<3>, io::any_batch<4>>>(gone.path, cell);
  check({value_text("x0", 1, {0, 3}), value_text("x1", 1, {0, 4}), value_text("y0", 1, {0, 2}),
         value_text("y1", 1, {0, 4})},
        {});
  // Indices are int32 (6), and the only result is y.
  io::write_onnx<esp::shapes<esp::batch<2, 3>, esp::batch<2>>>(gone.path, esp::model<Lookup, esp::cpu, double>{});
  check({value_text("x0", 11, {2, 3}), value_text("x1", 6, {2}), value_text("y", 11, {2, 3})},
        {value_text("y0", 11, {2, 3})});
  // A list of one batch is that batch.
  io::write_onnx<Batch>(gone.path, esp::model<Net>{esp::seed{1}});
  std::string const one = content(gone.path);
  io::write_onnx<esp::shapes<Batch>>(gone.path, esp::model<Net>{esp::seed{1}});
  BOOST_TEST((content(gone.path) == one));
  BOOST_TEST(one.find(value_text("x", 1, {2, 3})) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(samples_of_two_inputs_are_not_combined_with_each_other) {
  test::written const old{"what was there", "io_onnx_crossed.onnx"};
  std::string const text = test::message<io::error>([&] {
    io::write_onnx<esp::shapes<io::any_batch<3>, io::any_batch<3>>>(old.name.c_str(), esp::model<Crossed>{});
  });
  BOOST_TEST(text.find("io_onnx_crossed.onnx: cannot export with an open number of samples: ") == 0u, text);
  BOOST_TEST(content(old.name.c_str()) == "what was there");
}

BOOST_AUTO_TEST_CASE(every_op_that_a_program_may_have_has_one_row) {
  for (onnx::table_row const& row : onnx::table) {
    BOOST_TEST(onnx::row_of(row.op) == &row, row.op->name);
    bool const element = row.how == onnx::written::operation || row.how == onnx::written::formula;
    BOOST_TEST(element == (row.op->family == esp::graph::op_family::elementwise), row.op->name);
    BOOST_TEST((row.how == onnx::written::formula) == (row.steps != nullptr), row.op->name);
    BOOST_TEST((row.how == onnx::written::reduction) == (row.op->family == esp::graph::op_family::reduction),
               row.op->name);
  }
}

BOOST_AUTO_TEST_CASE(equal_tensors_are_written_once_and_names_are_unique) {
  onnx::builder b{"file", onnx::element::float32, 0};
  std::string const a = b.emit("Relu", {"x"});
  BOOST_TEST(a == "relu_1");
  BOOST_TEST(b.emit("Relu", {"x"}) == a);
  BOOST_TEST(b.emit("Relu", {a}) == "relu_2");
  BOOST_TEST(b.emit("Softmax", {a}, {onnx::with("axis", 1)}) != b.emit("Softmax", {a}, {onnx::with("axis", 2)}));
  BOOST_TEST(b.number(0.5) == b.number(0.5));
  BOOST_TEST(b.constant({"w", {1, {2}}, {1, 2}}) == "w");
  BOOST_TEST(b.constant({"w", {1, {2}}, {1, 2}}) == "w");
  BOOST_TEST(b.constant({"w", {2, {2, 1}}, {1, 2}}) == "w_1");
  BOOST_TEST(b.constant({"relu_1", {1, {1}}, {1}}) == "relu_1_1");
  BOOST_TEST(b.constant({"x", {1, {1}}, {1}}) == "x_1");
  BOOST_TEST(b.file.operations.size() == 4u);
}

// The odd pixel of an even kernel's padding is behind the image: pads is 0, 1 in front and 1, 2 behind.
BOOST_AUTO_TEST_CASE(even_kernels_have_their_padding_behind) {
  removed const gone{"io_onnx_even.onnx"};
  esp::model<nn::Conv<2, 3, esp::rows_columns{2, 4}>> model{esp::seed{1}};
  io::write_onnx<esp::batch<1, 2, 5, 6>>(gone.path, model);
  std::string const file = content(gone.path);
  std::size_t const pads = file.find("pads");
  BOOST_REQUIRE(pads != std::string::npos);
  std::string found;
  for (std::size_t i = pads + 4; i < pads + 16; ++i)
    found += std::to_string(static_cast<int>(static_cast<unsigned char>(file[i]))) + " ";
  BOOST_TEST(found.rfind(ints({0, 1, 1, 2}), 0) == 0u, found);
}
