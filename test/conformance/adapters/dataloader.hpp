// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/data/loader.hpp>
#include <vector>

#include "support/function.hpp"

namespace conformance {

/// n samples in batches of one static size, in order: which samples each batch has, padding left out.
template <class Case, class T>
void check_dataloader(case_run& run) {
  constexpr int count = attribute_or<Case, "n", int>(1), size = attribute_or<Case, "batch_size", int>(1);
  if constexpr (attribute_or<Case, "shuffle", bool>(false)) {
    run.fail("a shuffled order has no adapter");
  } else {
    std::vector<T> images;
    std::vector<std::int32_t> labels;
    for (int i = 0; i < count; ++i) {
      images.push_back(static_cast<T>(i));
      labels.push_back(i);
    }
    esp::data::samples<T, esp::shape<1>> const all{images.data(), labels.data(), count};
    esp::data::loader batches{all, esp::batch<size, 1>{}, esp::data::in_order{}, esp::data::padded};
    int number = 0;
    for (auto const& [batch_images, batch_labels, real] : batches.epoch(0))
      run.result(join("batch", number++), std::span<T const>{batch_images.data(), static_cast<std::size_t>(real)},
                 esp::extents{1, {real}});
  }
}

}  // namespace conformance
