// SPDX-License-Identifier: BSL-1.0
// Page 2 of the guide: a formula is a value whose type describes a computation; constructing a tensor runs it.
//   guide_expressions [FILE]    prints; with FILE, compares with that file
#include <espalier.hpp>

#include "support/show.hpp"

namespace esp = espalier;
using esp::shape, esp::tensor;

// [formula]
// A formula in a struct has a type, whose constants describe its costs.
struct standardized {
  constexpr auto operator()(auto values) const {
    auto const centered = values - mean<1>(values, esp::keepdims);
    return centered / sqrt(mean<1>(centered * centered, esp::keepdims) + 1e-5f);
  }
};
using run_type = decltype(esp::compiled{standardized{}, tensor<float, shape<64, 256>>{}});
// two means, a root, a quotient: one kernel
static_assert(run_type::kernel_count == 1);
static_assert(run_type::bytes_read == 64 * 256 * sizeof(float));  // which reads each element once
static_assert(run_type::bytes_written == run_type::bytes_read);   // and writes each result once,
static_assert(run_type::workspace_bytes == 0);                    // with nothing in between
// [/formula]

int main(int count, char** words) {
  examples::recorded out;

  // [eager]
  tensor<float, shape<2, 2>> a{{1, 2}, {3, 4}}, b{{10, 20}, {30, 40}};
  auto const formula = a * b + exp(a - a);            // nothing is computed yet
  a(0, 0) = 5;                                        // the formula refers to a
  tensor<float, shape<2, 2>> const result = formula;  // now: one loop over a and b
  examples::show(out, "a * b + 1", result);
  examples::show(out, "kept in the formula", sizeof formula <= 8 * sizeof(void*) ? "addresses, no elements" : "more");
  // [/eager]

  // [alias]
  a = a + transpose(a);  // reads what it writes: a temporary is made where one is needed
  examples::show(out, "a + transpose(a)", a);
  // [/alias]

  // [auto]
  auto const row_sums = evaluate(sum<1>(a));  // the tensor that a formula stands for, without naming its type
  examples::show(out, "sums of its rows", row_sums);
  // [/auto]

  // [split]
  auto const [top, bottom] = esp::split<0>(b);  // a part for each row, without the axis
  examples::show(out, "second row", bottom);
  auto const [left, rest] = esp::split<1, 1, 3>(tensor<float, shape<2, 4>>{{1, 2, 3, 4}, {5, 6, 7, 8}});
  examples::show(out, "last three columns", rest);  // columns 1 + 3; parts with extents keep the axis
  tensor<float, shape<2>> const difference = top - bottom;
  examples::show(out, "difference of the rows", difference);
  // [/split]

  // [numbers]
  for (float factor : {0.5f, 2.0f}) {  // a number is an input: both runs use one program
    tensor<float, shape<2>> const scaled = row_sums * factor;
    examples::show(out, "scaled", scaled);
  }
  // [/numbers]

  // [run]
  tensor<float, shape<64, 256>> x, y;
  for (int i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 256);
  esp::compiled normalize{standardized{}, x};  // planned once, with its memory; runs allocate nothing
  normalize(x, y);
  out.print("first and last of a row %.3f and %.3f\n", static_cast<double>(y(9, 0)), static_cast<double>(y(9, 255)));
  // [/run]
  return out.finish(count, words);
}
