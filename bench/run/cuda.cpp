// SPDX-License-Identifier: BSL-1.0
// Families of kernels on a graphics processor, each as a share of what a copy on the device takes for the same bytes.
//   bench_cuda [--count] [--kernels] [--csv FILE] [--rows TEXT] [--rounds N]
#include "cuda.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace {

using namespace bench;
using esp::on_cuda::captured_graph;
using esp::on_cuda::cuda_backend;

constexpr int no_device = 77;  // what a test driver takes for skipped

struct options {
  bool count = false, kernels = false;
  std::string csv{}, rows{};
  int rounds = 31;
};

options parse(int count, char** words) {
  options o;
  auto const value = [&](int& i) {
    if (i + 1 >= count) throw std::runtime_error(std::string(words[i]) + " needs a value");
    return std::string(words[++i]);
  };
  for (int i = 1; i < count; ++i) {
    std::string const word = words[i];
    if (word == "--count") o.count = true;
    else if (word == "--kernels") o.kernels = true;
    else if (word == "--csv") o.csv = value(i);
    else if (word == "--rows") o.rows = value(i);
    else if (word == "--rounds") o.rounds = std::max(1, std::atoi(value(i).c_str()));
    else throw std::runtime_error("bench_cuda [--count] [--kernels] [--csv FILE] [--rows TEXT] [--rounds N]");
  }
  return o;
}

/// Microseconds of one run, over the rounds.
struct times {
  double median = 0, least = 0, copy = 0;
};
double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

void check(cudaError_t status, char const* call) { esp::on_cuda::detail::check(status, call); }

/// The time between two places of a stream.
class stopwatch {
 public:
  stopwatch() {
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  stopwatch(stopwatch const&) = delete;
  stopwatch& operator=(stopwatch const&) = delete;
  ~stopwatch() {
    if (begin_ != nullptr) (void)cudaEventDestroy(begin_);
    if (end_ != nullptr) (void)cudaEventDestroy(end_);
  }
  template <class F>
  double microseconds(cuda_backend& m, F const& queue) {
    check(cudaEventRecord(begin_, m.stream()), "cudaEventRecord");
    queue();
    check(cudaEventRecord(end_, m.stream()), "cudaEventRecord");
    m.synchronize();
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return 1e3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

void repeat(int runs, std::function<void()> const& queue) {
  for (int i = 0; i < runs; ++i) queue();
}
captured_graph captured(cuda_backend& m, int runs, std::function<void()> const& queue) {
  m.begin_capture();
  repeat(runs, queue);
  return m.end_capture();
}

/// A graph of as many runs as take some milliseconds, so that what a launch and an event cost does not count, in turns
/// with as many copies of half the bytes (a copy reads and writes them).
times time_kernels(cuda_backend& m, measurement const& f, int rounds) {
  std::function<void()> const queue = f.prepare(m);
  auto const bytes = static_cast<std::size_t>(f.counted.minimal / 2);
  esp::on_cuda::device_block<cuda_backend> const from{m, bytes}, to{m, bytes};
  std::function<void()> const copy = [&] { m.copy(to.at<void>(0), from.at<void>(0), bytes); };
  queue(), copy();
  m.synchronize();
  stopwatch watch;
  double const one = watch.microseconds(m, queue);
  int const runs = static_cast<int>(std::clamp(4000.0 / std::max(one, 1.0), 1.0, 200.0));
  captured_graph const own = captured(m, runs, queue);
  std::vector<double> mine, copies;
  for (int round = -2; round < rounds; ++round) {
    double const a = watch.microseconds(m, [&] { own.launch(m); }) / runs,
                 b = watch.microseconds(m, [&] { repeat(runs, copy); }) / runs;
    if (round < 0) continue;  // the processor warms up
    mine.push_back(a), copies.push_back(b);
  }
  return {median(mine), *std::min_element(mine.begin(), mine.end()), median(copies)};
}

/// Steps that wait for their loss: by the clock of the host.
times time_steps(cuda_backend& m, measurement const& f, int rounds) {
  std::function<void()> const step = f.prepare(m);
  auto const some = [&](int runs) {
    auto const begin = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) step();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / runs;
  };
  some(10);
  int const runs = static_cast<int>(std::clamp(20000.0 / some(10), 1.0, 1000.0));
  some(runs);
  std::vector<double> all;
  for (int round = 0; round < rounds; ++round) all.push_back(some(runs));
  return {median(all), *std::min_element(all.begin(), all.end()), 0};
}

double megabytes(std::int64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

void print_head() {
  std::printf("%-32s %-24s %10s %10s %7s %8s %8s %10s %10s %9s\n", "family", "shape", "least MB", "moved MB", "kernels",
              "products", "copies", "us", "copy us", "of a copy");
}
void print(measurement const& f, times const* t) {
  amounts const& a = f.counted;
  std::printf("%-32s %-24s %10.1f %9.1f%s %7zu %8d %8d", f.name.c_str(), f.shape.c_str(), megabytes(a.minimal),
              megabytes(a.moved), a.uncounted > 0 ? "+" : " ", a.kernels.size(), a.products, a.copies);
  if (t == nullptr) std::printf(" %10s %10s %9s\n", "", "", "");
  else if (f.step) std::printf(" %10.1f %10s %9s\n", t->median, "", "");
  else std::printf(" %10.1f %10.1f %9.3f\n", t->median, t->copy, t->copy / t->median);
  std::fflush(stdout);
}
void write(std::FILE* file, measurement const& f, times const* t) {
  amounts const& a = f.counted;
  std::fprintf(file, "%s,\"%s\",%lld,%lld,%lld,%zu,%d,%d", f.name.c_str(), f.shape.c_str(),
               static_cast<long long>(a.minimal), static_cast<long long>(a.planned), static_cast<long long>(a.moved),
               a.kernels.size(), a.products, a.copies);
  if (t == nullptr) std::fprintf(file, ",,,,\n");
  else if (f.step) std::fprintf(file, ",%.3f,%.3f,,\n", t->median, t->least);
  else std::fprintf(file, ",%.3f,%.3f,%.3f,%.4f\n", t->median, t->least, t->copy, t->copy / t->median);
}

int run(options const& o) {
  int devices = 0;
  bool const found = !o.count && cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  measurements all;
  add_losses_and_updates(all);
  add_forward_norms(all);
  add_backward_norms(all);
  add_small_step(all);
  add_large_step(all);

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> csv{nullptr, std::fclose};
  if (!o.csv.empty()) {
    csv.reset(std::fopen(o.csv.c_str(), "w"));
    if (csv == nullptr) throw std::runtime_error("cannot write " + o.csv);
    std::fprintf(
        csv.get(),
        "family,shape,minimal_bytes,plan_bytes,kernel_bytes,kernels,products,copies,median_us,least_us,copy_us,of_a_copy\n");
  }
  print_head();
  bool failed = false;
  for (measurement const& f : all) {
    if ((f.name + "/" + f.shape).find(o.rows) == std::string::npos) continue;
    times t;
    bool timed = false;
    if (found) {
      try {
        cuda_backend m;  // its memory goes back with it
        t = f.step ? time_steps(m, f, o.rounds) : time_kernels(m, f, o.rounds);
        timed = true;
      } catch (std::exception const& error) {
        std::fprintf(stderr, "bench_cuda: %s %s: %s\n", f.name.c_str(), f.shape.c_str(), error.what());
        failed = true;
      }
    }
    print(f, timed ? &t : nullptr);
    if (o.kernels)
      for (std::string const& k : f.counted.kernels) std::printf("    %s\n", k.c_str());
    if (csv) write(csv.get(), f, timed ? &t : nullptr);
  }
  if (failed) return 1;
  if (found || o.count) return 0;
  std::printf("no CUDA device: nothing was timed\n");
  return no_device;
}

}  // namespace

int main(int count, char** words) try { return run(parse(count, words)); } catch (std::exception const& error) {
  std::fprintf(stderr, "bench_cuda: %s\n", error.what());
  return 1;
}
