// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../cascade.hpp"
#include "contract_large_row.hpp"
#include "contract_pack.hpp"

/// One row times a matrix as it is stored, y[N] = x[K] w[K, N]: nets of one sample consist of such products. The sums
/// stay in registers until their epilogue (a bias, an activation) is done as well.
namespace espalier::on_cpu {
namespace detail {

/// Columns [0, Vectors * width) of the product; the last vector has Last lanes. Its sums take Vectors registers, or
/// Chains times as many if that is too few to hide the latency of a multiply-add.
template <class T, class Arch, int Vectors, int Last, int Chains, class Weight = T>
struct row_block {
  using registers = pack<T, Arch>;
  using vector = registers;
  static constexpr int width = registers::size;

  template <int Vector>
  static ESPALIER_INLINE vector load(Weight const* from) {
    if constexpr (Vector == Vectors - 1) return registers::template load_first<Last>(from + Vector * width);
    else return registers::load(from + Vector * width);
  }
  template <int Vector, class Epilogue>
  static ESPALIER_INLINE void finish(Epilogue const& e, vector sum, int column) {
    e.template operator()<Vector == Vectors - 1 ? Last : width>(registers{sum}, 0, column + Vector * width);
  }

  /// x[Term] in every lane. If a row of w takes three registers or more, the load units are busy. Then a register of x
  /// is loaded at a time and broadcast from there.
  template <int Term, int Terms>
  static ESPALIER_INLINE vector filled(T const* x) {
    constexpr int first = Term / width * width;
    if constexpr (Vectors >= 3 && register_count<Arch> == 32 && first + width <= Terms) {
      vector some = registers::load(x + first);
#if defined(__clang__) && defined(__AVX512F__)
      // Otherwise clang loads each element from memory. If the last step has just stored x, each of these loads waits.
      asm("" : "+v"(some.value.data));
#endif
      return lane_filled<Term - first>(some, indices_below<width>{});
    } else {
      return registers(x[Term]);
    }
  }
  template <int Lane, int... I>
  static ESPALIER_INLINE vector lane_filled(vector x, indices<I...>) {
    constexpr int quarter = 16 / int{sizeof(T)};
    vector const some = __builtin_shufflevector(x.lanes(), x.lanes(), (Lane / quarter * quarter + I % quarter)...);
    return __builtin_shufflevector(some.lanes(), some.lanes(), (I / quarter * quarter + Lane % quarter)...);
  }
  /// Some terms of the sum: Cell counts the vectors of all of them.
  template <std::int64_t Stride, int... Cell>
  static ESPALIER_INLINE void terms(T const* x, Weight const* w, vector* sum, indices<Cell...>) {
    constexpr int terms = int(sizeof...(Cell)) / Vectors, sums = Vectors * Chains;
    ((sum[Cell % sums] =
          fma(filled<Cell / Vectors, terms>(x), load<Cell % Vectors>(w + Cell / Vectors * Stride), sum[Cell % sums])),
     ...);
  }
  /// Rows of four floats in scalar registers, which one instruction loads.
  static constexpr bool loads_four = !registers::is_vector && loads_four_scalars && width == 4 &&
                                     std::is_same_v<T, float> && std::is_same_v<Weight, T>;
  template <int... Vector>
  static ESPALIER_INLINE void add_row(Weight const*& w, T x, vector* sum, indices<Vector...>) {
    (add_four(sum[Vector].value.data, w, x), ...);
  }
  template <int... Lane>
  static ESPALIER_INLINE void add_lanes(Weight const* w, T x, vector& sum, indices<Lane...>) {
    ((sum.value.data.lane[Lane] = fused_lane(x, w[Lane], sum.value.data.lane[Lane])), ...);
  }
  template <int Columns, int Whole, int... Row>
  static ESPALIER_INLINE void add_rows(Weight const*& w, [[maybe_unused]] T const* x, [[maybe_unused]] vector* sum,
                                       indices<Row...>) {
    (add_one<Columns, Whole>(w, x[Row], sum), ...);
  }
  template <int Columns, int Whole>
  static ESPALIER_INLINE void add_one(Weight const*& w, T x, vector* sum) {
    add_row(w, x, sum, indices_below<Whole>{});
    if constexpr (Whole < Vectors) add_lanes(w, x, sum[Whole], indices_below<Last>{});
    w += Columns - Whole * width;
  }
  /// Adds Terms terms to the sums.
  template <int Terms, int Columns>
  static ESPALIER_INLINE void add_terms(T const* x, Weight const* w, vector* sum) {
    if constexpr (loads_four && Chains == 1) {
      constexpr int whole = Last == width ? Vectors : Vectors - 1;
      constexpr int rows = scalar_rows, left = Terms % rows;
      for (int k = 0; k < Terms - left; k += rows) add_rows<Columns, whole>(w, x + k, sum, indices_below<rows>{});
      add_rows<Columns, whole>(w, x + (Terms - left), sum, indices_below<left>{});
      return;
    }
    // The last iteration of a loop is mispredicted: sums that are short enough have no loop.
    constexpr int unrolled = !has_long_bodies ? 1 : Terms * Vectors <= 256 ? 256 : 32;
    constexpr int most = unrolled / Vectors / Chains * Chains, terms_per_iteration = most > Chains ? most : Chains;
    constexpr int whole = Terms / terms_per_iteration * terms_per_iteration;
    for (int k = 0; k < whole; k += terms_per_iteration)
      terms<Columns>(x + k, w + k * Columns, sum, indices_below<Vectors * terms_per_iteration>{});
    if constexpr (whole < Terms)
      terms<Columns>(x + whole, w + whole * Columns, sum, indices_below<Vectors*(Terms - whole)>{});
  }
  template <int Terms, int Columns, class Epilogue, int... Sum, int... Vector>
  static ESPALIER_INLINE void run(T const* x, Weight const* w, int column, Epilogue const& e, indices<Sum...>,
                                  indices<Vector...>) {
    vector sum[] = {((void)Sum, vector{})...};  // (chains, vectors)
    add_terms<Terms, Columns>(x, w, sum);
    add_chains<Chains / 2>(sum, indices<Vector...>{});
    (await(sum[Vector], sum[Vectors - 1]), ...);
    (finish<Vector>(e, sum[Vector], column), ...);
  }
  /// The same in parts, 2 or 4, which are summed apart and then in pairs. The order in which the parts are computed
  /// makes no difference: backwards, the last one is the first.
  template <int Parts, int Terms, int Columns, class Epilogue, int... Vector>
  static ESPALIER_INLINE void run_parts(T const* x, Weight const* w, Epilogue const& e, bool backwards,
                                        indices<Vector...>) {
    static_assert(Chains == 1 && Terms % Parts == 0);
    constexpr int each = Terms / Parts;
    alignas(64) T memory[static_cast<unsigned long>(Parts / 2)][static_cast<unsigned long>(Vectors * width)];
    auto* kept = memory;
    // g++ does not see that the first part of each pair stores what the other one loads, and would warn.
    asm("" : "+r"(kept) : : "memory");
    vector sum[static_cast<unsigned long>(Vectors)];
    ESPALIER_AS_LOOP
    for (int i = 0; i < Parts; ++i) {
      int const part = backwards ? Parts - 1 - i : i;
      T* const pair = kept[part / 2];
      ((sum[Vector] = vector{}), ...);
      add_terms<each, Columns>(x + part * each, w + part * each * Columns, sum);
      if (i % 2 != 0) ((sum[Vector] = sum[Vector] + registers::load(pair + Vector * width)), ...);
      if (i + 1 < Parts) (sum[Vector].store(pair + Vector * width), ...);
    }
    if constexpr (Parts == 4) ((sum[Vector] = sum[Vector] + registers::load(kept[backwards] + Vector * width)), ...);
    (await(sum[Vector], sum[Vectors - 1]), ...);
    (finish<Vector>(e, sum[Vector], 0), ...);
  }
  /// Otherwise clang computes what reads a sum before the next sum, and the processor's queues are full of what waits.
  static ESPALIER_INLINE void await([[maybe_unused]] vector& sum, [[maybe_unused]] vector& last) {
#if defined(__clang__) && defined(__AVX512F__)
    if constexpr (Vectors > 1 && registers::is_vector) asm volatile("" : "+v"(sum.value.data), "+v"(last.value.data));
#endif
  }
  /// Adds the chains in pairs.
  template <int Half, int... Vector>
  static ESPALIER_INLINE void add_chains(vector* sum, indices<Vector...>) {
    if constexpr (Half > 0) {
      add<Half>(sum, indices_below<Half * Vectors>{});
      add_chains<Half / 2>(sum, indices<Vector...>{});
    }
  }
  template <int Half, int... Sum>
  static ESPALIER_INLINE void add(vector* sum, indices<Sum...>) {
    ((sum[Sum] = sum[Sum] + sum[Sum + Half * Vectors]), ...);
  }
};

/// N columns, where N divides the lanes of a register: it holds several rows of w as they are stored, and x is
/// broadcast over them.
template <class T, class Arch, int N, class Weight = T>
struct row_of_few {
  using registers = pack<T, Arch>;
  using vector = registers;
  static constexpr int width = registers::size, chains = 4;

  template <int Part, int... Lane>
  static ESPALIER_INLINE vector broadcast_lane(vector x, indices<Lane...>) {
    if constexpr (N == 1) return x;
    else return __builtin_shufflevector(x.lanes(), x.lanes(), (Part * (width / N) + Lane / N)...);
  }
  template <int Left>
  static ESPALIER_INLINE vector load(Weight const* w) {
    return registers::template load_first<(Left < width ? Left : width)>(w);
  }
  /// Rows [k, k + Rows) of w, at most as many as a register has lanes.
  template <int Rows, int First, int... Part>
  static ESPALIER_INLINE void terms(T const* x, Weight const* w, vector* sum, indices<Part...>) {
    vector const own = registers::template load_first<Rows>(x);
    ((sum[(First + Part) % chains] =
          fma(broadcast_lane<Part>(own, indices_below<width>{}), load<Rows * N - Part * width>(w + Part * width),
              sum[(First + Part) % chains])),
     ...);
  }
  template <int Half, int... Lane>
  static ESPALIER_INLINE vector sum_of_groups(vector x, indices<Lane...> lanes) {
    if constexpr (Half < N) return x;
    else return sum_of_groups<Half / 2>(x + __builtin_shufflevector(x.lanes(), x.lanes(), (Lane ^ Half)...), lanes);
  }

  template <int Terms, class Epilogue>
  static ESPALIER_INLINE void run(T const* x, Weight const* w, Epilogue const& e) {
    vector sum[chains] = {vector{}, vector{}, vector{}, vector{}};
    constexpr int blocks_per_iteration = N < chains ? chains / N : 1, block = blocks_per_iteration * width,
                  whole = Terms / block * block;
    for (int k = 0; k < whole; k += block) blocks<block>(x + k, w + k * N, sum, indices_below<blocks_per_iteration>{});
    rest<Terms - whole, 0>(x + whole, w + whole * N, sum);
    vector const all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    e.template operator()<N>(registers{sum_of_groups<width / 2>(all, indices_below<width>{})}, 0, 0);
  }

 private:
  template <int Rows, int... Block>
  static ESPALIER_INLINE void blocks(T const* x, Weight const* w, vector* sum, indices<Block...>) {
    (terms<width, Block * N>(x + Block * width, w + Block * width * N, sum, indices_below<N>{}), ...);
  }
  template <int Rows, int First>
  static ESPALIER_INLINE void rest(T const* x, Weight const* w, vector* sum) {
    if constexpr (Rows > 0) {
      constexpr int now = Rows < width ? Rows : width;
      terms<now, First>(x, w, sum, indices_below<(now * N + width - 1) / width>{});
      rest<Rows - now, First + N>(x + now, w + now * N, sum);
    }
  }
};

/// The epilogue that stores sums unchanged.
template <class T, class Arch>
struct row_store {
  T* y;
  template <int Count>
  ESPALIER_INLINE void operator()(pack<T, Arch> sum, std::int64_t, std::int64_t column) const {
    sum.template store_first<Count>(y + column);
  }
};

/// Vectors of a block: as few blocks as registers allow, of equal size. Half of the registers are sums: one block of 10
/// takes 0.9 times as long as two of 5, because each row of w is one run.
constexpr int row_vectors(int vectors, int registers) {
  int const most = registers / 2, blocks = (vectors + most - 1) / most;
  return (vectors + blocks - 1) / blocks;
}
/// The lanes of one register of scalars are sums enough.
template <class Arch>
constexpr int row_chains(int vectors) {
  return adds_scalars<Arch> || vectors > 4 ? 1 : vectors <= 2 ? 4 : 2;
}

}  // namespace detail

/// y[N] = x[K] w[K, N], with w as it is stored. Epilogue: e.template operator()<Count>(sum, row, column) stores the
/// results for columns [column, column + Count), whose sums are in the first lanes of sum; row is 0. Sums run over k in
/// an order that depends on the shape alone. Weight: half or bfloat16 for a w that is widened as it is loaded.
template <class T, int K, int N, class Arch = default_arch, class Weight = T>
struct contract_row {
  static constexpr int width = pack<T, Arch>::size;
  static constexpr int vectors = (N + width - 1) / width;
  static constexpr int each = detail::row_vectors(vectors, detail::register_count<Arch>);
  static constexpr int last = N - (vectors - 1) * width;
  /// Larger products are called, so that layers of one shape share the code. Inlined, a Llama of five layers has 155 KB
  /// of it, more than the instruction cache, and takes 1.4 times as long to compile.
#if defined(__OPTIMIZE__)
  static constexpr std::int64_t most_inlined = 8192;
#else
  static constexpr std::int64_t most_inlined =
      0;  // a caller's frame would hold all temporaries: 11 MB for a small Llama
#endif
  static constexpr bool few = N < width && width % N == 0, large = detail::large_row<T, Arch>::fits(K, N);
  /// The parts of a w that is a little larger than an L1 cache of 32 KiB. A stream reads them forwards in one step and
  /// backwards in the next, so the parts that were read last are still in the cache. A step of a GRU of 64 takes 0.84
  /// times as long. A w of 16 bits has the parts of floats, so that its sums have their bits.
  static constexpr std::int64_t bytes = std::int64_t{K} * N * std::int64_t{sizeof(T)};
  static constexpr bool in_parts = !few && !large && each == vectors && detail::row_chains<Arch>(vectors) == 1 &&
                                   bytes > 28 * 1024 && bytes <= 96 * 1024;
  static constexpr int parts = !in_parts ? 1 : K % 4 == 0 && bytes > 48 * 1024 ? 4 : K % 2 == 0 ? 2 : 1;

  template <class Epilogue>
  static ESPALIER_INLINE void run(T const* x, Weight const* w, Epilogue const& e, bool backwards = false) {
    if constexpr (std::int64_t{K} * N > most_inlined) call(x, w, e, backwards);
    else compute(x, w, e, backwards);
  }
  /// The same. If the epilogue reads only sums that are stored, they are stored to y first.
  template <class Epilogue>
  static ESPALIER_INLINE void run(T const* x, Weight const* w, T* y, Epilogue const& e, bool backwards = false) {
    if constexpr (requires(pack<T, Arch> sum) { e.template operator()<1>(sum, 0, 0); }) {
      run(x, w, e, backwards);
    } else {
      run(x, w, detail::row_store<T, Arch>{y}, backwards);
      e(0, 1, 0, N);
    }
  }

 private:
  /// A sum of more terms is added in blocks of terms (see cascade.hpp).
  static constexpr int terms_of_chain = 1024;
  static constexpr int terms_of_slice = vectors <= 2 ? 512 : 128;
  template <class Epilogue>
  ESPALIER_KERNEL static void add_slices(T const* x, Weight const* w, Epilogue const& e) {
    using slice = contract_row<T, terms_of_slice, N, Arch, Weight>;
    using left = contract_row<T, (K % terms_of_slice == 0 ? terms_of_slice : K % terms_of_slice), N, Arch, Weight>;
    using V = pack<T, Arch>;
    constexpr int size = vectors * width, levels = detail::count_levels(K / terms_of_slice);
    alignas(64) T sums[static_cast<unsigned long>((levels + 1) * size)] = {};  // (levels + 1, columns)
    alignas(64) T some[static_cast<unsigned long>(size)] = {};
    auto const add = [](T* to, T* from) {
      for (int j = 0; j < size; j += width) {
        (V::load(to + j) + V::load(from + j)).store(to + j);
        V(T(0)).store(from + j);
      }
    };
    auto const move = [&](int to, int from) { add(sums + to * size, sums + from * size); };
    for (int k = 0; k + terms_of_slice <= K; k += terms_of_slice) {
      slice::run(x + k, w + std::int64_t{k} * N, detail::row_store<T, Arch>{sums});
      detail::carry_block<levels>(k / terms_of_slice, move);
    }
    if constexpr (constexpr int k = K / terms_of_slice * terms_of_slice; k < K) {
      left::run(x + k, w + std::int64_t{k} * N, detail::row_store<T, Arch>{some});
      add(sums, some);
    }
    detail::gather_levels<levels>(move);
    store_all(e, sums, detail::indices_below<vectors>{});
  }
  template <class Epilogue, int... Vector>
  static ESPALIER_INLINE void store_all(Epilogue const& e, T const* sums, detail::indices<Vector...>) {
    (e.template operator()<(Vector == vectors - 1 ? last : width)>(pack<T, Arch>::load(sums + Vector * width), 0,
                                                                   Vector * width),
     ...);
  }
  template <class Epilogue>
  static ESPALIER_INLINE void compute(T const* x, Weight const* w, Epilogue const& e, bool backwards) {
    (void)backwards;
    if constexpr (!large && K > terms_of_chain) add_slices(x, w, e);
    else if constexpr (parts > 1)
      detail::row_block<T, Arch, vectors, last, 1, Weight>::template run_parts<parts, K, N>(
          x, w, e, backwards, detail::indices_below<vectors>{});
    else if constexpr (few) detail::row_of_few<T, Arch, N, Weight>::template run<K>(x, w, e);
    else if constexpr (large) detail::large_row<T, Arch, Weight>::template run<N>(x, w, K, e);
    else blocks<0>(x, w, e);
  }
  template <class Epilogue>
  ESPALIER_KERNEL static void call(T const* x, Weight const* w, Epilogue const& e, bool backwards) {
    compute(x, w, e, backwards);
  }
  template <int First, class Epilogue>
  static ESPALIER_INLINE void blocks(T const* x, Weight const* w, Epilogue const& e) {
    constexpr int now = vectors - First < each ? vectors - First : each, chains = detail::row_chains<Arch>(now);
    using block = detail::row_block<T, Arch, now, First + now == vectors ? last : width, chains, Weight>;
    block::template run<K, N>(x, w + First * width, First * width, e, detail::indices_below<now * chains>{},
                              detail::indices_below<now>{});
    if constexpr (First + now < vectors) blocks<First + now>(x, w, e);
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
