// SPDX-License-Identifier: BSL-1.0
// expect: stream<Model, Batch>: Model is the type of a model, esp::model<Net>
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Linear<2, 3>;
#ifdef SHOULD_FAIL
using Stream = esp::stream<Net, esp::batch<1, 8, 2>>;
#else
using Stream = esp::stream<esp::model<Net>, esp::batch<1, 8, 2>>;
#endif

struct effect {
  explicit effect(esp::model<Net> const& model) : stream{model, esp::batch<1, 8, 2>{}} {}
  Stream stream;
};
