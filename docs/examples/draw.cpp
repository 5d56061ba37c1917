// SPDX-License-Identifier: BSL-1.0
// Writes pictures of nets into a folder: .dot for graphviz (dot -Tsvg), .svg as they are. docs/pictures has them
// rendered.
//   draw FOLDER
#include <espalier.hpp>
#include <espalier/report/draw.hpp>

#include <fstream>
#include <iostream>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Small = nn::Sequential<nn::Linear<8, 4>, nn::ReLU, nn::Linear<4, 3>>;
using Normed = nn::Sequential<nn::Linear<6, 8, nn::no_bias>, nn::LayerNorm1d<8>>;  // page 13 of the course
using Blocks = nn::MLPResNet<64, 64, 2, 10>;
using Images = nn::ResNet9<>;

namespace {

bool write(std::string const& path, std::string const& picture) {
  std::ofstream file{path};
  file << picture;
  return static_cast<bool>(file.flush());
}

/// What a net is, what a step of its training runs, and the memory that the step needs. Titles have the net's name.
template <class Net, class Batch, class Loss = nn::SoftmaxLoss, class Optimizer = optim::Adam>
bool draw(std::string const& path, std::string const& name) {
  // [draw]
  return write(path + "_architecture.dot", esp::draw_architecture<Net, Batch>(name))            // the modules
         && write(path + "_kernels.dot", esp::draw_kernels<Net, Loss, Optimizer, Batch>(name))  // what runs
         && write(path + "_memory.svg", esp::draw_memory<Net, Loss, Optimizer, Batch>(name));   // where values live
  // [/draw]
}

}  // namespace

int main(int count, char** words) {
  std::string const folder = count > 1 ? words[1] : ".";
  // [program]
  bool const program = write(folder + "/small_program.dot",
                             esp::draw_program<Small, nn::SoftmaxLoss, optim::Adam, esp::batch<2, 8>>("two layers"));
  // [/program]
  bool const nets = draw<Small, esp::batch<2, 8>>(folder + "/small", "two layers") &&
                    draw<Blocks, esp::batch<32, 64>>(folder + "/mlp_resnet", "MLPResNet") &&
                    draw<Images, esp::batch<16, 3, 32, 32>>(folder + "/resnet9", "ResNet9") &&
                    draw<Normed, esp::batch<4, 6>, nn::MeanSquaredError, optim::SGD<>>(folder + "/layer_norm",
                                                                                       "Linear and LayerNorm");
  if (!program || !nets) std::cerr << folder << " cannot be written to\n";
  return program && nets ? 0 : 1;
}
