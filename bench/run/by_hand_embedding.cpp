// SPDX-License-Identifier: BSL-1.0
// A step on a table of embeddings by hand: the gradient of a row is used where it is, and no gradient is stored.
#include "embedding.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "harness.hpp"

namespace {

using namespace bench;

struct state {
  std::vector<float> table;
  float loss = 0;
  int turn = 0;
};
void step(state& s, std::int32_t const* index, float const* dy) {
  float loss = 0;
  for (int i = 0; i < samples; ++i) {
    float const *const row = s.table.data() + std::size_t(index[i]) * features, *const d = dy + i * features;
    float lanes[32]{};
    for (int j = 0; j < features; j += 32)
      for (int k = 0; k < 32; ++k) lanes[k] += row[j + k] * d[j + k];
    for (float const x : lanes) loss += x;
  }
  s.loss = loss;
  for (int i = 0; i < samples; ++i) {
    float* const row = s.table.data() + std::size_t(index[i]) * features;
    for (int j = 0; j < features; ++j) row[j] -= embedding_rate * dy[i * features + j];
  }
}
implementation const by_hand{"embedding_step/32000x288", "by_hand", [](operands o) -> work {
                               auto s = std::make_shared<state>();
                               s->table.assign(o.in[2], o.in[2] + std::size_t{words} * features);
                               return {repeated([=] {
                                         step(*s, o.labels(0) + s->turn * samples, o.in[1]);
                                         s->turn = (s->turn + 1) % index_sets;
                                       }),
                                       [=] {
                                         *o.out[0] = s->loss;
                                         for (int i = 0; i < samples; ++i)
                                           std::copy_n(s->table.data() + std::size_t(o.labels(0)[i]) * features,
                                                       features, o.out[1] + i * features);
                                       }};
                             }};

}  // namespace
