// SPDX-License-Identifier: BSL-1.0
// A program with the weights in it, that ship_weights.cpp wrote: it knows digits without files, heap, exceptions or
// run-time type information.
#include <espalier/model/embedded.hpp>
#include <espalier/model/frozen.hpp>
#include <espalier/model/predictor.hpp>
#include <espalier/storage/argmax.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "support/digits_net.hpp"
#include "support/digits_weights.hpp"

namespace esp = espalier;

// [read]
using batch = esp::batch<1, 8, 8>;
// the numbers stay where the linker put them: they are constants
static constexpr esp::read_only_model<DigitsNet, digits_weights> trained;

static esp::bytes<esp::predictor<decltype(trained), batch>::bytes> predictor_room;
static esp::bytes<esp::frozen<decltype(trained), batch>::bytes> frozen_room;
// [/read]

// Nobody asks for memory in vain here: it would be the end.
void* operator new(std::size_t) { std::abort(); }
void* operator new(std::size_t, std::align_val_t) { std::abort(); }
void operator delete(void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}
void operator delete(void*, std::align_val_t) noexcept {}
void operator delete(void*, std::size_t, std::align_val_t) noexcept {}

/// A picture of each digit that the training has not seen, a figure for each pixel: . is white, f is black.
static constexpr char const* pictures[] = {
    "..2c7..."
    "..fef6.."
    ".6a42e1."
    ".88..85."
    ".78..48."
    ".2e..56."
    "..9c4e3."
    "..1df9..",

    "....7f6."
    "...4ff4."
    ".2bfff7."
    ".afdaf4."
    ".13.4f5."
    "....7f7."
    "....9f8."
    "....9f6.",

    ".4ff2..."
    ".bff7..."
    ".9a6e..."
    "...7f..."
    "...da..."
    "..1f722."
    ".1cffff."
    ".4fffcb.",

    ".1cf5..."
    ".4f8f3.."
    "..31e4.."
    "..4ef1.."
    "..1aef4."
    ".....c8."
    ".484af4."
    ".2cfd6..",

    "...c7..."
    "..6f11.."
    ".1e8a8.."
    ".6f.dc6."
    ".efcff9."
    ".afff81."
    "...af1.."
    "...c9...",

    ".26ac1.."
    ".eda51.."
    ".a6....."
    ".adcc5.."
    ".2857e8."
    ".....5c."
    "..221aa."
    "..5ffe1.",

    "..6e1..."
    "..ca...."
    ".3f1...."
    ".5e.42.."
    ".7ffff5."
    ".4f6.9b."
    "..e85d9."
    "..5dfc1.",

    "..1efff1"
    "..be8db."
    "..f6.e3."
    "..515d1."
    "...dff9."
    "..2ff91."
    "...b9..."
    "..3f2...",

    "..1ed4.."
    ".3fcbf.."
    ".8b17d.."
    ".1def1.."
    "...ede2."
    "..2c.98."
    "..3d4c6."
    "...9ed1.",

    "..8de5.."
    ".5d4b9.."
    ".4d1ce.."
    "..8ebc4."
    ".....78."
    ".....48."
    "..22.b7."
    "..8ffd2."};

static esp::tensor<float, batch> picture(char const* figures) {
  esp::tensor<float, batch> x;
  for (int i = 0; i < 64; ++i) {
    char const c = figures[i];
    int const grey = c == '.' ? 0 : c <= '9' ? c - '0' : c - 'a' + 10;
    x.data()[i] = static_cast<float>(grey) / 8 - 1;
  }
  return x;
}

int main() {
  // [predict]
  esp::predictor classify{trained, batch{}, predictor_room};  // reads the numbers in place; the room is its workspace
  // faster: takes a copy, with the norm folded into the layer before it
  esp::frozen net{trained, batch{}, frozen_room};
  // [/predict]
  int right = 0;
  for (int digit = 0; digit < 10; ++digit) {
    esp::tensor<float, esp::shape<1, 10>> scores, same;
    classify(picture(pictures[digit]), scores);
    net(picture(pictures[digit]), same);
    auto const found = esp::argmax(scores);
    std::printf("%d looks like %d\n", digit, static_cast<int>(found));
    right += found == digit && esp::argmax(same) == found ? 1 : 0;
  }
  std::printf("%d of 10 right\n", right);
  return right == 10 ? 0 : 1;
}
