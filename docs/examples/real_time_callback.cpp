// SPDX-License-Identifier: BSL-1.0
// A net in the callback of a sound card: each block is there in time because nothing in it waits. Allocations are
// counted, subnormals are flushed.
//   real_time_callback [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>

#include <cmath>

#include "../../test/support/allocation_counter.hpp"
#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

// A saturating filter of 32 samples, and what it gives is fed back, as in a reverberation: a tone that dies away goes
// through all small numbers.
constexpr int block = 32;
using Net = nn::Sequential<nn::Linear<block, 24, nn::no_bias>, nn::Tanh, nn::Linear<24, block, nn::no_bias>>;
using one = esp::batch<1, block>;

class effect {
 public:
  effect() {
    for (float& weight : model_.parameters()) weight *= 0.5f;
  }
  /// What the sound card calls, on a thread that must not wait.
  void process(float const* input, float* output) noexcept {
    esp::flush_subnormals const flushing;
    process_as_it_is(input, output);
  }
  void process_as_it_is(float const* input, float* output) noexcept {
    for (int i = 0; i < block; ++i) mixed_[i] = input[i] + 0.5f * tail_[i];
    filter_(mixed_, tail_);
    for (int i = 0; i < block; ++i) output[i] = tail_[i];
  }
  static_assert(noexcept(std::declval<esp::predictor<esp::model<Net>, one>&>()(
      std::declval<esp::tensor<float, one>&>(), std::declval<esp::tensor<float, one>&>())));

 private:
  esp::model<Net> model_{esp::seed{0}};
  esp::predictor<esp::model<Net>, one> filter_{model_, one{}};
  esp::tensor<float, one> mixed_, tail_;
};

int main(int count, char** words) {
  effect flushing, plain;
  float const silence[block]{};
  float tone[block], output[block];
  for (int i = 0; i < block; ++i) tone[i] = std::sin(0.3f * static_cast<float>(i));
  int with_guard = 0, without = 0;

  long const before = espalier_test::allocations();
  for (int n = 0; n < 1000; ++n) {
    flushing.process(n < 10 ? tone : silence, output);
    for (float const x : output) with_guard += std::fpclassify(x) == FP_SUBNORMAL;
    plain.process_as_it_is(n < 10 ? tone : silence, output);
    for (float const x : output) without += std::fpclassify(x) == FP_SUBNORMAL;
  }
  long const made = espalier_test::allocations() - before;
  examples::recorded out;
  out.print("allocations in 1000 callbacks: %ld\nsubnormal samples with the guard: %d\nand without it: %s\n", made,
            with_guard, without > 0 ? "some" : "none");
  return made == 0 ? out.finish(count, words) : 1;
}
