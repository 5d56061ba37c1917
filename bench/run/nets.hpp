// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string>

/// Whole nets: EACH(net, batch) for each. nets.cpp defines the nets; nets_python.py defines them again in PyTorch.
/// net_forward/NET/BATCH: one sample or a batch -> scores, by a net that is prepared for inference.
/// net_step/NET/BATCH: a batch and its targets -> the loss of a first step with the learning rate 1, then by how much
/// it reduces each parameter. That is the gradient, because the momentum is 0 before the step.
/// espalier's side writes the parameters and buffers, from which every implementation starts, into files. The variable
/// ESPALIER_BENCH_NET of the environment has their path without the extensions .safetensors and .onnx.
#define BENCH_NETS(EACH) \
  EACH(resnet9, 32) EACH(digits_cnn, 64) EACH(inverted_residual, 8) EACH(tcn, 16) EACH(autoencoder, 64)
namespace bench {
/// Stochastic gradient descent with momentum.
inline constexpr double net_learning_rate = 0.01, net_momentum = 0.9;

inline std::string forward_name(char const* net, int batch) {
  return std::string("net_forward/") + net + "/" + std::to_string(batch);
}
inline std::string step_name(char const* net, int batch) {
  return std::string("net_step/") + net + "/" + std::to_string(batch);
}

/// Rows on two threads: a step of ResNet9, and a convolution of images (N, H, W, C) with kernels (3, 3, C, C).
inline constexpr char const* step_on_two_threads = "net_step_2_threads/resnet9/32";
inline constexpr char const* convolution_on_two_threads = "conv2d_2_threads/8x56x56x64_3x3x64";
}  // namespace bench
