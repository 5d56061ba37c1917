// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/data/samples.hpp>

#include <vector>

namespace test {

/// n samples of shape (2): sample i is (i, -i) with label i.
struct numbered {
  std::vector<float> images;
  std::vector<std::int32_t> labels;
  explicit numbered(int n) {
    for (int i = 0; i < n; ++i) {
      images.push_back(static_cast<float>(i));
      images.push_back(static_cast<float>(-i));
      labels.push_back(i);
    }
  }
  espalier::data::samples<float, espalier::shape<2>> all() const {
    return {images.data(), labels.data(), static_cast<std::int64_t>(labels.size())};
  }
};

}  // namespace test
