// SPDX-License-Identifier: BSL-1.0
// What a file that imports and a file that includes share. Its reader has the library already, in its own way.
#pragma once

struct Net {
  espalier::nn::Linear<4, 16> hidden;
  espalier::nn::Linear<16, 2> last;
  ESPALIER_MODULE(Net, hidden, last)
  constexpr auto forward(auto x) const { return last(relu(hidden(x))); }
};
using Model = espalier::model<Net>;
using Inputs = espalier::tensor<float, espalier::shape<32, 4>>;
using Labels = espalier::tensor<std::int32_t, espalier::shape<32>>;

/// How many of the labels the model predicts: in a file that includes the library.
int count_right(Model const& model, Inputs const& x, Labels const& labels);
