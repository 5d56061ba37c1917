// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: Linear<128, 10
// expect: Classifier
// expect: Branch
// expect: Stage
// expect: Network
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<32, 64>, (espalier::)?shape<128, 10> ?>
// expect-early: shape<32, 64>
// expect-early: shape<128, 10>
// expect-early: layer<3, 7>
// expect-26: a layer does not fit its input; inner dimensions: \(32, 64\) and \(128, 10\), in Linear<128, 10>, layer 3 of 7, in Classifier, in Branch, in Stage, in Network
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
inline constexpr int features = 128;
#else
inline constexpr int features = 64;
#endif

using Head = nn::Sequential<nn::Linear<64, 64>, nn::ReLU, nn::Linear<64, 64>, nn::Linear<features, 10>, nn::ReLU,
                            nn::Linear<10, 10>, nn::ReLU>;
struct Classifier {
  Head head;
  ESPALIER_MODULE(Classifier, head)
  constexpr auto forward(auto x) const { return head(x); }
};
struct Branch {
  Classifier classifier;
  ESPALIER_MODULE(Branch, classifier)
  constexpr auto forward(auto x) const { return tanh(classifier(tanh(x))) * 2 + 1; }
};
struct Stage {
  Branch branch;
  ESPALIER_MODULE(Stage, branch)
  constexpr auto forward(auto x) const { return mean<1>(branch(x)); }
};
struct Network {
  Stage stage;
  ESPALIER_MODULE(Network, stage)
  constexpr auto forward(auto x) const { return stage(x); }
};

void f(esp::model<Network> const& model) { esp::predictor predict{model, esp::batch<32, 64>{}}; }
