// SPDX-License-Identifier: BSL-1.0
// A trained net reads a picture of a digit. Its weights are constants, which stay in flash.
#include <espalier.hpp>
#include <espalier/model/embedded.hpp>

#include "digits_net.hpp"
#include "digits_weights.hpp"

namespace esp = espalier;

using one = esp::batch<1, 8, 8>;
static constexpr esp::read_only_model<DigitsNet, digits_weights> trained;
static esp::bytes<esp::predictor<decltype(trained), one>::bytes> workspace;

// A three: rows of 8 pixels, 0 is white and 16 is black.
static const unsigned char picture[64] = {
  0, 1, 12, 15,  5,  0, 0, 0,
  0, 4, 15,  8, 15,  3, 0, 0,
  0, 0,  3,  1, 14,  4, 0, 0,
  0, 0,  4, 14, 15,  1, 0, 0,
  0, 0,  1, 10, 14, 15, 4, 0,
  0, 0,  0,  0,  0, 12, 8, 0,
  0, 4,  8,  4, 10, 15, 4, 0,
  0, 2, 12, 15, 13,  6, 0, 0};

void setup() {
  Serial.begin(115200);
}

void loop() {
  esp::predictor classify{trained, one{}, workspace};
  esp::tensor<float, one> image;
  esp::tensor<float, esp::shape<1, 10>> scores;
  for (int i = 0; i < 64; ++i) image.data()[i] = picture[i] / 8.0f - 1;
  classify(image, scores);
  Serial.print(F("digit "));
  Serial.println(static_cast<int>(esp::argmax(scores)));
  delay(1000);
}
