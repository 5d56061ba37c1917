// SPDX-License-Identifier: BSL-1.0
// What plans move is the least that the formulas ask for: each operand is read once, each result written once, and
// nothing else goes to memory.
#define BOOST_TEST_MODULE plan_traffic
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape;

namespace {
template <int... N>
using real = esp::borrowed<float, shape<N...>>;
template <int... N>
using labels = esp::borrowed<std::int32_t, shape<N...>>;

struct counts {
  std::int64_t read, written;
  int kernels;
  friend constexpr bool operator==(counts, counts) = default;
  friend std::ostream& operator<<(std::ostream& to, counts c) {
    return to << c.read << " read, " << c.written << " written, " << c.kernels << " kernels";
  }
};
template <class Program>
constexpr counts counted() {
  return {esp::plan::traffic_of_program<Program>.read, esp::plan::traffic_of_program<Program>.written,
          esp::plan::plan_of<Program>.groups.group_count};
}
template <class F, class... X>
constexpr counts of = counted<esp::detail::compiled_program<F, X...>>();

/// A function with the gradients of all its arguments, for a cotangent dy of its result.
template <class F>
struct times_dy {
  constexpr auto operator()(auto dy, auto... x) const { return sum(F{}(x...) * dy); }
};
template <class F>
struct with_gradients_of_three {
  constexpr auto operator()(auto dy, auto x, auto w, auto b) const {
    using f = times_dy<F>;
    return std::tuple{F{}(x, w, b), esp::grad<1>(f{})(dy, x, w, b), esp::grad<2>(f{})(dy, x, w, b),
                      esp::grad<3>(f{})(dy, x, w, b)};
  }
};

struct layer_norm {
  constexpr auto operator()(auto x, auto w, auto b) const { return esp::normalize<-1>(x, 1e-5) * w + b; }
};
struct batch_norm {
  constexpr auto operator()(auto x, auto w, auto b) const { return esp::normalize<0>(x, 1e-5) * w + b; }
};
struct cross_entropy {
  constexpr auto operator()(auto z, auto y) const { return esp::cross_entropy(z, y); }
};
struct cross_entropy_with_gradient {
  constexpr auto operator()(auto z, auto y) const {
    return std::tuple{cross_entropy{}(z, y), esp::grad<0>(cross_entropy{})(z, y)};
  }
};
struct energy {
  constexpr auto operator()(auto a, auto b, auto c) const { return sum(a * b + exp(c)); }
};
struct gradient_by_c {
  constexpr auto operator()(auto a, auto b, auto c) const {
    return std::tuple{energy{}(a, b, c), esp::grad<2>(energy{})(a, b, c)};
  }
};
struct gradients_by_all {
  constexpr auto operator()(auto a, auto b, auto c) const {
    return std::tuple{energy{}(a, b, c), esp::grad<0>(energy{})(a, b, c), esp::grad<1>(energy{})(a, b, c),
                      esp::grad<2>(energy{})(a, b, c)};
  }
};
struct long_logsumexp {
  constexpr auto operator()(auto x) const { return logsumexp(x); }
};
struct perceptron {
  constexpr auto operator()(auto x, auto w, auto b) const { return relu(matmul(x, w) + b); }
};
struct gated {
  constexpr auto operator()(auto x, auto w, auto b, auto r) const { return tanh(matmul(x, w) + b) * 0.5 + r; }
};
struct long_chain {
  constexpr auto operator()(auto x) const { return sum<-1>(esp::normalize<-1>(softmax(x), 1e-5) * exp(x)); }
};
constexpr std::int64_t n = 64 * 96;
}  // namespace

BOOST_AUTO_TEST_CASE(norms) {
  BOOST_TEST((of<layer_norm, real<64, 96>, real<96>, real<96>>) == (counts{n + 2 * 96, n, 1}));
  BOOST_TEST((of<batch_norm, real<64, 96>, real<96>, real<96>>) == (counts{n + 2 * 96, n, 1}));
  // x, dy, w, b in; y, dx, dw, db out.
  BOOST_TEST((of<with_gradients_of_three<layer_norm>, real<64, 96>, real<64, 96>, real<96>, real<96>>) ==
             (counts{2 * n + 2 * 96, 2 * n + 2 * 96, 1}));
  BOOST_TEST((of<with_gradients_of_three<batch_norm>, real<64, 96>, real<64, 96>, real<96>, real<96>>) ==
             (counts{2 * n + 2 * 96, 2 * n + 2 * 96, 1}));
}

BOOST_AUTO_TEST_CASE(losses_and_formulas) {
  // Labels are read as integers and written as numbers of rows first.
  BOOST_TEST((of<cross_entropy_with_gradient, real<64, 96>, labels<64>>) == (counts{n + 2 * 64, n + 1 + 64, 2}));
  BOOST_TEST((of<energy, real<n>, real<n>, real<n>>) == (counts{3 * n, 1, 1}));
  BOOST_TEST((of<gradient_by_c, real<n>, real<n>, real<n>>) == (counts{3 * n, 1 + n, 1}));
  // The gradients by a and b are b and a: written where a and b are read anyway.
  BOOST_TEST((of<gradients_by_all, real<n>, real<n>, real<n>>) == (counts{3 * n, 1 + 3 * n, 1}));
  // In pieces of 4096, whose results are a row of 64 with its largest element.
  BOOST_TEST((of<long_logsumexp, real<64 * 4096>>) == (counts{64 * 4096 + 64 + 1, 64 + 1 + 1, 2}));
  BOOST_TEST((of<long_chain, real<64, 96>>) == (counts{n, 64, 1}));
}

BOOST_AUTO_TEST_CASE(what_follows_a_product) {
  // Bias and activation are applied where the product is made: its sums are never memory of their own.
  BOOST_TEST((of<perceptron, real<64, 32>, real<32, 96>, real<96>>) == (counts{64 * 32 + 32 * 96 + 96, n, 1}));
  BOOST_TEST((of<gated, real<64, 32>, real<32, 96>, real<96>, real<64, 96>>) ==
             (counts{64 * 32 + 32 * 96 + 96 + n, n, 1}));
}

namespace {
// One norm between two products, as in every residual block.
template <class Norm>
using block = nn::Sequential<nn::Linear<32, 96>, Norm, nn::ReLU, nn::Linear<96, 10>>;
template <class Norm>
using block_program = esp::detail::training_program<block<Norm>, nn::SoftmaxLoss, esp::batch<64, 32>>;

/// Full values (64 x 96) that the groups of a training step read and write.
template <class Program>
constexpr counts full_values() {
  constexpr auto const& r = esp::plan::plan_of<Program>;
  constexpr auto const& g = esp::plan::graph_of<Program>.nodes;
  counts c{0, 0, 0};
  for (int x = 1; x <= r.groups.group_count; ++x) {
    auto const& k = r.ir.groups[x];
    for (int i = 0; i < k.operands; ++i) c.read += g[r.ir.operands[k.first_operand + i].node].shape.size() == n;
    for (int i = 0; i < k.outputs; ++i) c.written += g[r.ir.outputs[k.first_output + i]].shape.size() == n;
  }
  return c;
}
}  // namespace

BOOST_AUTO_TEST_CASE(a_norm_inside_a_training_step) {
  // Written: the product before the norm, the norm's result, the adjoint of that, the adjoint before the norm: no
  // normalized values, no mask. Read: the norm reads its input; the next product and its weights' gradient the result;
  // the adjoint's product the relu's sign; the norm's backward pass input and adjoint; the gradient of the first
  // weights its adjoint.
  BOOST_TEST((full_values<block_program<nn::LayerNorm1d<96>>>().written) == 4);
  BOOST_TEST((full_values<block_program<nn::BatchNorm1d<96>>>().written) == 4);
  BOOST_TEST((full_values<block_program<nn::LayerNorm1d<96>>>().read) <= 8);
  BOOST_TEST((full_values<block_program<nn::BatchNorm1d<96>>>().read) <= 8);
}

// A norm whose result is used twice says twice what its buffers become.
struct used_twice {
  nn::BatchNorm1d<96> norm{};
  ESPALIER_MODULE(used_twice, norm)
  constexpr auto forward(auto x) const {
    auto const y = norm(x);
    return y + relu(y);
  }
};
BOOST_AUTO_TEST_CASE(buffers_are_written_where_they_lie) {
  constexpr auto const& plan =
      esp::plan::plan_of<esp::detail::training_program<used_twice, nn::SoftmaxLoss, esp::batch<64, 96>>>;
  BOOST_TEST(plan.memory.copy_count == 0);
}

BOOST_AUTO_TEST_CASE(updates_of_all_parameters) {
  // One sweep, in place, whatever the net: gradients and parameters (and moments) in, parameters (and moments) out,
  // beside a few numbers.
  using sgd = esp::detail::update_program<optim::SGD<>, 1000>;
  using adam = esp::detail::update_program<optim::Adam, 1000>;
  BOOST_TEST(counted<sgd>().kernels == 1);
  BOOST_TEST(counted<sgd>().written == 1000);
  BOOST_TEST(counted<sgd>().read < 2000 + 16);
  BOOST_TEST(counted<adam>().kernels == 1);
  BOOST_TEST(counted<adam>().written == 3000);
  BOOST_TEST(counted<adam>().read < 4000 + 16);
}

BOOST_AUTO_TEST_CASE(workspaces) {
  using net = nn::MLPResNet<784, 100, 3, 10>;
  using facts = esp::training_facts<net, nn::SoftmaxLoss, optim::Adam, esp::batch<100, 784>>;
  BOOST_TEST(facts::workspace_bytes * 100 <= facts::peak_live_bytes * 115);
  using layers = esp::training_facts<nn::MLPResNet<784, 100, 3, 10, nn::use_layer_norm>, nn::SoftmaxLoss, optim::Adam,
                                     esp::batch<100, 784>>;
  BOOST_TEST(layers::workspace_bytes * 100 <= layers::peak_live_bytes * 115);
  BOOST_TEST_MESSAGE("MLPResNet: workspace " << facts::workspace_bytes << " of at least " << facts::peak_live_bytes
                                             << " bytes, moves " << facts::bytes_moved);
}

namespace {
struct written_slices {
  constexpr auto operator()(auto x, auto index, auto source) const { return esp::index_copy<0>(x, index, source); }
};
struct written_between {
  constexpr auto operator()(auto x, auto index, auto source) const {
    return sum<1>(exp(esp::index_copy<0>(exp(x), index, source)));
  }
};
struct written_behind {
  constexpr auto operator()(auto x, auto index, auto source) const {
    return esp::index_copy<0>(esp::index_copy<0>(exp(x), index, source), index, source);
  }
};
template <class F>
constexpr counts of_copy = of<F, real<64, 96>, labels<2>, real<2, 96>>;
}  // namespace

// Slices that are written to a value that dies are all that a copy moves. Arguments and results count as separate.
BOOST_AUTO_TEST_CASE(slices_that_are_written) {
  BOOST_TEST(of_copy<written_slices> == (counts{n + 2 + 2 * 96, n, 1}));
  BOOST_TEST(of_copy<written_between> == (counts{n + (2 + 2 * 96) + n, n + 2 * 96 + 64, 3}));
  BOOST_TEST(of_copy<written_behind> == (counts{n + 2 * (2 + 2 * 96), n + 2 * 2 * 96, 3}));
}
