// SPDX-License-Identifier: BSL-1.0
#pragma once
/// A row's memory as libtorch sees it.
#include <ATen/Parallel.h>
#include <torch/types.h>

namespace bench {

inline torch::Tensor wrap(float* p, std::vector<std::int64_t> shape) {
  return torch::from_blob(p, shape, torch::kFloat32);
}
inline void one_thread() { at::set_num_threads(1); }

}  // namespace bench
