// SPDX-License-Identifier: BSL-1.0
// Files whose tensors have the axes of another library: converted where that is said, else refused. Files are written
// by hand here, byte by byte.
#define BOOST_TEST_MODULE io_foreign_layout
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/io/npz.hpp>
#include <espalier/io/safetensors.hpp>

#include <fstream>

#include "support/temporary.hpp"

namespace esp = espalier;
namespace io = espalier::io;
namespace nn = espalier::nn;
using esp::shape;

namespace {

/// A tensor of a file whose element i is first + i.
struct written {
  std::string name;
  std::vector<std::int64_t> extents;
  float first = 0;
  std::string kind = "F32";

  [[nodiscard]] std::int64_t size() const {
    std::int64_t n = 1;
    for (auto const extent : extents) n *= extent;
    return n;
  }
};
std::string little_end_first(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xff);
  return text;
}
/// The bytes of a safetensors file. format: what its metadata names; empty: there is no metadata.
void write_file(char const* path, std::string const& format, std::vector<written> const& tensors) {
  std::string header = "{", data;
  if (!format.empty()) header += "\"__metadata__\":{\"format\":\"" + format + "\"},";
  for (auto const& t : tensors) {
    std::size_t const begin = data.size();
    for (std::int64_t i = 0; i < t.size(); ++i) {
      float const x = t.first + static_cast<float>(i);
      if (t.kind == "F16") data += little_end_first(esp::half(x).bits, 2);
      else if (t.kind == "I64") data += little_end_first(static_cast<std::uint64_t>(x), 8);
      else data += little_end_first(std::bit_cast<std::uint32_t>(x), 4);
    }
    header += (&t == tensors.data() ? "\"" : ",\"") + t.name + "\":{\"dtype\":\"" + t.kind + "\",\"shape\":[";
    for (std::size_t i = 0; i < t.extents.size(); ++i) header += (i > 0 ? "," : "") + std::to_string(t.extents[i]);
    header += "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(data.size()) + "]}";
  }
  header += "}";
  std::ofstream{path, std::ios::binary} << little_end_first(header.size(), 8) << header << data;
}

template <class Model>
std::vector<float> numbers(Model& model) {
  std::vector<float> all;
  auto const add = [&](char const*, esp::extents const&, auto elements) {
    all.insert(all.end(), elements.begin(), elements.end());
  };
  model.for_each_parameter(add);
  model.for_each_buffer(add);
  return all;
}
/// What is said of a file that is refused; the model is as before then.
template <class Model>
std::string error_of(Model& model, char const* path, io::load_options const& options = {}) {
  auto const before = numbers(model);
  try {
    io::load_safetensors(path, model, options);
  } catch (io::mismatch_error const& error) {
    BOOST_TEST((numbers(model) == before));
    return error.what();
  }
  return {};
}
bool has(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }
io::load_options from_pytorch() { return io::load_options{}.from_pytorch(); }
io::load_options from_espalier() { return io::load_options{}.from_espalier(); }

template <class Model>
void check_as_it_is(Model& model) {
  auto const w = model.parameter("weight").span();
  for (int i = 0; i < w.size(); ++i) BOOST_TEST(w[i] == static_cast<float>(i));
}
/// Square, from (outputs, inputs).
template <int N, class Model>
void check_transposed(Model& model, char const* name = "weight") {
  auto const w = model.parameter(name).span();
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < N; ++k) BOOST_TEST(w[i * N + k] == static_cast<float>(k * N + i));
}
using Square = nn::Linear<3, 3, nn::no_bias>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_pytorch_file_is_rejected_or_converted) {
  temporary::folder const folder;
  esp::model<Square> model{esp::seed{1}};
  write_file(folder.path("pt"), "pt", {{"weight", {3, 3}}});
  std::string const error_text = error_of(model, folder.path("pt"));
  BOOST_TEST(
      error_text ==
      std::string{folder.path("pt")} +
          " does not fit: 1 disagreement; nothing was loaded\n  layout: expected espalier's, found the format \"pt\", which is PyTorch's; if PyTorch wrote it, load it with io::load_options{}.from_pytorch(), which converts; if its tensors have the model's axes, with .from_espalier()");
  io::load_safetensors(folder.path("pt"), model, from_pytorch());
  check_transposed<3>(model);
  io::load_safetensors(folder.path("pt"), model, from_espalier());
  check_as_it_is(model);
  for (char const* const other : {"flax", "np", "tf", "Espalier"}) {
    write_file(folder.path("other"), other, {{"weight", {3, 3}}});
    BOOST_TEST(has(error_of(model, folder.path("other")),
                   (std::string{"found the format \""} + other +
                    "\"; if PyTorch wrote it, load it with io::load_options{}.from_pytorch()")
                       .c_str()));
  }
}

// PyTorch's recurrent weights are (gates, features), with its names.
BOOST_AUTO_TEST_CASE(recurrent_layers) {
  temporary::folder const folder;
  esp::model<nn::GRU<3, 1, nn::gru{.layers = 2, .bidirectional = true}>> model{esp::seed{1}};
  std::vector<written> tensors;
  for (char const* const layer : {"_l0", "_l0_reverse", "_l1", "_l1_reverse"}) {
    std::int64_t const features = layer[2] == '0' ? 3 : 2;
    tensors.push_back({std::string{"weight_ih"} + layer, {3, features}});
    tensors.push_back({std::string{"weight_hh"} + layer, {3, 1}});
    tensors.push_back({std::string{"bias_ih"} + layer, {3}, 10});
    tensors.push_back({std::string{"bias_hh"} + layer, {3}, 20});
  }
  write_file(folder.path("pt"), "pt", tensors);
  BOOST_TEST(has(error_of(model, folder.path("pt")), "which is PyTorch's"));
  io::load_safetensors(folder.path("pt"), model, from_pytorch());
  check_transposed<3>(model, "weight_ih_l0_reverse");
  auto const w = model.parameter("weight_ih_l1").span();  // (2, 3) of (3, 2)
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) BOOST_TEST(w[i * 3 + k] == static_cast<float>(k * 2 + i));
  BOOST_TEST((model.parameter("bias_ih_l1").span()[2] == 12 && model.parameter("bias_hh_l1_reverse").span()[0] == 20));
  tensors[0].extents = {4, 3};
  write_file(folder.path("more"), "pt", tensors);
  BOOST_TEST(has(error_of(model, folder.path("more"), from_pytorch()),
                 "shape of \"weight_ih_l0\": expected (3, 3), found (4, 3)"));
  // a cell has the names without layers
  esp::model<nn::GRUCell<3, 1>> cell{esp::seed{1}};
  write_file(folder.path("cell"), "pt",
             {{"weight_ih", {3, 3}}, {"weight_hh", {3, 1}}, {"bias_ih", {3}}, {"bias_hh", {3}}});
  io::load_safetensors(folder.path("cell"), cell, from_pytorch());
  check_transposed<3>(cell, "weight_ih");
}

BOOST_AUTO_TEST_CASE(espalier_files_are_loaded_unchanged) {
  temporary::folder const folder;
  esp::model<Square> model{esp::seed{1}}, other{esp::seed{2}};
  write_file(folder.path("own"), "espalier", {{"weight", {3, 3}}});  // as version 0.5 and later write them
  io::load_safetensors(folder.path("own"), model);
  check_as_it_is(model);
  io::save_safetensors(folder.path("again"), model);
  io::load_safetensors(folder.path("again"), other);
  BOOST_TEST((numbers(model) == numbers(other)));
  io::load_safetensors(folder.path("own"), model, from_pytorch());  // what is said counts
  check_transposed<3>(model);
}

// (3 features, features) becomes (features, 3 features).
BOOST_AUTO_TEST_CASE(attention_of_pytorch) {
  temporary::folder const folder;
  esp::model<nn::MultiheadAttention<2, 1>> model{esp::seed{1}};
  write_file(folder.path("pt"), "pt",
             {{"in_proj_weight", {6, 2}}, {"in_proj_bias", {6}}, {"out_proj.weight", {2, 2}}, {"out_proj.bias", {2}}});
  io::load_safetensors(folder.path("pt"), model, from_pytorch());
  auto const w = model.parameter("in_proj_weight").span();
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 6; ++k) BOOST_TEST(w[i * 6 + k] == static_cast<float>(k * 2 + i));
  check_transposed<2>(model, "out_proj.weight");
}

// Without metadata the extents decide, where they can: each tensor that would have others in PyTorch proves the file's
// layout.
BOOST_AUTO_TEST_CASE(files_without_metadata) {
  temporary::folder const folder;
  esp::model<Square> model{esp::seed{1}};
  write_file(folder.path("square"), "", {{"weight", {3, 3}}});
  BOOST_TEST(has(
      error_of(model, folder.path("square")),
      "layout of \"weight\": expected metadata that names the format, found none, and PyTorch's extents would be the same (3, 3); if PyTorch wrote it, load it with io::load_options{}.from_pytorch()"));
  io::load_safetensors(folder.path("square"), model, from_espalier());
  check_as_it_is(model);
  io::load_safetensors(folder.path("square"), model, from_pytorch());
  check_transposed<3>(model);

  esp::model<nn::Linear<3, 3>> with_bias{esp::seed{1}};
  write_file(folder.path("rows"), "", {{"weight", {3, 3}}, {"bias", {1, 3}}});
  io::load_safetensors(folder.path("rows"), with_bias);
  check_as_it_is(with_bias);
  write_file(folder.path("vector"), "", {{"weight", {3, 3}}, {"bias", {3}}});
  BOOST_TEST(has(
      error_of(with_bias, folder.path("vector")),
      "shape of \"bias\": expected (1, 3), found (3), which is PyTorch's order: io::load_options{}.from_pytorch() converts it"));
  io::load_safetensors(folder.path("vector"), with_bias, from_pytorch());
  check_transposed<3>(with_bias);

  esp::model<nn::Linear<2, 3, nn::no_bias>> oblong{esp::seed{1}};
  write_file(folder.path("oblong"), "", {{"weight", {2, 3}}});
  io::load_safetensors(folder.path("oblong"), oblong);
  check_as_it_is(oblong);
  BOOST_TEST(has(error_of(oblong, folder.path("oblong"), from_pytorch()),
                 "shape of \"weight\": expected (3, 2), found (2, 3), which is the model's order of axes"));
  // Vectors are no question.
  esp::model<nn::BatchNorm1d<4>> vectors{esp::seed{1}};
  write_file(folder.path("norm"), "", {{"weight", {4}}, {"bias", {4}}, {"running_mean", {4}}, {"running_var", {4}}});
  io::load_safetensors(folder.path("norm"), vectors);
  check_as_it_is(vectors);
}

namespace {
using Plain =
    nn::Sequential<nn::Conv<2, 2, 2>, nn::BatchNorm2d<2>, nn::ConvTranspose<4, 4, 2, nn::conv_transpose{.groups = 2}>,
                   nn::Embedding<3, 3>, nn::LayerNorm<shape<2, 2>>, nn::RMSNorm<shape<2, 2>>, nn::Linear<2, 2>,
                   nn::WeightNorm<nn::Linear<2, 2>>, nn::WeightNorm<nn::Conv<2, 2, 2>>,
                   nn::Conv1d<2, 2, 2, nn::conv{.bias = false}>, nn::GroupNorm<2, 2>>;
struct Blocks {
  nn::Repeat<2, nn::Residual<nn::Linear<2, 2>>> blocks;
  std::array<nn::Linear<2, 2>, 2> heads;
  ESPALIER_MODULE(Blocks, blocks, heads)
  constexpr auto forward(auto x) const { return heads[1](heads[0](blocks(x))); }
};

/// Where an element of a tensor of PyTorch belongs, from its own index: extents are PyTorch's, place gives the position
/// among the model's elements.
template <class Place>
void check_members(std::span<float const> found, std::vector<int> const& extents, float first, Place place) {
  std::vector<int> index(extents.size());
  for (int i = 0; i < static_cast<int>(found.size()); ++i) {
    BOOST_TEST(found[static_cast<std::size_t>(place(index))] == first + static_cast<float>(i));
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      if (++index[axis] < extents[axis]) break;
      index[axis] = 0;
    }
  }
}
}  // namespace

// One rule for each module's members, however square they are. The positions are written out by hand.
BOOST_AUTO_TEST_CASE(every_module) {
  temporary::folder const folder;
  std::vector<written> const tensors{{"0.weight", {2, 2, 2, 2}, 100},
                                     {"0.bias", {2}, 120},
                                     {"1.weight", {2}, 130},
                                     {"1.bias", {2}, 140},
                                     {"1.running_mean", {2}, 150},
                                     {"1.running_var", {2}, 160},
                                     {"1.num_batches_tracked", {}, 7, "I64"},
                                     {"2.weight", {4, 2, 2, 2}, 200},
                                     {"2.bias", {4}, 240},
                                     {"3.weight", {3, 3}, 250},
                                     {"4.weight", {2, 2}, 260},
                                     {"4.bias", {2, 2}, 270},
                                     {"5.weight", {2, 2}, 280},
                                     {"6.weight", {2, 2}, 290},
                                     {"6.bias", {2}, 300},
                                     {"7.weight_v", {2, 2}, 310},
                                     {"7.weight_g", {2, 1}, 320},
                                     {"7.bias", {2}, 330},
                                     {"8.weight_v", {2, 2, 2, 2}, 340},
                                     {"8.weight_g", {2, 1, 1, 1}, 360},
                                     {"8.bias", {2}, 370},
                                     {"9.weight", {2, 2, 2}, 380},
                                     {"10.weight", {2}, 390},
                                     {"10.bias", {2}, 400}};
  write_file(folder.path("all"), "pt", tensors);
  esp::model<Plain> model{esp::seed{1}};
  BOOST_TEST(has(error_of(model, folder.path("all")), "found the format \"pt\""));
  io::load_safetensors(folder.path("all"), model, from_pytorch());
  using index = std::vector<int> const&;
  auto const check = [&](char const* name, std::vector<int> const& extents, float first, auto place) {
    BOOST_TEST_CONTEXT(name) {
      auto const found = model.parameter(name).span();
      check_members({found.data(), static_cast<std::size_t>(found.size())}, extents, first, place);
    }
  };
  // (outputs, inputs, rows, columns) to (rows, columns, inputs, outputs)
  auto const kernels = [](index at) { return ((at[2] * 2 + at[3]) * 2 + at[1]) * 2 + at[0]; };
  auto const matrix = [](index at) { return at[1] * 2 + at[0]; };
  auto const vector = [](index at) { return at[0]; };
  check("0.weight", {2, 2, 2, 2}, 100, kernels);
  check("0.bias", {2}, 120, vector);
  check("1.weight", {2}, 130, vector);
  // (inputs, outputs / groups, rows, columns) to (rows, columns, outputs / groups, inputs)
  check("2.weight", {4, 2, 2, 2}, 200, [](index at) { return ((at[2] * 2 + at[3]) * 2 + at[1]) * 4 + at[0]; });
  check("2.bias", {4}, 240, vector);
  check("3.weight", {3, 3}, 250, [](index at) { return at[0] * 3 + at[1]; });
  check("4.weight", {2, 2}, 260, [](index at) { return at[0] * 2 + at[1]; });
  check("5.weight", {2, 2}, 280, [](index at) { return at[0] * 2 + at[1]; });
  check("6.weight", {2, 2}, 290, matrix);
  check("6.bias", {2}, 300, vector);
  check("7.weight_v", {2, 2}, 310, matrix);
  check("7.weight_g", {2}, 320, vector);
  check("7.bias", {2}, 330, vector);
  check("8.weight_v", {2, 2, 2, 2}, 340, kernels);
  check("8.weight_g", {2}, 360, vector);
  check("9.weight", {2, 2, 2}, 380, [](index at) { return (at[2] * 2 + at[1]) * 2 + at[0]; });
  check("10.weight", {2}, 390, vector);
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(model.buffer("1.running_mean").span()[i] == 150.0f + static_cast<float>(i));
    BOOST_TEST(model.buffer("1.running_var").span()[i] == 160.0f + static_cast<float>(i));
  }
  // A transposed convolution of PyTorch's numbers is PyTorch's: one that is not square, by its shape alone.
  auto wrong = tensors;
  wrong[7].extents = {2, 4, 2, 2};
  write_file(folder.path("wrong"), "pt", wrong);
  std::string const error_text = error_of(model, folder.path("wrong"), from_pytorch());
  BOOST_TEST(
      has(error_text,
          "1 disagreement; nothing was loaded\n  shape of \"2.weight\": expected (4, 2, 2, 2), found (2, 4, 2, 2)"),
      error_text);
}
BOOST_AUTO_TEST_CASE(modules_in_modules) {
  temporary::folder const folder;
  std::vector<written> tensors;
  for (char const* const layer : {"blocks.0.fn", "blocks.1.fn", "heads.0", "heads.1"}) {
    tensors.push_back({std::string{layer} + ".weight", {2, 2}});
    tensors.push_back({std::string{layer} + ".bias", {2}});
  }
  write_file(folder.path("blocks"), "pt", tensors);
  esp::model<Blocks> model{esp::seed{1}};
  io::load_safetensors(folder.path("blocks"), model, from_pytorch());
  for (char const* const layer : {"blocks.0.fn.weight", "blocks.1.fn.weight", "heads.0.weight", "heads.1.weight"})
    check_transposed<2>(model, layer);
}
BOOST_AUTO_TEST_CASE(with_other_options) {
  temporary::folder const folder;
  esp::model<nn::Sequential<nn::Linear<3, 3>, nn::ReLU>> model{esp::seed{1}};
  write_file(folder.path("half"), "pt", {{"fc.weight", {3, 3}, 0, "F16"}, {"fc.bias", {3}, 0, "F16"}});
  BOOST_TEST(has(error_of(model, folder.path("half"), from_pytorch().rename("fc.*", "0.*")),
                 "elements of \"0.weight\": expected float, found half"));
  io::load_safetensors(folder.path("half"), model, from_pytorch().rename("fc.*", "0.*").convert().finite());
  check_transposed<3>(model, "0.weight");
}

namespace {
struct Own {
  esp::parameter<shape<2, 2>, nn::init::initialized_by<nn::init::ones{}>> matrix;
  esp::parameter<shape<1, 2>, nn::init::initialized_by<nn::init::ones{}>> row;
  ESPALIER_MODULE(Own, matrix, row)
  constexpr auto forward(auto x) const { return matmul(x, matrix) + row; }
};
struct OwnStated {
  esp::parameter<shape<2, 2>, nn::init::initialized_by<nn::init::ones{}>> matrix;
  ESPALIER_MODULE(OwnStated, matrix)
  static constexpr esp::axis_order in_pytorch(char const*, esp::extents const&) { return esp::axes_in_order(1, 0); }
  constexpr auto forward(auto x) const { return matmul(x, matrix); }
};
struct OwnMisstated {
  esp::parameter<shape<2, 2>, nn::init::initialized_by<nn::init::ones{}>> matrix;
  ESPALIER_MODULE(OwnMisstated, matrix)
  static constexpr esp::axis_order in_pytorch(char const*, esp::extents const&) { return esp::axes_in_order(1, 1); }
  constexpr auto forward(auto x) const { return matmul(x, matrix); }
};
}  // namespace

BOOST_AUTO_TEST_CASE(modules_of_others) {
  temporary::folder const folder;
  esp::model<Own> own{esp::seed{1}};
  write_file(folder.path("own"), "pt", {{"matrix", {2, 2}}, {"row", {2}}});
  std::string const error_text = error_of(own, folder.path("own"), from_pytorch());
  BOOST_TEST(
      has(error_text,
          "layout of \"matrix\": expected an order of axes, found a module without an order for its (2, 2) from PyTorch; write load_options.axes(\"matrix\", ...)"),
      error_text);
  io::load_safetensors(folder.path("own"), own, from_pytorch().axes("matrix", 1, 0));
  check_transposed<2>(own, "matrix");
  io::load_safetensors(folder.path("own"), own, from_pytorch().axes("matrix", 0, 1));
  BOOST_TEST(own.parameter("matrix").span()[1] == 1);
  BOOST_TEST(has(error_of(own, folder.path("own"), from_pytorch().axes("matrix", 0)),
                 "layout of \"matrix\": expected each axis of (2, 2) once"));
  BOOST_TEST(has(error_of(own, folder.path("own"), from_pytorch().axes("matrix", 0, 2)),
                 "layout of \"matrix\": expected each axis of (2, 2) once"));
  // Nobody states whether it would be transposed elsewhere.
  write_file(folder.path("none"), "", {{"matrix", {2, 2}}, {"row", {1, 2}}});
  BOOST_TEST(has(error_of(own, folder.path("none")), "layout of \"matrix\": expected metadata"));
  io::load_safetensors(folder.path("none"), own, io::load_options{}.axes("matrix", 1, 0));
  check_transposed<2>(own, "matrix");

  esp::model<OwnStated> stated{esp::seed{1}};
  write_file(folder.path("stated"), "pt", {{"matrix", {2, 2}}});
  io::load_safetensors(folder.path("stated"), stated, from_pytorch());
  check_transposed<2>(stated, "matrix");
  esp::model<OwnMisstated> misstated{esp::seed{1}};
  BOOST_TEST(has(error_of(misstated, folder.path("stated"), from_pytorch()), "in_pytorch of the module is wrong"));
}

// numpy leaves no word about a layout; save_npz leaves one in the file's comment, and up to version 0.6 other headers
// than numpy's.
BOOST_AUTO_TEST_CASE(npz_files) {
  temporary::folder const folder;
  float const values[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  io::write_npz(folder.path("numpy.npz"), {io::array_of("weight", esp::extents{2, {3, 3}}, values)});
  esp::model<Square> model{esp::seed{1}}, other{esp::seed{2}};
  auto const before = numbers(model);
  BOOST_CHECK_THROW(io::load_npz(folder.path("numpy.npz"), model), io::mismatch_error);
  BOOST_TEST((numbers(model) == before));
  io::load_npz(folder.path("numpy.npz"), model, from_espalier());
  check_as_it_is(model);
  io::load_npz(folder.path("numpy.npz"), model, from_pytorch());
  check_transposed<3>(model);

  for (bool const compress : {false, true}) {
    io::save_npz(folder.path("own.npz"), model, {.compress = compress});
    io::load_npz(folder.path("own.npz"), other);
    check_transposed<3>(other);
  }
  // As version 0.6 wrote it: readable by all, no comment.
  io::save_npz(folder.path("own.npz"), model);
  std::string old = temporary::read(folder.path("own.npz"));
  std::size_t const entry = old.find("PK\1\2");
  BOOST_REQUIRE(entry != std::string::npos);
  old.replace(entry + 38, 4, little_end_first(std::uint64_t{0100644} << 16, 4));
  std::size_t const end = old.find("PK\5\6");
  old.replace(end + 20, std::string::npos, little_end_first(0, 2));
  std::ofstream{folder.path("old.npz"), std::ios::binary} << old;
  esp::model<Square> third{esp::seed{3}};
  io::load_npz(folder.path("old.npz"), third);
  check_transposed<3>(third);
}
