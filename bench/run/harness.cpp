// SPDX-License-Identifier: BSL-1.0
// The main function of the programs of this folder:
//   bench_TOPIC [--rows REGEX] [--rounds N] [--seconds S] [--csv FILE] [--check] [--list] [--core N | --unpinned]
// Each row: every implementation once, results compared; then rounds in which they take turns, until N rounds or S
// seconds are over.
#include "harness.hpp"

#include <malloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <regex>
#include <stdexcept>

#ifndef BENCH_ABSENT
#define BENCH_ABSENT ""
#endif

namespace bench {
namespace {

struct row_data {
  std::string name;
  std::vector<input> in;
  std::vector<output> out;
  double bytes, flops;
};
struct implementation_data {
  std::string row, name, compiler;
  std::function<work(operands)> prepare;
};
struct registry {
  std::vector<row_data> rows;
  std::vector<implementation_data> implementations;
  int threads = 1;
};
registry& all() {
  static registry r;
  return r;
}

struct options {
  std::string rows = "", csv;
  int rounds = 400, core = -1;
  double seconds = 0.6;
  bool check = false, list = false, unpinned = false;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Memory that starts a page, touched: operands lie to each other as large tensors do, which an allocator maps.
struct memory {
  static constexpr std::size_t page = 4096;
  explicit memory(std::size_t count)
      : size{count},
        data{static_cast<float*>(std::aligned_alloc(page, (count * sizeof(float) + 64 + page - 1) / page * page)),
             &std::free} {
    std::memset(data.get(), 0, count * sizeof(float));
  }
  std::size_t size;
  std::unique_ptr<float, void (*)(void*)> data;
};

void fill(memory& m, input const& how, std::uint64_t seed) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  auto const next = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (std::size_t i = 0; i < 8; ++i) next();
  for (std::size_t i = 0; i < m.size; ++i) {
    double const u = next();
    if (how.classes > 0) reinterpret_cast<std::int32_t*>(m.data.get())[i] = static_cast<std::int32_t>(u * how.classes);
    else m.data.get()[i] = static_cast<float>(how.low + (how.high - how.low) * u);
  }
}

/// The largest difference as a share of the largest element; NaN where an element of either is none.
double difference(std::vector<float> const& a, float const* b) {
  double most = 0, largest = std::numeric_limits<double>::min();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return std::numeric_limits<double>::quiet_NaN();
    most = std::max(most, std::fabs(static_cast<double>(a[i]) - b[i]));
    largest = std::max(largest, std::fabs(static_cast<double>(a[i])));
  }
  return most / largest;
}

struct contender {
  implementation_data const* implementation;
  work job;
  long repetitions = 1;
  std::vector<double> seconds;
  double minimum = 0, median = 0;
};

/// False, and a sentence for each, where results differ.
bool check(row_data const& r, std::vector<contender>& all_of_them, std::vector<memory>& out) {
  bool fine = true;
  std::vector<std::vector<float>> expected;
  for (auto& c : all_of_them) {
    for (auto& o : out) std::fill_n(o.data.get(), o.size, std::numeric_limits<float>::quiet_NaN());
    c.job.run(1);
    if (c.job.collect) c.job.collect();
    if (expected.empty()) {
      for (auto& o : out) expected.emplace_back(o.data.get(), o.data.get() + o.size);
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      double const d = difference(expected[i], out[i].data.get());
      if (d <= r.out[i].tolerance) continue;
      std::fprintf(
          stderr, "%s: result %d of %s (%s) differs from %s's by %.2e of its largest element, allowed are %.0e\n",
          r.name.c_str(), static_cast<int>(i), c.implementation->name.c_str(), c.implementation->compiler.c_str(),
          all_of_them[0].implementation->name.c_str(), d, r.out[i].tolerance);
      fine = false;
    }
  }
  return fine;
}

double timed(contender& c) {
  if (c.job.seconds) return c.job.seconds(c.repetitions);
  double const before = now();
  c.job.run(c.repetitions);
  return (now() - before) / static_cast<double>(c.repetitions);
}

void measure(std::vector<contender>& all_of_them, options const& o) {
  constexpr double shortest = 20e-6;
  for (auto& c : all_of_them) {
    double const until = now() + std::min(0.01, o.seconds / 10);
    do {
      double const t = timed(c);
      if (t * static_cast<double>(c.repetitions) < shortest)
        c.repetitions = std::max(c.repetitions + 1,
                                 std::min(c.repetitions * 10, static_cast<long>(1.2 * shortest / std::max(t, 1e-9))));
    } while (now() < until);
  }
  double const until = now() + o.seconds;
  for (int r = 0; r < o.rounds && (r < 5 || now() < until); ++r)
    for (auto& c : all_of_them) c.seconds.push_back(timed(c));
  for (auto& c : all_of_them) {
    std::sort(c.seconds.begin(), c.seconds.end());
    c.minimum = c.seconds.front();
    c.median = c.seconds[c.seconds.size() / 2];
  }
}

std::string readable(double seconds) {
  char text[32];
  if (seconds < 1e-6) std::snprintf(text, sizeof text, "%.1f ns", seconds * 1e9);
  else if (seconds < 1e-3) std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
  else std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
  return text;
}

/// One line for each implementation, and what espalier's time is of the best peer's and of the best hand-written
/// kernel's.
void report(row_data const& r, std::vector<contender> const& all_of_them, std::FILE* csv) {
  double own = 0, peer = 0, by_hand = 0;
  for (auto const& c : all_of_them) {
    // shown, no yardstick
    bool const beside =
        c.implementation->name.rfind("espalier_", 0) == 0 || c.implementation->name.rfind("by_hand_", 0) == 0;
    double& best = c.implementation->name == "espalier" ? own : c.implementation->name == "by_hand" ? by_hand : peer;
    if (!beside && (best == 0 || c.minimum < best)) best = c.minimum;
    std::string const compiler = c.implementation->compiler.substr(
        0, c.implementation->compiler.find(' ', c.implementation->compiler.find(' ') + 1));
    std::fprintf(stderr, "  %-44s %-12s %-15s %10s %10s", r.name.c_str(), c.implementation->name.c_str(),
                 compiler.c_str(), readable(c.minimum).c_str(), readable(c.median).c_str());
    if (r.bytes > 0) std::fprintf(stderr, " %7.1f GB/s", r.bytes / c.minimum * 1e-9);
    if (r.flops > 0) std::fprintf(stderr, " %7.1f GFLOP/s", r.flops / c.minimum * 1e-9);
    std::fprintf(stderr, "\n");
    if (csv != nullptr)
      std::fprintf(csv, "%s,%s,%s,%.2f,%.2f,%.0f,%.0f\n", r.name.c_str(), c.implementation->name.c_str(),
                   compiler.c_str(), c.minimum * 1e9, c.median * 1e9, r.bytes, r.flops);
  }
  if (own == 0 || (peer == 0 && by_hand == 0)) return;
  std::fprintf(stderr, "%s", r.name.c_str());
  if (peer > 0) std::fprintf(stderr, ": best peer / espalier %.2f", peer / own);
  if (by_hand > 0) std::fprintf(stderr, "%s espalier / by hand %.2f", peer > 0 ? "," : ":", own / by_hand);
  std::fprintf(stderr, "\n");
}

bool run(row_data const& r, options const& o, std::FILE* csv) {
  std::vector<memory> in, out;
  std::vector<float*> in_at, out_at;
  for (auto const& i : r.in) {
    in.emplace_back(i.count);
    fill(in.back(), i, in.size());
    in_at.push_back(in.back().data.get());
  }
  for (auto const& i : r.out) {
    out.emplace_back(i.count);
    out_at.push_back(out.back().data.get());
  }
  std::vector<contender> contenders;
  for (auto const& i : all().implementations)
    if (i.row == r.name) contenders.push_back({&i, {}, 1, {}});
  auto const rank = [](contender const& c) {
    return c.implementation->name == "espalier" ? 0 : c.implementation->name == "by_hand" ? 1 : 2;
  };
  std::sort(contenders.begin(), contenders.end(), [&](auto const& a, auto const& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.implementation < b.implementation;
  });
  for (auto& c : contenders) c.job = c.implementation->prepare({in_at.data(), out_at.data()});
  contenders.erase(std::remove_if(contenders.begin(), contenders.end(), [](contender const& c) { return !c.job.run; }),
                   contenders.end());
  if (contenders.empty()) {
    std::fprintf(stderr, "%s: no implementation\n", r.name.c_str());
    return false;
  }
  if (!check(r, contenders, out)) return false;
  if (o.check) {
    std::fprintf(stderr, "%s: %d implementations agree\n", r.name.c_str(), static_cast<int>(contenders.size()));
    return true;
  }
  measure(contenders, o);
  report(r, contenders, csv);
  return true;
}

/// The peers' best settings, which they read when they are loaded: set, and the program started again.
void start_again_with_settings(char** arguments) {
  if (std::getenv("ESPALIER_BENCH_SETTINGS") != nullptr) return;
  std::string const count = std::to_string(all().threads);
  for (auto const& [name, value] :
       std::initializer_list<std::pair<char const*, char const*>>{{"ESPALIER_BENCH_SETTINGS", "1"},
                                                                  {"OMP_NUM_THREADS", count.c_str()},
                                                                  {"OPENBLAS_NUM_THREADS", count.c_str()},
                                                                  {"MKL_NUM_THREADS", count.c_str()},
                                                                  {"MALLOC_TRIM_THRESHOLD_", "1073741824"},
                                                                  {"MALLOC_MMAP_THRESHOLD_", "1073741824"}})
    setenv(name, value, 0);
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0) {
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    setenv("ATEN_CPU_CAPABILITY", "avx512", 0);
  }
  execv("/proc/self/exe", arguments);
}

bool pin(options const& o) {
  cpu_set_t set;
  if (o.unpinned || all().threads > 1 || sched_getaffinity(0, sizeof set, &set) != 0) return true;
  std::size_t core = CPU_SETSIZE - 1;
  while (core > 0 && !CPU_ISSET(core, &set)) --core;
  if (o.core >= 0) core = static_cast<std::size_t>(o.core);
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  if (sched_setaffinity(0, sizeof set, &set) == 0) return true;
  std::fprintf(stderr, "cannot run on core %d\n", static_cast<int>(core));
  return false;
}

int usage(char const* name) {
  std::fprintf(
      stderr,
      "%s [--rows REGEX] [--rounds N] [--seconds S, for each row] [--csv FILE] [--check] [--list] [--core N | --unpinned]\n",
      name);
  return 2;
}

int main_of_all(int count, char** arguments) {
  options o;
  for (int i = 1; i < count; ++i) {
    std::string const a = arguments[i];
    auto const value = [&] {
      if (++i >= count) std::exit(usage(arguments[0]));
      return arguments[i];
    };
    if (a == "--rows") o.rows = value();
    else if (a == "--rounds") o.rounds = std::max(1, std::atoi(value()));
    else if (a == "--seconds") o.seconds = std::atof(value());
    else if (a == "--csv") o.csv = value();
    else if (a == "--core") o.core = std::atoi(value());
    else if (a == "--check") o.check = true;
    else if (a == "--list") o.list = true;
    else if (a == "--unpinned") o.unpinned = true;
    else return usage(arguments[0]);
  }
  start_again_with_settings(arguments);
  if (!pin(o)) return 1;
  if (*BENCH_ABSENT != 0) std::fprintf(stderr, "absent, because not found when this was built: %s\n", BENCH_ABSENT);
  for (auto const& i : all().implementations)
    if (std::none_of(all().rows.begin(), all().rows.end(), [&](auto const& r) { return r.name == i.row; })) {
      std::fprintf(stderr, "%s has an implementation of %s, which is no row\n", i.name.c_str(), i.row.c_str());
      return 1;
    }
  std::FILE* csv = nullptr;
  if (!o.csv.empty() && (csv = std::fopen(o.csv.c_str(), "w")) == nullptr) {
    std::fprintf(stderr, "cannot write %s\n", o.csv.c_str());
    return 1;
  }
  if (csv != nullptr) std::fprintf(csv, "workload,implementation,compiler,min_ns,median_ns,min_bytes,flops\n");
  bool fine = true;
  std::regex const pattern(o.rows);
  for (auto const& r : all().rows) {
    if (!std::regex_search(r.name, pattern)) continue;
    if (o.list) std::printf("%s\n", r.name.c_str());
    else fine = run(r, o, csv) && fine;
  }
  if (csv != nullptr) std::fclose(csv);
  return fine ? 0 : 1;
}

}  // namespace

work fastest(std::vector<work> const& candidates) {
  work const* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (auto const& c : candidates) {
    c.run(1);
    for (int i = 0; i < 3; ++i) {
      double const before = now();
      c.run(1);
      if (double const t = now() - before; t < least) least = t, best = &c;
    }
  }
  return best != nullptr ? *best : throw std::invalid_argument("an implementation has no setting that works");
}

std::function<double(long)> seconds_in_blocks(std::function<void()> step) {
  constexpr double block = 0.003;
  return [step = std::move(step), last = block](long) mutable {
    step();
    long const steps = std::max(1L, static_cast<long>(block / last));
    double const begin = now();
    for (long i = 0; i < steps; ++i) step();
    double const seconds = (now() - begin) / static_cast<double>(steps);
    last = std::min(last, seconds);
    return seconds;
  };
}

operand_counts counts_of(std::string const& row) {
  for (auto const& r : all().rows)
    if (r.name == row) return {r.in, r.out};
  throw std::invalid_argument(row + " is no row");
}

row::row(std::string name, std::vector<input> in, std::vector<output> out, double bytes, double flops) {
  all().rows.push_back({std::move(name), std::move(in), std::move(out), bytes, flops});
}
implementation::implementation(std::string row, std::string name, std::function<work(operands)> prepare,
                               std::string compiler) {
  all().implementations.push_back({std::move(row), std::move(name), std::move(compiler), std::move(prepare)});
}
std::string extents(int a, int b, int c, int d) {
  std::string s = std::to_string(a);
  for (int const e : {b, c, d})
    if (e != 0) s += 'x' + std::to_string(e);
  return s;
}
threads::threads(int count) { all().threads = count; }

}  // namespace bench

int main(int count, char** arguments) { return bench::main_of_all(count, arguments); }
