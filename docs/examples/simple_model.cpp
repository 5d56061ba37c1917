// SPDX-License-Identifier: BSL-1.0
// A model in one struct: a layer, a residual block, a layer. Its shapes and its number of parameters are known to the
// compiler.
#include <espalier.hpp>

#include <iostream>

namespace esp = espalier;
namespace nn = espalier::nn;

struct SimpleModel {
  nn::Linear<10, 20> linear1;
  nn::Residual<nn::Sequential<nn::Linear<20, 20>, nn::ReLU>> residual;  // fn(x) + x
  nn::Linear<20, 5> linear2;
  ESPALIER_MODULE(SimpleModel, linear1, residual, linear2)

  constexpr auto forward(auto x) const { return linear2(residual(linear1(x))); }
};

static_assert(esp::output_shape<SimpleModel, esp::shape<1, 10>> == esp::shape<1, 5>{});
static_assert(esp::parameter_count<SimpleModel> == (10 * 20 + 20) + (20 * 20 + 20) + (20 * 5 + 5));

int main() {
  esp::model<SimpleModel> model{esp::seed{0}};
  esp::tensor<float, esp::shape<1, 10>> x;
  nn::init::fill(nn::init::uniform{}, x.span(), {.seed = 1});
  esp::tensor<float, esp::shape<1, 5>> const y = model(x);

  std::cout << "input " << x.shape() << ", output " << y.shape() << '\n';
  model.for_each_parameter([](auto name, esp::extents shape, auto values) {
    std::cout << name << ' ' << shape << ": " << values.size() << '\n';
  });
  std::cout << "parameters in all: " << esp::parameter_count<SimpleModel> << "\ny = " << y << '\n';
  return 0;
}
