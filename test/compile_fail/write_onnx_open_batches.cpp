// SPDX-License-Identifier: BSL-1.0
// expect: the number of samples is open in some batches only; write any_batch<...> for each input, or batch<N, ...> for each
// expect: samples_alike<(espalier::)?shapes<(espalier::)?io::any_batch<8>, (espalier::)?shape<2, 8> ?> ?>
#include <espalier/io/onnx.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace io = espalier::io;

struct Distance {
  nn::Linear<8, 4> layer;
  ESPALIER_MODULE(Distance, layer)
  constexpr auto forward(auto a, auto b) const { return square(layer(a) - layer(b)); }
};
#ifdef SHOULD_FAIL
using Batch = esp::shapes<io::any_batch<8>, esp::batch<2, 8>>;
#else
using Batch = esp::shapes<io::any_batch<8>, io::any_batch<8>>;
#endif

void f(esp::model<Distance> const& model) { io::write_onnx<Batch>("net.onnx", model); }
