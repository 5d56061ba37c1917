// SPDX-License-Identifier: BSL-1.0
// expect: dataset: include <espalier/data/dataset.hpp>
// lines: 12
#include <espalier.hpp>
#ifndef SHOULD_FAIL
#include <espalier/data/dataset.hpp>
#endif

namespace esp = espalier;
namespace nn = espalier::nn;

constexpr esp::data::reading options{.classes = 10, .scale = 1. / 255};
esp::data::dataset<float, esp::shape<28, 28>> digits{"images", "labels", options};
