// SPDX-License-Identifier: BSL-1.0
// Convolutions beside oneDNN, in float, one thread: forward, slope of the images, slope of the kernels. Run as
//   taskset -c 0 bench_conv2d [rounds]
// The two take turns; the table has medians, and their ratio. oneDNN has each operand in the layout it asks for, and what rearranging costs is not
// counted; espalier reads (N, H, W, C) and (rows, columns, inputs, outputs) as a user has them, through its public functions.
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dnnl.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace esp = espalier;

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double median(std::vector<double> t) {
  std::nth_element(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(t.size() / 2), t.end());
  return t[t.size() / 2];
}

template <esp::convolution How>
struct products {
  constexpr auto operator()(auto x, auto w, auto dy) const { return sum(esp::conv2d<How>(x, w) * dy); }
};

/// The same operation in oneDNN, three times.
class peer {
 public:
  peer(int n, int h, int w, int c, int o, int k, int stride, int padding, int rows, int columns) : engine_{dnnl::engine::kind::cpu, 0}, stream_{engine_} {
    using namespace dnnl;
    auto const desc = [](memory::dims d) { return memory::desc(d, memory::data_type::f32, memory::format_tag::any); };
    auto const x = desc({n, c, h, w}), kernels = desc({o, c, k, k}), y = desc({n, o, rows, columns});
    memory::dims const s{stride, stride}, p{padding, padding}, e{(rows - 1) * stride + k - h - padding, (columns - 1) * stride + k - w - padding};
    convolution_forward::primitive_desc const forward({prop_kind::forward_training, algorithm::convolution_direct, x, kernels, y, s, p, e}, engine_);
    convolution_backward_data::primitive_desc const images({algorithm::convolution_direct, x, kernels, y, s, p, e}, engine_, forward);
    convolution_backward_weights::primitive_desc const weights({algorithm::convolution_direct, x, kernels, y, s, p, e}, engine_, forward);
    add(convolution_forward(forward), {{DNNL_ARG_SRC, forward.src_desc()}, {DNNL_ARG_WEIGHTS, forward.weights_desc()}, {DNNL_ARG_DST, forward.dst_desc()}});
    add(convolution_backward_data(images),
        {{DNNL_ARG_DIFF_SRC, images.diff_src_desc()}, {DNNL_ARG_WEIGHTS, images.weights_desc()}, {DNNL_ARG_DIFF_DST, images.diff_dst_desc()}});
    add(convolution_backward_weights(weights),
        {{DNNL_ARG_SRC, weights.src_desc()}, {DNNL_ARG_DIFF_WEIGHTS, weights.diff_weights_desc()}, {DNNL_ARG_DIFF_DST, weights.diff_dst_desc()}});
  }
  void run(int which) {
    works_[static_cast<std::size_t>(which)].first.execute(stream_, works_[static_cast<std::size_t>(which)].second);
    stream_.wait();
  }

 private:
  void add(dnnl::primitive const& p, std::vector<std::pair<int, dnnl::memory::desc>> const& operands) {
    std::unordered_map<int, dnnl::memory> all;
    for (auto const& [role, desc] : operands) {
      dnnl::memory m(desc, engine_);
      float* const data = static_cast<float*>(m.get_data_handle());
      for (std::size_t i = 0; i < desc.get_size() / sizeof(float); ++i) data[i] = static_cast<float>(i % 17) / 17 - 0.5f;
      all.emplace(role, m);
    }
    works_.emplace_back(p, all);
  }
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<std::pair<dnnl::primitive, std::unordered_map<int, dnnl::memory>>> works_;
};

template <int N, int H, int W, int C, int O, int K, int Stride, int Padding>
void measure(int rounds) {
  constexpr esp::convolution how{.stride = Stride, .padding = Padding};
  using X = esp::shape<N, H, W, C>;
  using Kernels = esp::shape<K, K, C, O>;
  esp::tensor<float, X> x, dx;
  esp::tensor<float, Kernels> w, dw;
  using Y = esp::shape_of<decltype(esp::conv2d<how>(x, w))>;
  esp::tensor<float, Y> y, dy;
  for (std::int64_t i = 0; i < X::size; ++i) x[i] = static_cast<float>(i % 17) / 17 - 0.5f;
  for (std::int64_t i = 0; i < Kernels::size; ++i) w[i] = static_cast<float>(i % 13) / 13 - 0.5f;
  for (std::int64_t i = 0; i < Y::size; ++i) dy[i] = static_cast<float>(i % 19) / 19 - 0.5f;
  peer other(N, H, W, C, O, K, Stride, Padding, Y::value.at[1], Y::value.at[2]);

  std::vector<double> t[6];
  auto const time = [&](int which, auto work) {
    double const before = seconds();
    work();
    t[which].push_back(seconds() - before);
  };
  // grad of an expression is an expression: assigned to a tensor that is there, it computes the slope and nothing else.
  auto const seed = esp::reshape<Y::value.at[0], Y::value.at[1], Y::value.at[2], Y::value.at[3]>(dy);
  for (int r = 0; r < rounds + 2; ++r) {
    time(0, [&] { y = esp::conv2d<how>(x, w); });
    time(1, [&] { other.run(0); });
    time(2, [&] { dx = esp::grad<0>(products<how>{})(x, w, seed); });
    time(3, [&] { other.run(1); });
    time(4, [&] { dw = esp::grad<1>(products<how>{})(x, w, seed); });
    time(5, [&] { other.run(2); });
    if (r == 1)
      for (auto& each : t) each.clear();
  }
  std::printf("| %dx%dx%dx%d, %dx%d to %d, stride %d |", N, H, W, C, K, K, O, Stride);
  double const operations = 2.0 * static_cast<double>(Y::size) * K * K * C;
  for (int i = 0; i < 6; i += 2) {
    double const own = median(t[i]), its = median(t[i + 1]);
    std::printf(" %.2f | %.2f | %.0f | **%.2f** |", own * 1e3, its * 1e3, operations / own * 1e-9, own / its);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) != 1) {
    std::fprintf(stderr, "conv2d: one thread is compared with one thread; run as taskset -c 0 %s\n", arguments[0]);
    return 1;
  }
  int const rounds = count > 1 ? std::atoi(arguments[1]) : 15;
  dnnl_version_t const* const version = dnnl_version();
  std::printf("oneDNN %d.%d.%d, medians of %d rounds, ms\n\n", version->major, version->minor, version->patch, rounds);
  std::printf("| images, kernels | forward | oneDNN | GFLOP/s | ratio | slope of images | oneDNN | GFLOP/s | ratio | slope of kernels | oneDNN | GFLOP/s | ratio |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  measure<32, 28, 28, 64, 64, 3, 1, 1>(rounds);
  measure<8, 56, 56, 64, 64, 3, 1, 1>(rounds);
  measure<8, 14, 14, 256, 256, 3, 1, 1>(rounds);
  measure<8, 28, 28, 128, 128, 1, 1, 0>(rounds);
  measure<8, 56, 56, 64, 128, 3, 2, 1>(rounds);
  measure<4, 224, 224, 3, 64, 7, 2, 3>(rounds);
  measure<32, 32, 32, 3, 16, 7, 4, 3>(rounds);
}
