// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Products of matrices for the hand-written training steps: blocks that stay in registers, and what is done with a
/// block while it is there.
#include <utility>

#include "by_hand.hpp"
#include "training.hpp"

#define BY_HAND_MEMBER [[gnu::always_inline]] inline

namespace {

/// end(row, column, sums) for a block of Rows x Vectors of A B: A (Rows, Depth), or (Depth, Rows) where it is
/// transposed; B (Depth, Vectors * width).
template <long Depth, bool Transposed, long StepA, long StepB, std::size_t Vectors, class End, std::size_t... I,
          std::size_t... V>
BY_HAND_MEMBER void block(float const* a, float const* b, long row, long column, End const& end,
                          std::index_sequence<I...>, std::index_sequence<V...>) {
  (soon_written(end.at(row + static_cast<long>(I / Vectors), column + static_cast<long>(I % Vectors) * width)), ...);
  vec sums[] = {((void)I, vec{})...};
  for (long k = 0; k < Depth; ++k) {
    vec const right[] = {load(b + k * StepB + static_cast<long>(V) * width)...};
    float const* const left = Transposed ? a + k * StepA : a + k;
    ((sums[I] = fma(all(left[static_cast<long>(I / Vectors) * (Transposed ? 1 : StepA)]), right[I % Vectors], sums[I])),
     ...);
  }
  (end(row + static_cast<long>(I / Vectors), column + static_cast<long>(I % Vectors) * width, sums[I]), ...);
}
template <long Rows, long Depth, bool Transposed, long StepA, long StepB, std::size_t Vectors, class End>
[[gnu::noinline]] void one_block(float const* a, float const* b, long row, long column, End const end) {
  block<Depth, Transposed, StepA, StepB, Vectors>(a, b, row, column, end,
                                                  std::make_index_sequence<static_cast<std::size_t>(Rows) * Vectors>{},
                                                  std::make_index_sequence<Vectors>{});
}

/// Blocks of nearly equal height, at most what the registers hold.
constexpr long height_of(long rows, long vectors) {
  long const most = vectors == 1 ? 14 : 28 / vectors, blocks = (rows + most - 1) / most;
  return (rows + blocks - 1) / blocks;
}

/// All rows of one panel of columns.
template <long Rows, long Depth, bool Transposed, long StepA, long StepB, std::size_t Vectors, class End>
BY_HAND void panel(float const* a, float const* b, long column, End const& end) {
  constexpr long height = height_of(Rows, Vectors), rest = Rows % height;
  for (long i = 0; i + height <= Rows; i += height)
    one_block<height, Depth, Transposed, StepA, StepB, Vectors>(a + i * (Transposed ? 1 : StepA), b, i, column, end);
  if constexpr (rest > 0)
    one_block<rest, Depth, Transposed, StepA, StepB, Vectors>(a + (Rows - rest) * (Transposed ? 1 : StepA), b,
                                                              Rows - rest, column, end);
}

/// All columns, B as it lies: in panels of four vectors and one of what is left.
template <long Rows, long Depth, long Columns, bool Transposed, long StepA, long StepB, class End>
BY_HAND void product(float const* a, float const* b, End const& end) {
  constexpr long wide = 4 * width, whole = Columns / wide * wide;
  for (long c = 0; c < whole; c += wide) panel<Rows, Depth, Transposed, StepA, StepB, 4>(a, b + c, c, end);
  if constexpr (Columns > whole)
    panel<Rows, Depth, Transposed, StepA, StepB, static_cast<std::size_t>((Columns - whole) / width)>(a, b + whole,
                                                                                                      whole, end);
}

constexpr long panel_width = 2 * width;
/// Columns [column, column + panel_width) of (Depth, Step), one after the other.
template <long Depth, long Step>
BY_HAND void pack(float const* from, float* to) {
  for (long k = 0; k < Depth; ++k) {
    soon_read(from + (k + 16) * Step);
    store(to + k * panel_width, load(from + k * Step));
    store(to + k * panel_width + width, load(from + k * Step + width));
  }
}

/// The rows of a matrix.
struct rows_at {
  float const* p;
  long step;
  BY_HAND_MEMBER vec operator()(long i) const { return load(p + i * step); }
};
struct rows_to {
  float* p;
  long step;
  BY_HAND_MEMBER void operator()(long i, vec v) const { store(p + i * step, v); }
};
/// Depth columns of panel_width rows, one after the other.
template <long Depth, long Step>
BY_HAND void pack_transposed(float const* from, float* to) {
  for (long k = 0; k < Depth; k += width)
    for (long i = 0; i < panel_width; i += width)
      transpose(rows_at{from + i * Step + k, Step}, rows_to{to + k * panel_width + i, panel_width});
}

template <bool Relu>
struct with_bias {
  float const* bias;
  float* y;
  long step;
  BY_HAND_MEMBER float* at(long row, long column) const { return y + row * step + column; }
  BY_HAND_MEMBER void operator()(long row, long column, vec s) const {
    vec const v = s + load(bias + column);
    store(at(row, column), Relu ? larger(v, vec{}) : v);
  }
};
struct where_positive {
  float const* y;
  float* dy;
  long step;
  BY_HAND_MEMBER float* at(long row, long column) const { return dy + row * step + column; }
  BY_HAND_MEMBER void operator()(long row, long column, vec s) const {
    store(at(row, column), load(y + row * step + column) > 0 ? s : vec{});
  }
};
struct update {
  float* weight;
  long step;
  BY_HAND_MEMBER float* at(long row, long column) const { return weight + row * step + column; }
  BY_HAND_MEMBER void operator()(long row, long column, vec s) const {
    float* const w = at(row, column);
    store(w, fma(s, all(-static_cast<float>(bench::learning_rate)), load(w)));
  }
};
struct stored {
  float* y;
  long step;
  BY_HAND_MEMBER float* at(long row, long column) const { return y + row * step + column; }
  BY_HAND_MEMBER void operator()(long row, long column, vec s) const { store(at(row, column), s); }
};
/// The sum of a product and what is there.
struct added {
  float* y;
  long step;
  BY_HAND_MEMBER float* at(long row, long column) const { return y + row * step + column; }
  BY_HAND_MEMBER void operator()(long row, long column, vec s) const {
    store(at(row, column), s + load(at(row, column)));
  }
};

template <long Count>
using floats = float[static_cast<std::size_t>(Count)];

}  // namespace
