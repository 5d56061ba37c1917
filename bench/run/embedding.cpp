// SPDX-License-Identifier: BSL-1.0
// Forward pass, backward pass and update of an embedding: 256 of 32,000 rows are read, and only these may cost time.
#include "embedding.hpp"

#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/sgd.hpp>

#include <algorithm>
#include <memory>

#include "harness.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

using namespace bench;
using net = nn::Embedding<words, features>;

/// sum(y dy): the gradient of y is dy.
struct weighted {
  ESPALIER_MODULE(weighted)
  template <class Prediction>
  struct target {
    using element_type = void;
    using type = Prediction;
  };
  constexpr auto forward(auto y, auto dy) const { return sum(y * dy); }
};

work prepare(operands o) {
  struct state {
    esp::model<net> model{esp::seed{0}};
    esp::trainer<esp::model<net>, weighted, esp::optim::SGD<>, esp::batch<samples>> trainer{
        model, weighted{}, esp::optim::SGD<>{.learning_rate = embedding_rate}, esp::batch<samples>{}};
    float loss = 0;
    int turn = 0;
  };
  auto s = std::make_shared<state>();
  auto const table = s->model.parameter("weight").span();
  std::copy_n(o.in[2], table.size(), table.begin());
  return {repeated([=] {
            esp::view<std::int32_t const, esp::shape<samples>> const x(o.labels(0) + s->turn * samples);
            esp::view<float const, esp::shape<samples, features>> const dy(o.in[1]);
            s->loss = s->trainer.step(x, dy);
            s->turn = (s->turn + 1) % index_sets;
          }),
          [=] {
            *o.out[0] = s->loss;
            auto const rows = s->model.parameter("weight").span();
            for (int i = 0; i < samples; ++i)
              std::copy_n(rows.begin() + std::ptrdiff_t{o.labels(0)[i]} * features, features, o.out[1] + i * features);
          }};
}
row const what{"embedding_step/32000x288",
               {{std::size_t{index_sets} * samples, 0, 0, words},
                {std::size_t{samples} * features},
                {std::size_t{words} * features}},
               {{1, 1e-3}, {std::size_t{samples} * features}},
               // Rows and their gradients are read, rows written.
               12. * samples* features,
               4. * samples* features};
implementation const own{"embedding_step/32000x288", "espalier", prepare};

}  // namespace
