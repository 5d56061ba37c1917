// SPDX-License-Identifier: BSL-1.0
// [declared]
#pragma once
#include <espalier/storage/tensor.hpp>

/// A learner of which the rest of the program knows what goes in and what comes out. Its net, plan and kernels are
/// one_unit_net.cpp's alone.
namespace one_unit {

namespace esp = espalier;
using samples = esp::tensor<float, esp::shape<16, 4>>;
using labels = esp::tensor<std::int32_t, esp::shape<16>>;
using scores = esp::tensor<float, esp::shape<16, 2>>;

class learner {
 public:
  explicit learner(std::uint64_t seed);
  ~learner();
  learner(learner const&) = delete;
  learner& operator=(learner const&) = delete;

  float step(samples const&, labels const&);
  void predict(samples const&, scores&);

 private:
  struct parts;
  parts* parts_;
};

}  // namespace one_unit
// [/declared]
