// SPDX-License-Identifier: BSL-1.0
// The C++ side of exchange.py:  exchange NET FOLDER
//   reads   FOLDER/torch.safetensors (weights) and FOLDER/x.safetensors (x: input)
//   writes  FOLDER/y.safetensors (y: output for these weights), FOLDER/espalier.safetensors (other weights) and FOLDER/z.safetensors (z: output for those)
#include <espalier/io/safetensors.hpp>
#include <espalier/model/model.hpp>

#include <cstdio>
#include <cstring>

#include "nets.hpp"

namespace esp = espalier;
namespace io = espalier::io;

namespace {

template <class X>
void put(std::string const& path, char const* name, X const& x) {
  io::write_safetensors(path.c_str(), {io::array_of(name, X::shape_type::value, x.data())});
}

template <class Net, class Batch>
void exchange(std::string const& folder) {
  esp::tensor<float, Batch> x;
  io::fill(io::read_safetensors((folder + "/x.safetensors").c_str()), {io::array_of("x", Batch::value, x.data())});
  esp::model<Net> model{esp::seed{7}};
  io::load_safetensors((folder + "/torch.safetensors").c_str(), model);
  put(folder + "/y.safetensors", "y", model(x));

  model.initialize(esp::seed{7});
  int number = 0;
  auto const disturb = [&](char const*, esp::extents const&, auto elements) {
    for (float& e : elements) e += 0.01f * static_cast<float>(++number * 7 % 13);
  };
  model.for_each_parameter(disturb);
  model.for_each_buffer(disturb);
  io::save_safetensors((folder + "/espalier.safetensors").c_str(), model);
  put(folder + "/z.safetensors", "z", model(x));
}

}  // namespace

int main(int count, char** words) try {
  if (count != 3) return 2;
  auto const is = [&](char const* name) { return std::strcmp(words[1], name) == 0; };
  if (is("Features")) exchange<nets::Features, esp::batch<4, 12>>(words[2]);
  else if (is("Images")) exchange<nets::Images, esp::batch<2, 3, 8, 10>>(words[2]);
  else if (is("LastImages")) exchange<nets::LastImages, esp::batch<2, 3, 8, 10>>(words[2]);
  else if (is("Words")) exchange<nets::Words, esp::batch<3, 11>>(words[2]);
  else if (is("Sequences")) exchange<nets::Sequences, esp::batch<2, 5, 8>>(words[2]);
  else if (is("Recurrent")) exchange<nets::Recurrent, esp::batch<2, 4, 3>>(words[2]);
  else return 2;
} catch (std::exception const& error) {
  std::fprintf(stderr, "exchange: %s\n", error.what());
  return 1;
}
