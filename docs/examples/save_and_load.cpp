// SPDX-License-Identifier: BSL-1.0
// Files of weights, the errors of a file that does not fit, and options for differences.
// docs/how_to_save_and_load.md shows parts of it.
#include <espalier.hpp>
#include <espalier/io/safetensors.hpp>

#include <cstdio>
#include <cstring>

namespace esp = espalier;
namespace io = espalier::io;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

namespace {

// [net]
using Net = nn::Sequential<nn::Linear<8, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::Linear<16, 4>>;
// [/net]
using Smaller = nn::Sequential<nn::Linear<8, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::Linear<16, 3>>;

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "save_and_load: not so: %s\n", what);
  std::exit(1);
}
}  // namespace

int main() try {
  char const* const path = "save_and_load.safetensors";
  esp::tensor<float, esp::shape<32, 8>> x;
  for (int i = 0; i < 256; ++i) x.data()[i] = static_cast<float>(i % 17) * 0.125f - 1;
  esp::tensor<std::int32_t, esp::shape<32>> y;
  for (int i = 0; i < 32; ++i) y.data()[i] = i % 4;

  // [model]
  esp::model<Net> model{esp::seed{1}}, other{esp::seed{2}};
  io::save_safetensors(path, model);  // the whole file, or the one that was there before
  io::load_safetensors(path, other);  // all of it, or nothing
  // [/model]
  require(std::memcmp(model(x).data(), other(x).data(), 32 * 4 * sizeof(float)) == 0, "both models give the same bits");

  // [training]
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-2f}, esp::batch<32, 8>{}};
  for (int step = 0; step < 5; ++step) trainer.step(x, y);
  io::save_safetensors(path, model, trainer);  // and the optimizer's vectors, steps, seed and draws

  esp::trainer again{other, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-2f}, esp::batch<32, 8>{}};
  io::load_safetensors(path, other, again);  // continues as if it had never stopped
  // [/training]
  require(again.steps() == 5, "the steps are counted on");
  for (int step = 0; step < 5; ++step) require(trainer.step(x, y) == again.step(x, y), "every step has the same bits");

  // [errors]
  esp::model<Smaller> smaller{esp::seed{1}};
  try {
    io::load_safetensors(path, smaller, io::load_options{}.ignore("training/*"));
  } catch (io::mismatch_error const& error) {
    std::puts(error.what());  // every disagreement, a line each
    for (auto const& d : error.disagreements())
      require(d.kind == io::disagreement_kind::shape, "these are about shapes");
  }
  // [/errors]

  // [options]
  io::load_safetensors(path, smaller,
                       io::load_options{}  // tensors of the file that the model has none for
                           .ignore("training/*")
                           .ignore("3.*")
                           .keep("3.*")  // tensors of the model that stay as they are
                           // what the file calls head.weight is the model's 3.weight
                           .rename("head.*", "3.*")
                           .convert()   // half, bfloat16 or double in the file
                           .finite());  // no infinity and no NaN
  // [/options]

  // [arrays]
  io::archive const file = io::read_safetensors(path);
  io::named_array const* const weight = file.find("0.weight");  // a name, extents, a kind of element, bytes
  std::printf("%s: %s %s\n", weight->name.c_str(), name_of(weight->kind), io::text_of(weight->extents).c_str());
  // [/arrays]

  // A state_dict as safetensors.torch.save_file writes it: a square weight (outputs, inputs) and a bias.
  float const numbers[] = {1, 2, 3, 4, 5, 6};
  io::write_safetensors(path,
                        {io::array_of("weight", esp::extents{2, {2, 2}}, numbers),
                         io::array_of("bias", esp::extents{1, {2}}, numbers + 4)},
                        {{"format", "pt"}});
  // [pytorch]
  esp::model<nn::Linear<2, 2>> linear{esp::seed{1}};
  try {
    io::load_safetensors(path, linear);  // a file of PyTorch's: nothing is loaded
  } catch (io::mismatch_error const& error) {
    std::puts(error.what());
  }
  io::load_safetensors(path, linear, io::load_options{}.from_pytorch());  // converted
  // [/pytorch]
  require(linear.parameter("weight").span()[1] == 3, "the weight is transposed");
  std::remove(path);
} catch (std::exception const& error) {
  std::fprintf(stderr, "save_and_load: %s\n", error.what());
  return 1;
}
