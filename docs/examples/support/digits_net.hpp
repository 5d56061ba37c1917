// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

/// A small net for pictures of digits: what trains it and what only runs it include this.
using DigitsNet = nn::Sequential<nn::Flatten, nn::Linear<8 * 8, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::Linear<16, 10>>;
