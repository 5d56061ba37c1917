// SPDX-License-Identifier: BSL-1.0
// expect: stream\(x, y\): the object is const, and a call writes into its workspace
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<2, 3>, nn::Tanh>;
using block = esp::batch<1, 8, 2>;

struct effect {
  esp::stream<esp::model<Net>, block> run;
#ifdef SHOULD_FAIL
  void process(esp::tensor<float, block> const& x, esp::tensor<float, esp::shape<1, 8, 3>>& y) const { run(x, y); }
#else
  void process(esp::tensor<float, block> const& x, esp::tensor<float, esp::shape<1, 8, 3>>& y) { run(x, y); }
#endif
};
