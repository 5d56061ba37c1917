// SPDX-License-Identifier: BSL-1.0
// expect: model.parameter<name>\(\): the net has no parameter of this name
// expect: names_a_parameter<.*tensor_name<13>\{\"2.fc1.wieght\"\}
// expect: nearest<.*tensor_name<13>\{\"2.fc1.weight\"\} ?>
// expect-26: the net has no parameter of this name; 2.fc1.wieght, the nearest is 2.fc1.weight
// expect-early: 2.fc1.wieght
// expect-early: 2.fc1.weight
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Layers {
  nn::Linear<8, 8> fc1, fc2;
  ESPALIER_MODULE(Layers, fc1, fc2)
  constexpr auto forward(auto x) const { return fc2(relu(fc1(x))); }
};
using Net = nn::Sequential<nn::Flatten, nn::BatchNorm1d<8>, Layers>;

#ifdef SHOULD_FAIL
void f(esp::model<Net>& model) { model.parameter<"2.fc1.wieght">().span()[0] = 1; }
#else
void f(esp::model<Net>& model) { model.parameter<"2.fc1.weight">().span()[0] = 1; }
#endif
