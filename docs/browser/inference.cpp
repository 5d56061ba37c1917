// SPDX-License-Identifier: BSL-1.0
// A trained net as a small WebAssembly module, with the weights in it: the page writes 64 pixels and gets the digit.
#include <espalier/model/embedded.hpp>
#include <espalier/model/predictor.hpp>
#include <espalier/storage/argmax.hpp>

#include "support/digits_net.hpp"
#include "support/digits_weights.hpp"

#define EXPORT(name) extern "C" [[clang::export_name(#name)]]

namespace esp = espalier;

using one = esp::batch<1, 8, 8>;
static constexpr esp::read_only_model<DigitsNet, digits_weights> trained;
static esp::bytes<esp::predictor<decltype(trained), one>::bytes> predictor_memory;
static float pixels[8 * 8];  // 0 to 16

EXPORT(pixels) float* address_of_pixels() { return pixels; }

EXPORT(digit) int digit() {
  esp::predictor classify{trained, one{}, predictor_memory};
  esp::tensor<float, one> image;
  esp::tensor<float, esp::shape<1, 10>> scores;
  for (int i = 0; i < 8 * 8; ++i) image.data()[i] = pixels[i] / 8 - 1;
  classify(image, scores);
  return static_cast<int>(esp::argmax(scores));
}
