// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/detach_where.hpp"
#include "../operation/index_select.hpp"
#include "../operation/matmul.hpp"
#include "../operation/one_hot.hpp"
#include "module.hpp"

namespace espalier::nn {

/// The options of Embedding. padding_idx: the row whose gradient is 0; -1 for none.
struct embedding {
  int padding_idx = -1;
};

/// Looks up the row of weight for each index. Indices are integers (std::int32_t), also as the input of a model whose
/// first layer this is; a net of your own declares `using input_element = std::int32_t;`.
/// Whole numbers of the model's element type are accepted inside a formula, as a product with one_hot rows: a number
/// outside 0..Count-1 then gives a row of zeros.
/// shape   (N...) -> (N..., Features); weight (Count, Features)
/// start   weight normal with mean 0 and deviation 1
/// errors  an index outside 0..Count-1 throws index_error before anything is computed or changed. A padding_idx that is
///         no row does not compile
/// saves   the indices
/// gradient  each row of d weight is the sum of dy where that row was read, in the order of the indices; 0 in row
///           padding_idx; none for the indices
/// source  needle's and PyTorch's Embedding
template <int Count, int Features, embedding Options = embedding{}>
struct Embedding {
  static constexpr bool has_padding = Options.padding_idx != -1;
  /// float represents the numbers of 2^24 rows.
  static constexpr bool numbers_fit =
      Options.padding_idx >= -1 && Options.padding_idx < Count && (!has_padding || Count <= 1 << 24);
  parameter<shape<Count, Features>, init::initialized_by<init::normal{}>> weight =
      nn::detail::numbers_reported<number_report::report()>{};
  ESPALIER_MODULE(Embedding, weight)
  using takes_single_values = void;
  using input_element = std::int32_t;
  static constexpr axis_order in_pytorch(char const*, extents const& shape) { return own_order(shape); }

  constexpr auto forward(auto indices) const {
    using X = decltype(indices);
    if constexpr (is_invalid<X>) {
      return indices;
    } else {
      using S = shape_of<X>;
      using places = espalier::detail::one_hot_shape<S, Features>;
      using row = shape<static_cast<int>(S::size)>;
      auto const rows = [&] {
        auto const of_row = espalier::detail::reshape_as(row{}, indices);
        if constexpr (std::is_same_v<typename espalier::detail::data_of<X>::type, std::int32_t>)
          return index_select<0>(weight, of_row);
        else return matmul(one_hot<Count>(of_row), weight);
      }();
      auto const trained = [&] {
        if constexpr (has_padding)
          return detach_where(rows, equal(espalier::detail::reshape_as(shape<row::size, 1>{}, indices),
                                          static_cast<double>(Options.padding_idx)));
        else return rows;
      }();
      return espalier::detail::reshape_as(typename places::type{}, trained);
    }
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(numbers_fit,
                    ESPALIER_SENTENCE("Embedding<count, features, {.padding_idx = i}>: i must be 0 to count - 1, or "
                                      "-1 for none; count at most 2^24",
                                      ESPALIER_STATED(numbers_fit, ESPALIER_NAMED("padding_idx", Options.padding_idx),
                                                      ESPALIER_NAMED("count", Count))));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
