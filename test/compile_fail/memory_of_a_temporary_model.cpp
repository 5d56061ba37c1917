// SPDX-License-Identifier: BSL-1.0
// lines: 12
// expect: x.parameters\(\), x.parameter\(name\), x.buffers\(\), ...: x is a temporary, destroyed at the end of this expression; store it in a variable
// expect-early: lives_on<
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

using Model = espalier::model<espalier::nn::Linear<3, 2>>;

float f() {
  float r = 0;
#ifdef SHOULD_FAIL
  for (float const w : Model{espalier::seed{1}}.parameter<"weight">().span()) r += w;
  auto const all = Model{espalier::seed{1}}.parameters();
  r += all[0];
#else
  Model const model{espalier::seed{1}};
  for (float const w : model.parameter<"weight">().span()) r += w;
  auto const all = model.parameters();
  r += all[0];
#endif
  return r;
}
