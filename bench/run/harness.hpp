// SPDX-License-Identifier: BSL-1.0
#pragma once
/// What the programs of this folder share. A translation unit declares rows (a name, operands, what it must move and
/// compute) or implementations of rows; harness.cpp checks the implementations of a row against each other and then
/// lets them take turns. All implementations of a row read the same memory and write to the same memory, so that none
/// is luckier than another with its addresses.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// The operands of a row, as an implementation gets them: aligned to 64 bytes, there as long as the program.
struct operands {
  float* const* in;
  float* const* out;
  std::int32_t const* labels(int i) const { return reinterpret_cast<std::int32_t const*>(in[i]); }
};

/// How an input is filled: numbers between low and high, or labels below `classes`.
struct input {
  std::size_t count;
  float low = -1, high = 1;
  int classes = 0;
};
/// An output, and what its elements may differ by between two implementations, as a share of its largest element.
struct output {
  std::size_t count;
  double tolerance = 1e-4;
};

/// What runs: run(n) does the work n times. collect, where it is given, brings what lies elsewhere (a model's
/// parameters) into the outputs; it is called once, after run(1). No run: the implementation is left out, because this
/// machine cannot run it. seconds, where it is given, is the clock of work in another process, and of what is
/// compared with it: seconds(n) does the work as often as it needs, n times or not, and returns the seconds of one.
struct work {
  std::function<void(long)> run;
  std::function<void()> collect = {};
  std::function<double(long)> seconds = {};
};

/// f() as often as asked, in a loop where f is known.
template <class F>
std::function<void(long)> repeated(F f) {
  return [f = std::move(f)](long times) mutable {
    for (long i = 0; i < times; ++i) {
      f();
      asm volatile("" ::: "memory");
    }
  };
}

/// The clock of work that takes turns with other processes: the seconds of one step of a block of 3 ms. The block
/// begins with a step that is not timed, because another process had the caches; python_turns.py does the same.
std::function<double(long)> seconds_in_blocks(std::function<void()> step);

/// Of several settings of an implementation the one that takes the least time in a few runs.
work fastest(std::vector<work> const& candidates);

/// A row: its stable name, what it must read and write at least, and its floating-point operations (0 where they say
/// nothing).
struct row {
  row(std::string name, std::vector<input> in, std::vector<output> out, double bytes, double flops);
};
/// The operands of a row that some translation unit declares.
struct operand_counts {
  std::vector<input> in;
  std::vector<output> out;
};
operand_counts counts_of(std::string const& row);

#if defined(__clang__)
#define BENCH_COMPILER "clang++ " __clang_version__
#else
#define BENCH_COMPILER "g++ " __VERSION__
#endif
/// What is called, not compiled here.
inline constexpr char const* library = "library";

/// One implementation of a row. prepare(operands) is called once, before the first run; what it does is not timed.
struct implementation {
  implementation(std::string row, std::string name, std::function<work(operands)> prepare,
                 std::string compiler = BENCH_COMPILER);
};

/// Threads that the program of this translation unit may use: 1 where none says so. More than 1: the program is not
/// pinned to a core.
struct threads {
  explicit threads(int count);
};

/// 1x256, 32x64x28x28, ...: extents in a row's name.
std::string extents(int a, int b = 0, int c = 0, int d = 0);

}  // namespace bench
