// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>
#include <espalier/data/loader.hpp>
#include <vector>

#include "support/function.hpp"

namespace conformance {

/// 0 .. n-1 in batches of one static size, in the order of the given permutation: the first ten samples, and the norm
/// of each ten.
template <class Case, class T>
void check_dataloader_shuffled(case_run& run) {
  constexpr int count = attribute_or<Case, "n", int>(1), size = attribute_or<Case, "batch_size", int>(1);
  auto const order = load<case_tensor<"permutation", element::label, esp::shape<count>>, T>(run);
  std::vector<T> images;
  std::vector<std::int32_t> labels;
  for (int i = 0; i < count; ++i) {
    images.push_back(static_cast<T>(i));
    labels.push_back(i);
  }
  esp::data::samples<T, esp::shape<1>> const all{images.data(), labels.data(), count};
  esp::data::loader batches{all, esp::batch<size, 1>{}, esp::data::permutation{{order.data(), count}},
                            esp::data::padded};
  std::vector<T> seen, norms;
  for (auto const& [batch_images, batch_labels, real] : batches.epoch(0))
    for (int i = 0; i < real; ++i) seen.push_back(batch_images[i]);
  for (std::size_t from = 0; from + 10 <= seen.size(); from += 10) {
    double squares = 0;
    for (std::size_t i = from; i < from + 10; ++i)
      squares += static_cast<double>(seen[i]) * static_cast<double>(seen[i]);
    norms.push_back(static_cast<T>(std::sqrt(squares)));
  }
  if (run.expects("first_ten"))
    run.result("first_ten", std::span<T const>{seen.data(), seen.size() < 10 ? seen.size() : 10},
               esp::extents{1, {count < 10 ? count : 10}});
  if (run.expects("batch_norms"))
    run.result("batch_norms", std::span<T const>{norms}, esp::extents{1, {static_cast<int>(norms.size())}});
}

}  // namespace conformance
