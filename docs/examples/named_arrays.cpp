// SPDX-License-Identifier: BSL-1.0
// Parameters by name, and files of named arrays as numpy writes them (npz). Needs zlib: -lz.
#include <espalier.hpp>
#include <espalier/io/npz.hpp>

#include <cstdio>

namespace esp = espalier;
namespace io = espalier::io;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<3, 4>, nn::BatchNorm1d<4>, nn::ReLU, nn::Linear<4, 2>>;

int main() try {
  char const* const path = "named_arrays.npz";
  esp::model<Net> model{esp::seed{0}};

  // [names]
  auto const weight = model.parameter<"0.weight">();  // the compiler checks the name
  weight.span()[5] = 0.25f;                           // row by row: (1, 1) of (3, 4)
  esp::view<float, esp::shape<3, 4>> matrix{weight.span()};
  matrix(2, 3) = 0.5f;
  auto const mean = model.buffer<"1.running_mean">();  // buffers have names, too
  char const* name = "3.wieght";                       // a name that comes at run time
  if (!model.find_parameter(name)) std::printf("the net has no %s\n", name);
  try {
    model.parameter(name);
  } catch (esp::name_error const& error) {
    std::printf("%s\n", error.what());
  }
  // [/names]
  std::printf("%zu means\n", static_cast<std::size_t>(mean.span().size()));

  // [model]
  io::save_npz(path, model);  // numpy.load("named_arrays.npz")["0.weight"]
  esp::model<Net> other{esp::seed{1}};
  io::load_npz(path, other);  // all tensors, or an error and none
  // [/model]
  std::printf("came back: %s\n", other.parameter<"0.weight">().span()[5] == 0.25f ? "yes" : "no");

  // [arrays]
  float const numbers[] = {1, 2, 3, 4, 5, 6};
  double const scale[] = {0.5};
  io::write_npz(path, {io::array_of("table", esp::extents{2, {2, 3}}, numbers),
                       io::array_of("scale", esp::extents{1, {1}}, scale)});
  io::archive const file = io::read_npz(path);
  for (io::named_array const& array : file.arrays())
    std::printf("%s: %s %s\n", array.name.c_str(), name_of(array.kind), io::text_of(array.extents).c_str());
  // [/arrays]
  std::remove(path);
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "named_arrays: %s\n", error.what());
  return 1;
}
