// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/matmul.hpp"
#include "../operation/one_hot.hpp"
#include "module.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier::nn {

/// Looks up the row of weight for each index; an index outside 0..Count-1 gives a row of zeros. Indices are integers,
/// or whole numbers of the model's element type (float represents each up to 2^24).
/// shape   (N...) -> (N..., Features); weight (Count, Features)
/// start   weight normal with mean 0 and deviation 1
/// saves   the indices
/// gradient  each row of d weight is the sum of dy where that row was read; none for the indices
/// cost    a product with one_hot rows: N Count Features multiplications and N Count numbers of workspace, where a
///         gather would read N Features
/// source  needle's Embedding
template <int Count, int Features>
struct Embedding {
  parameter<shape<Count, Features>, init::initialized_by<init::normal{}>> weight{};
  ESPALIER_MODULE(Embedding, weight)
  static constexpr axis_order in_pytorch(char const*, extents const& shape) { return own_order(shape); }

  constexpr auto forward(auto indices) const {
    using S = shape_of<decltype(indices)>;
    if constexpr (is_invalid<decltype(indices)>) {
      return indices;
    } else {
      using places = espalier::detail::one_hot_shape<S, Features>;
      auto const row = espalier::detail::reshape_as(shape<static_cast<int>(S::size)>{}, indices);
      return espalier::detail::reshape_as(typename places::type{}, matmul(one_hot<Count>(row), weight));
    }
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
