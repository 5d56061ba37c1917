// SPDX-License-Identifier: BSL-1.0
// A stream allocates at construction, and never again.
#define BOOST_TEST_MODULE allocation_stream
#include <boost/test/unit_test.hpp>

#include <espalier/stream.hpp>

#include "support/allocation_counter.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::tensor;
using espalier_test::allocations;

namespace {
template <int Dilation>
using Conv =
    nn::Conv1d<16, 16, 3, nn::conv{.padding = {0, 2 * Dilation, 0, 0}, .dilation = Dilation, .layout = esp::nhwc}>;
using Net = nn::Sequential<nn::Linear<2, 16>, nn::Residual<nn::Sequential<Conv<1>, nn::Tanh>>,
                           nn::Residual<nn::Sequential<Conv<64>, nn::Tanh>>, nn::Linear<16, 1>>;

/// A recurrent layer whose first state is computed from a parameter.
struct Begun {
  nn::GRU<2, 16, nn::gru{.batch_first = true}> gru{};
  esp::parameter<esp::shape<1, 16>, nn::init::initialized_by<nn::init::uniform{-1, 1}>> first{};
  esp::parameter<esp::shape<16, 16>, nn::init::initialized_by<nn::init::uniform{-1, 1}>> mixed{};
  ESPALIER_MODULE(Begun, gru, first, mixed)
  constexpr auto forward(auto x) const {
    return std::get<0>(gru(x, esp::unsqueeze<0>(tanh(matmul(tanh(matmul(first, mixed)), mixed)))));
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(calls_allocate_nothing) {
  esp::model<Net> model{esp::seed{1}};
  long const before = allocations();
  esp::stream effect{model, esp::batch<1, 64, 2>{}};
  BOOST_TEST(allocations() == before + 1);
  static esp::bytes<decltype(effect)::bytes> room;
  esp::stream another{model, esp::batch<1, 64, 2>{}, room};
  tensor<float, esp::shape<1, 64, 2>> x;
  tensor<float, esp::shape<1, 64, 1>> y, z;
  static decltype(effect)::state_type saved;
  x.fill(0.5f);
  for (int block = 0; block < 4; ++block) {
    effect(x, y);
    saved = effect.save();
    another(x, z);
    another.restore(saved);
  }
  effect.reset();
  effect(x, z);
  BOOST_TEST(allocations() == before + 1);
  BOOST_TEST((y[63] != 0 && y[63] != z[63]));
}

BOOST_AUTO_TEST_CASE(initial_states_allocate_nothing) {
  esp::model<Begun> model{esp::seed{1}};
  long const before = allocations();
  esp::stream effect{model, esp::batch<1, 64, 2>{}};
  BOOST_TEST(allocations() == before + 1);
  static esp::bytes<decltype(effect)::bytes> room;
  esp::stream another{model, esp::batch<1, 64, 2>{}, room};
  tensor<float, esp::shape<1, 64, 2>> x;
  tensor<float, esp::shape<1, 64, 16>> y, z;
  x.fill(0.5f);
  for (int block = 0; block < 3; ++block) {
    effect.reset();
    effect(x, y);
    another.reset();
    another(x, z);
    BOOST_TEST((y[0] == z[0] && y[1023] == z[1023]));
    effect(x, y);
  }
  BOOST_TEST(allocations() == before + 1);
}
