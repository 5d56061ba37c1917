// SPDX-License-Identifier: BSL-1.0
#include <espalier.hpp>

#include <cstdint>

#include "net.hpp"

int count_right(Model const& model, Inputs const& x, Labels const& labels) {
  auto const scores = model(x);
  int right = 0;
  for (int i = 0; i < 32; ++i) right += (scores(i, 1) > scores(i, 0) ? 1 : 0) == labels(i) ? 1 : 0;
  return right;
}
