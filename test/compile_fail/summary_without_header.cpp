// SPDX-License-Identifier: BSL-1.0
// expect: summary: include <espalier/report/summary.hpp>
// lines: 12
#include <espalier.hpp>
#ifndef SHOULD_FAIL
#include <espalier/report/summary.hpp>
#endif

namespace esp = espalier;
namespace nn = espalier::nn;

char const* text() {
  static auto const summary = esp::summary<nn::Linear<8, 4>, esp::batch<16, 8>>();
  return summary.c_str();
}
