// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <exception>

#include "../base/raise.hpp"
#include "../plan/sharing.hpp"
#include "cpu/engine.hpp"

/// Runs programs whose results may overlap their arguments in memory. Callers may compute in place: the results are the
/// same as with separate memory.
namespace espalier {

/// Thrown before anything is written if two results of a run share memory. first, second: their numbers, counted from
/// 0. where: the call.
class overlap_error : public std::exception {
 public:
  overlap_error(int first, int second, char const* where = "compiled(x..., y...)") noexcept {
    char const* const pattern =
        ": results # and # share memory, and one would overwrite the other; pass a separate tensor for each";
    int number = first;
    char* to = text_;
    while (*where != 0 && to < text_ + 40) *to++ = *where++;
    for (char const* at = pattern; *at != 0; ++at) {
      if (*at != '#') {
        *to++ = *at;
        continue;
      }
      if (number > 9) *to++ = static_cast<char>('0' + number / 10);
      *to++ = static_cast<char>('0' + number % 10);
      number = second;
    }
  }
  [[nodiscard]] char const* what() const noexcept override { return text_; }

 private:
  char text_[160]{};
};

namespace detail {

/// Whether two pieces of memory, neither of them empty, have a byte in common. One comparison is enough: a negative
/// distance is a large unsigned number.
ESPALIER_INLINE bool overlap(void const* a, std::size_t a_bytes, void const* b, std::size_t b_bytes) {
  return reinterpret_cast<std::uintptr_t>(b) - reinterpret_cast<std::uintptr_t>(a) + (b_bytes - 1) <
         a_bytes + (b_bytes - 1);
}

/// Named relation: the elements of a tensor or view can be written.
template <class Y>
struct can_be_written {
  ESPALIER_READS("got {}")
  static constexpr bool agree =
      !std::is_const_v<std::remove_pointer_t<decltype(std::declval<std::remove_reference_t<Y>&>().data())>>;
};

/// Bytes of a program's arguments, or of its results, in order.
template <std::size_t... Bytes>
struct sizes_in_bytes {
  static constexpr int count = static_cast<int>(sizeof...(Bytes));
  static constexpr std::size_t at[sizeof...(Bytes) + 1]{Bytes..., 0};
};

/// Throws overlap_error for two results that share memory: each would overwrite the other.
template <class Results>
[[gnu::cold, gnu::noinline]] void throw_overlap(char const* where, void const* const* results) {
  for (int i = 0; i < Results::count; ++i)
    for (int k = 0; k < i; ++k)
      if (overlap(results[k], Results::at[k], results[i], Results::at[i])) raise(overlap_error{k, i, where});
}
template <class Results, int I, int... Before>
ESPALIER_INLINE unsigned shares(void const* const* results, std::integer_sequence<int, Before...>) {
  return (overlap(results[Before], Results::at[Before], results[I], Results::at[I]) | ... | 0u);
}
template <class Results, int... I>
ESPALIER_INLINE void check_results(char const* where, void const* const* results, std::integer_sequence<int, I...>) {
  if ((shares<Results, I>(results, std::make_integer_sequence<int, I>{}) | ...) != 0)
    throw_overlap<Results>(where, results);
}

/// The base of in_place for programs that do not compile: there is nothing to run.
struct not_in_place {
  static constexpr std::size_t bytes = 0;
};

/// Runs a program in place. The plan determines which arguments and results may share memory. If others overlap at run
/// time, copies of the arguments or of the results, whichever are smaller, replace them. The copies take `bytes` of
/// memory behind the workspace. A program that reads its arguments before it writes its results requires no copies, and
/// no addresses are compared.
template <class Program, class Arguments, class Results>
class in_place {
  struct pair {
    int argument, result;
    bool same;
  };
  struct layout {
    pair pairs[static_cast<std::size_t>(Arguments::count) * static_cast<std::size_t>(Results::count) + 1];
    int count;
    bool results_move;
    std::size_t argument_at[static_cast<std::size_t>(Arguments::count) + 1],
        result_at[static_cast<std::size_t>(Results::count) + 1];
    std::size_t bytes;
  };
  static constexpr layout found = [] {
    layout r{};
    bool argument_moves[static_cast<std::size_t>(Arguments::count) + 1]{},
        result_moves[static_cast<std::size_t>(Results::count) + 1]{};
    for (int a = 0; a < Arguments::count; ++a)
      for (int y = 0; y < Results::count; ++y) {
        plan::sharing const may = plan::sharing_of<plan::program_on_cpu<Program>>.of[a][y];
        if (may == plan::sharing::any) continue;
        r.pairs[r.count++] = pair{a, y, may == plan::sharing::same};
        argument_moves[a] = result_moves[y] = true;
      }
    std::size_t arguments = 0, results = 0;
    for (int a = 0; a < Arguments::count; ++a) {
      r.argument_at[a] = arguments;
      if (argument_moves[a]) arguments += aligned_bytes(Arguments::at[a]);
    }
    for (int y = 0; y < Results::count; ++y) {
      r.result_at[y] = results;
      if (result_moves[y]) results += aligned_bytes(Results::at[y]);
    }
    r.results_move = results < arguments;
    r.bytes = r.results_move ? results : arguments;
    return r;
  }();

 public:
  static constexpr std::size_t bytes = found.bytes;

  /// launch() runs the program with base, which holds the addresses of arguments and results. room: `bytes` of memory
  /// on the same device.
  template <class Engine, class F>
  static ESPALIER_INLINE void run(Engine const& engine, void** base, [[maybe_unused]] void* room, F&& launch) {
    if constexpr (found.count == 0) {
      launch();
    } else {  // one call of launch, so that compilers inline the program here
      void* home[static_cast<std::size_t>(Results::count) + 1];
      bool const overlapping = collides(base, std::make_integer_sequence<int, found.count>{});
      if (overlapping) separate_overlaps(engine, base, static_cast<unsigned char*>(room), home);
      launch();
      if (overlapping) move_back(engine, base, home);
    }
  }

 private:
  static ESPALIER_INLINE bool collides(void* const* base, pair const& p) {
    void const* const x = base[plan::base::arguments + p.argument];
    void const* const y = base[plan::base::results + p.result];
    return (!p.same || x != y) & overlap(x, Arguments::at[p.argument], y, Results::at[p.result]);
  }
  template <int I>
  static ESPALIER_INLINE unsigned collides_at(void* const* base) {
    constexpr pair p = found.pairs[I];
    return collides(base, p);
  }
  /// Compares all pairs without branches: small programs run no longer than these comparisons take.
  template <int... I>
  static ESPALIER_INLINE bool collides(void* const* base, std::integer_sequence<int, I...>) {
    return (collides_at<I>(base) | ...) != 0;
  }
  template <class Engine>
  [[gnu::cold, gnu::noinline]] static void move_back(Engine const& engine, void* const* base, void* const* home) {
    for (int y = 0; y < Results::count; ++y)
      if (home[y] != nullptr) engine.copy(home[y], base[plan::base::results + y], Results::at[y]);
  }
  template <class Engine>
  [[gnu::cold, gnu::noinline]] static void separate_overlaps(Engine const& engine, void** base, unsigned char* room,
                                                             void** home) {
    for (int y = 0; y < Results::count; ++y) home[y] = nullptr;
    for (int i = 0; i < found.count; ++i) {
      pair const p = found.pairs[i];
      if (!collides(base, p)) continue;
      void*& x = base[plan::base::arguments + p.argument];
      void*& y = base[plan::base::results + p.result];
      if constexpr (found.results_move) {
        home[p.result] = y;
        y = room + found.result_at[p.result];
      } else {
        engine.copy(room + found.argument_at[p.argument], x, Arguments::at[p.argument]);
        x = room + found.argument_at[p.argument];
      }
    }
  }
};

}  // namespace detail

#define ESPALIER_RESULT_IS_CONST "a result is const and cannot be written; pass a tensor or view of non-const elements"

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
