// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <string>
#include <vector>

#include "../model/tensor_paths.hpp"

namespace espalier::report::detail {

/// The paths of a net's parameters, or of its buffers, in the order of their slots.
template <class Net, bool Parameters>
std::vector<std::string> tensor_names() {
  std::vector<std::string> names;
  for (int i = 0; i < espalier::detail::tensor_count<Net, Parameters>; ++i)
    names.emplace_back(espalier::detail::names_of<Net, Parameters>.at[i]);
  return names;
}

}  // namespace espalier::report::detail
#include "../base/diagnostics_pop.hpp"
