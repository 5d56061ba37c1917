// SPDX-License-Identifier: BSL-1.0
// What a net costs, what its plan does, and where the time of its steps goes.
//   look_inside            prints the table and the plan, which look_inside.txt has
//   look_inside profile    prints what each kernel took, too
#include <espalier.hpp>
#include <espalier/report/explain.hpp>
#include <espalier/report/profile.hpp>
#include <espalier/report/summary.hpp>

#include <iostream>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Net = nn::Sequential<nn::Linear<16, 32>, nn::LayerNorm1d<32>, nn::ReLU, nn::Linear<32, 4>>;

int main(int count, char**) {
  // [text]
  std::cout << esp::summary<Net, esp::shape<8, 16>>() << '\n';
  std::cout << esp::explain<Net, esp::batch<8, 16>>();
  // [/text]

  // [profile]
  esp::model<Net, esp::profiled<>> model{esp::seed{0}};
  esp::trainer trainer{model, nn::MeanSquaredError{}, optim::Adam{.learning_rate = 1e-3}, esp::batch<8, 16>{}};
  esp::tensor<float, esp::shape<8, 16>> x;
  esp::tensor<float, esp::shape<8, 4>> y;
  nn::init::fill(nn::init::uniform{}, x.span(), {.seed = 1});
  nn::init::fill(nn::init::uniform{}, y.span(), {.seed = 2});
  trainer.step(x, y);
  esp::clear_profile(model);  // the first step found cold caches
  for (int i = 0; i < 1000; ++i) trainer.step(x, y);
  for (esp::program_profile const& program : esp::profile_of(model)) {
    if (count > 1) std::cout << '\n' << program.text();
  }
  // [/profile]
  return esp::profile_of(model).front().runs == 1000 ? 0 : 1;
}
