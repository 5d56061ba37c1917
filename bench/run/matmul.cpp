// SPDX-License-Identifier: BSL-1.0
// Products of matrices, in all four transpositions.
#include "matmul.hpp"

#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

#include "espalier_side.hpp"

namespace esp = espalier;

namespace {

template <bool TA, bool TB>
struct product {
  constexpr auto operator()(auto a, auto b) const {
    if constexpr (TA && TB) return matmul(transpose(a), transpose(b));
    else if constexpr (TA) return matmul(transpose(a), b);
    else if constexpr (TB) return matmul(a, transpose(b));
    else return matmul(a, b);
  }
};

template <bool TA, bool TB, int M, int N, int K>
struct row_of {
  using A = std::conditional_t<TA, esp::shape<K, M>, esp::shape<M, K>>;
  using B = std::conditional_t<TB, esp::shape<N, K>, esp::shape<K, N>>;
  bench::row row;
  bench::implementation own;
  explicit row_of(char const* name)
      : row{name, {{A::size}, {B::size}}, {{std::size_t{M} * N}}, 4. * (A::size + B::size + M * N), 2. * M * N * K},
        own{name, "espalier", [](bench::operands o) {
              return bench::compiled_work<product<TA, TB>, bench::in<A, B>, bench::out<esp::shape<M, N>>>(o);
            }} {}
};

#define BENCH_JOINED(A, B) A##B
#define BENCH_NAMED(LINE) BENCH_JOINED(row_, LINE)
#define ROW(NAME, TA, TB, M, N, K) row_of<TA, TB, M, N, K> const BENCH_NAMED(__COUNTER__){NAME};
BENCH_MATMUL_ROWS(ROW)

}  // namespace
