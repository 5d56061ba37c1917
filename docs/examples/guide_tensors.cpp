// SPDX-License-Identifier: BSL-1.0
// Page 1 of the guide: tensors own their elements, views borrow them, and both work in constant expressions.
//   guide_tensors [FILE]    prints; with FILE, compares with that file
#include <vector>

#include <espalier.hpp>

#include "support/show.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;

// [constant]
// as many braces as axes, as many numbers as elements
constexpr tensor<float, shape<2, 3>> known{{1, 2, 3}, {4, 5, 6}};
static_assert(known(1, 2) == 6 && known[5] == 6 && known.size() == 6);
static_assert(tensor<float, shape<3>>{} == tensor<float, shape<3>>{0, 0, 0});  // without an initialiser: zeros
static_assert(tensor<std::int32_t, shape<2>>{argmax<1>(known)} == tensor<std::int32_t, shape<2>>{2, 2});
// [/constant]

int main(int count, char** words) {
  examples::recorded out;

  // [elements]
  tensor<float, shape<2, 3>> a = known;  // a copy: tensors are values
  a(0, 0) = 10;
  for (float& element : a) element /= 2;
  double total = 0;
  for (float element : a.span()) total += static_cast<double>(element);
  examples::show(out, "a", a);
  examples::show(out, "its sum", total);
  examples::show(out, "known(0, 0)", known(0, 0));
  // [/elements]

  // [view]
  float samples[] = {1, 2, 3, 4};
  esp::view<float, shape<2, 2>> square{samples};  // no copy: the memory is yours and must outlive the view
  square(1, 0) = 30;
  examples::show(out, "samples[2]", samples[2]);
  tensor<float, shape<2, 2>> const doubled = square + square;  // in formulas a view is what a tensor is
  examples::show(out, "square + square", doubled);
  // [/view]

  // [ranges]
  std::vector<float> const heights{1, 2, 3, 4, 5, 6};
  tensor<float, shape<2, 3>> const copied = heights;  // a copy; throws esp::range_error unless there are six
  std::vector<double> const exact{0.5, 1.5};
  tensor<float, shape<2>> const rounded(exact);  // another element type: explicit conversion
  examples::show(out, "copied(1, 0)", copied(1, 0));
  examples::show(out, "rounded", rounded);
  // [/ranges]

  // [written]
  std::vector<float> memory(4);
  esp::view<float, shape<2, 2>> result = memory;  // no copy
  result = square * 2;                            // computed where the view's elements lie
  result = transpose(result);                     // operands may be the destination, or overlap it
  examples::show(out, "memory[1]", memory[1]);
  esp::evaluate_into(doubled, result);  // copies the elements of a tensor or view
  result.rebind(square);                // from now on the elements of another one
  examples::show(out, "memory[2]", memory[2]);
  // [/written]

  // [start]
  tensor<float, shape<4>> random;
  nn::init::fill(nn::init::uniform{-1, 1}, random.span(), {.seed = 7});
  tensor<float, shape<4>> again;
  nn::init::fill(nn::init::uniform{-1, 1}, again.span(), {.seed = 7});
  examples::show(out, "the same numbers", random == again ? "yes" : "no");
  // [/start]

  // [types]
  tensor<double, shape<2, 3>> const wide{known};  // another element type: explicit, because it may round
  tensor<float, shape<>> const scalar = sum(known);
  float const number = scalar;  // a tensor without axes is its element
  examples::show(out, "wide(1, 1)", wide(1, 1));
  examples::show(out, "number", number);
  // [/types]

  // [close]
  bool const same = all_close(a, known, 1e-5, 1e-8);  // |a - known| <= 1e-8 + 1e-5 |known|, everywhere
  examples::show(out, "a close to known", same ? "yes" : "no");
  static_assert(sizeof(tensor<float, shape<32, 32>>) >= 4096 && sizeof(tensor<float, shape<32, 33>>) < 128);
  // [/close]
  return out.finish(count, words);
}
