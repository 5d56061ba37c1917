// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/operation/max.hpp>
#include <espalier/operation/mean.hpp>

#include "support/indexing.hpp"

namespace conformance {

/// The rows of each bag, reduced along the bag: sum, mean or max.
template <class Mode>
struct embedding_bag_function {
  constexpr auto operator()(auto const& x, auto const& weight) const {
    auto const rows = esp::index_select<0>(weight, x);
    if constexpr (std::is_same_v<Mode, word<"max">>) return esp::max<-2>(rows);
    else if constexpr (std::is_same_v<Mode, word<"mean">>) return esp::mean<-2>(rows);
    else return esp::sum<-2>(rows);
  }
};

template <class Case, class T>
void check_embedding_bag(case_run& run) {
  run_function<Case, T, embedding_bag_function<attribute_of<Case, "mode", word<"mean">>>>(run);
}

}  // namespace conformance
