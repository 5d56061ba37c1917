// SPDX-License-Identifier: BSL-1.0
// expect: the list of operations is read
// What each operation takes, inside a module, where a misfit is a type that travels up: relations of shapes, numbers of
// axes, axes that exist, elements that do not mix.
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>
#include <espalier/tracing/trace.hpp>

using namespace espalier;

template <class S>
struct labels {};
template <class S, std::size_t I>
struct operand {
  using type = traced<S>;
};
template <class S, std::size_t I>
struct operand<labels<S>, I> {
  using type = traced<S, std::int32_t>;
};
template <class... S, class F>
constexpr bool accepts(F f) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return !is_invalid<std::remove_cvref_t<decltype(f(typename operand<S, I>::type{}...))>>;
  }
  (std::make_index_sequence<sizeof...(S)>{});
}

// Two operands, element by element
template <class F>
constexpr bool is_elementwise(F f) {
  return accepts<shape<2, 3>, shape<2, 3>>(f) && accepts<shape<2, 3>, shape<3>>(f) &&
         accepts<shape<2, 1>, shape<2, 3>>(f) && !accepts<shape<2, 3>, shape<3, 2>>(f) &&
         !accepts<shape<2, 3>, shape<2>>(f) && !accepts<shape<1, 3>, shape<2, 1>>(f);
}
static_assert(is_elementwise([](auto a, auto b) { return a + b; }));
static_assert(is_elementwise([](auto a, auto b) { return a - b; }));
static_assert(is_elementwise([](auto a, auto b) { return a * b; }));
static_assert(is_elementwise([](auto a, auto b) { return a / b; }));
static_assert(is_elementwise([](auto a, auto b) { return a > b; }));
static_assert(is_elementwise([](auto a, auto b) { return a >= b; }));
static_assert(is_elementwise([](auto a, auto b) { return a < b; }));
static_assert(is_elementwise([](auto a, auto b) { return a <= b; }));
static_assert(is_elementwise([](auto a, auto b) { return equal(a, b); }));
static_assert(is_elementwise([](auto a, auto b) { return not_equal(a, b); }));
static_assert(is_elementwise([](auto a, auto b) { return maximum(a, b); }));
static_assert(is_elementwise([](auto a, auto b) { return minimum(a, b); }));
static_assert(is_elementwise([](auto a, auto b) { return pow(a, b); }));
static_assert(is_elementwise([](auto a, auto b) { return elu(a, b); }));
static_assert(is_elementwise([](auto a, auto b) { return leaky_relu(a, b); }));
static_assert(is_elementwise([](auto a, auto b) { return huber(a, b); }));
static_assert(is_elementwise([](auto a, auto b) { return gate(a, b); }));
static_assert(is_elementwise([](auto a, auto b) { return logistic_loss(a, b); }));
static_assert(is_elementwise([](auto a, auto b) { return clamp(a, b, 1); }));
static_assert(is_elementwise([](auto a, auto b) { return clamp(a, 0, b); }));
static_assert(is_elementwise([](auto a, auto b) { return where(a, b, 0); }));
static_assert(is_elementwise([](auto a, auto b) { return where(a, 0, b); }));
static_assert(is_elementwise([](auto a, auto b) { return logistic_loss(a, a, b); }));

// float and double do not mix in any of them.
using row = tensor<float, shape<3>> const&;
using precise_row = tensor<double, shape<3>> const&;
template <class Op, class... Rest>
inline constexpr bool mixes = holds<same_element, reported_fault<Op, row, precise_row, Rest...>> ||
                              holds<same_element, reported_fault<Op, precise_row, row, Rest...>>;
static_assert(!mixes<add_> && !mixes<subtract_> && !mixes<multiply_> && !mixes<divide_> && !mixes<power_>);
static_assert(!mixes<greater_> && !mixes<greater_equal_> && !mixes<less_> && !mixes<less_equal_> && !mixes<equal_> &&
              !mixes<not_equal_>);
static_assert(!mixes<maximum_> && !mixes<minimum_> && !mixes<elu_> && !mixes<leaky_relu_> && !mixes<huber_> &&
              !mixes<gate_>);
static_assert(!mixes<clamp_, row> && !mixes<where_, row> && !mixes<logistic_loss_, row>);

// Axes: sums and what is built of them
template <class F, class G, class H>
constexpr bool has_axes(F first, G last, H beyond) {
  return accepts<shape<8, 13>>(first) && accepts<shape<8, 13>>(last) && !accepts<shape<8, 13>>(beyond) &&
         !accepts<shape<>>(first);
}
#define HAS_AXES(call) \
  has_axes([](auto x) { return call(0); }, [](auto x) { return call(-1); }, [](auto x) { return call(2); })
#define SUM(axis) sum<axis>(x)
#define MEAN(axis) mean<axis>(x)
#define MAX(axis) max<axis>(x)
#define MIN(axis) min<axis>(x)
#define LOGSUMEXP(axis) logsumexp<axis>(x)
#define SOFTMAX(axis) softmax<axis>(x)
#define LOG_SOFTMAX(axis) log_softmax<axis>(x)
#define NORMALIZE(axis) normalize<axis>(x, 1e-5)
#define RMS_NORMALIZE(axis) rms_normalize<axis>(x, 1e-5)
#define FLIP(axis) flip<axis>(x)
#define SLICE(axis) slice<axis, 0, 1>(x)
#define DILATE(axis) dilate<2, axis>(x)
#define STACK(axis) stack<axis>(x, x)
#define CONCATENATE(axis) concatenate<axis>(x, x)
static_assert(HAS_AXES(SUM) && HAS_AXES(MEAN) && HAS_AXES(MAX) && HAS_AXES(MIN) && HAS_AXES(LOGSUMEXP));
static_assert(HAS_AXES(SOFTMAX) && HAS_AXES(LOG_SOFTMAX) && HAS_AXES(NORMALIZE) && HAS_AXES(RMS_NORMALIZE));
static_assert(HAS_AXES(FLIP) && HAS_AXES(SLICE) && HAS_AXES(DILATE) && HAS_AXES(CONCATENATE));
static_assert(accepts<shape<8, 13>>([](auto x) { return STACK(2); }));  // the result has an axis more
static_assert(!accepts<shape<8, 13>>([](auto x) { return STACK(3); }));
static_assert(!accepts<shape<8, 13>>([](auto x) { return sum<0, -2>(x); }));  // one axis by two names
static_assert(!accepts<shape<8, 13>>([](auto x) { return mean<1, 1>(x); }));
static_assert(!accepts<shape<8, 13>>([](auto x) { return max<0, 2>(x); }));
static_assert(!accepts<shape<8, 13>>([](auto x) { return min<1, -1>(x); }));
static_assert(!accepts<shape<8, 13>>([](auto x) { return logsumexp<0, 0>(x); }));
static_assert(!accepts<shape<8, 13>>([](auto x) { return flip<0, 0>(x); }));

// Movement
static_assert(accepts<shape<4, 5>>([](auto x) { return transpose<0, 1>(x); }));
static_assert(!accepts<shape<4, 5>>([](auto x) { return transpose<0, 2>(x); }));
static_assert(!accepts<shape<4>>([](auto x) { return transpose(x); }));
static_assert(accepts<shape<4, 5>>([](auto x) { return permute<1, 0>(x); }));
static_assert(!accepts<shape<4, 5>>([](auto x) { return permute<0>(x); }));  // each axis once
static_assert(!accepts<shape<4, 5>>([](auto x) { return permute<0, 0>(x); }));
static_assert(!accepts<shape<4, 5>>([](auto x) { return permute<0, 2>(x); }));
static_assert(accepts<shape<4, 5>>([](auto x) { return reshape<10, -1>(x); }));
static_assert(!accepts<shape<4, 5>>([](auto x) { return reshape<3, -1>(x); }));
static_assert(!accepts<shape<4, 5>>([](auto x) { return reshape<4, 4>(x); }));
static_assert(accepts<shape<4, 1>>([](auto x) { return squeeze<1>(x); }));
static_assert(!accepts<shape<4, 1>>([](auto x) { return squeeze<0>(x); }));  // four elements, not one
static_assert(!accepts<shape<4, 1>>([](auto x) { return squeeze<2>(x); }));
static_assert(accepts<shape<4, 5>>([](auto x) { return unsqueeze<2>(x); }));
static_assert(!accepts<shape<4, 5>>([](auto x) { return unsqueeze<3>(x); }));
static_assert(accepts<shape<4, 1>>([](auto x) { return expand<-1, 5>(x); }));
static_assert(!accepts<shape<4, 1>>([](auto x) { return expand<3, 5>(x); }));
static_assert(accepts<shape<4, 5>>([](auto x) { return broadcast_to<shape<3, 4, 5>>(x); }));
static_assert(!accepts<shape<4, 5>>([](auto x) { return broadcast_to<shape<4, 10>>(x); }));
static_assert(accepts<shape<4, 5>>([](auto x) { return slice<1, 2, 5>(x); }));
static_assert(!accepts<shape<4, 5>>([](auto x) { return slice<1, 2, 6>(x); }));
static_assert(!accepts<shape<4, 5>>([](auto x) { return slice<1, 2, 2>(x); }));  // empty
static_assert(accepts<shape<4, 5>>([](auto x) { return pad<1, 1, 0, 0>(x); }));
static_assert(!accepts<shape<4, 5>>([](auto x) { return pad<1, 1>(x); }));  // two numbers for each axis
static_assert(!accepts<shape<4, 5>>([](auto x) { return pad<1, 1, -1, 0>(x); }));
static_assert(accepts<shape<4, 6>>([](auto x) { return undilate<2, 1>(x); }));
static_assert(!accepts<shape<4, 5>>([](auto x) { return undilate<2, 1>(x); }));  // five is no multiple of two
static_assert(!accepts<shape<4, 6>>([](auto x) { return undilate<2, 2>(x); }));
static_assert(accepts<shape<4, 5>>([](auto x) { return get<1>(split<1, 2, 3>(x)); }));
static_assert(!accepts<shape<4, 5>>([](auto x) { return get<1>(split<1, 2, 2>(x)); }));
static_assert(accepts<shape<4, 5>, shape<4, 3>>([](auto a, auto b) { return concatenate<1>(a, b); }));
static_assert(!accepts<shape<4, 5>, shape<4, 3>>([](auto a, auto b) { return concatenate<0>(a, b); }));
static_assert(!accepts<shape<4, 5>, shape<4>>([](auto a, auto b) { return concatenate<0>(a, b); }));
static_assert(!accepts<shape<4, 5>, shape<4, 3>>([](auto a, auto b) { return stack<0>(a, b); }));

// Products and windows
static_assert(accepts<shape<8, 13>, shape<13, 16>>([](auto a, auto b) { return matmul(a, b); }));
static_assert(!accepts<shape<8, 13>, shape<12, 16>>([](auto a, auto b) { return matmul(a, b); }));
static_assert(!accepts<shape<13>, shape<13, 16>>([](auto a, auto b) { return matmul(a, b); }));
static_assert(!accepts<shape<4, 8, 13>, shape<3, 13, 16>>([](auto a, auto b) { return matmul(a, b); }));
static_assert(accepts<shape<2, 8, 3>, shape<3, 3, 8>>([](auto x, auto w) { return conv1d(x, w); }));
static_assert(!accepts<shape<8, 3>, shape<3, 3, 8>>([](auto x, auto w) { return conv1d(x, w); }));  // no batch
// 4 channels for 3
static_assert(!accepts<shape<2, 8, 4>, shape<3, 3, 8>>([](auto x, auto w) { return conv1d(x, w); }));
// 3 taps on 2 places
static_assert(!accepts<shape<2, 2, 3>, shape<3, 3, 8>>([](auto x, auto w) { return conv1d(x, w); }));
static_assert(accepts<shape<2, 8, 8, 3>, shape<3, 3, 3, 8>>([](auto x, auto w) { return conv2d(x, w); }));
static_assert(!accepts<shape<8, 8, 3>, shape<3, 3, 3, 8>>([](auto x, auto w) { return conv2d(x, w); }));
static_assert(!accepts<shape<2, 8, 8, 3>, shape<3, 3, 8>>([](auto x, auto w) { return conv2d(x, w); }));
static_assert(!accepts<shape<2, 8, 8, 4>, shape<3, 3, 3, 8>>([](auto x, auto w) { return conv2d(x, w); }));
static_assert(!accepts<shape<2, 2, 8, 3>, shape<3, 3, 3, 8>>([](auto x, auto w) { return conv2d(x, w); }));
static_assert(accepts<shape<2, 8, 8, 8>, shape<2, 2, 3, 8>>([](auto x, auto w) { return conv_transpose2d(x, w); }));
static_assert(!accepts<shape<8, 8, 8>, shape<2, 2, 3, 8>>([](auto x, auto w) { return conv_transpose2d(x, w); }));
static_assert(!accepts<shape<2, 8, 8, 3>, shape<2, 2, 3, 8>>([](auto x, auto w) { return conv_transpose2d(x, w); }));
static_assert(accepts<shape<2, 8, 8, 3>>([](auto x) { return max_pool2d<2>(x); }));
static_assert(!accepts<shape<8, 8, 3>>([](auto x) { return max_pool2d<2>(x); }));
static_assert(!accepts<shape<2, 8, 8, 3>>([](auto x) { return max_pool2d<9>(x); }));
static_assert(accepts<shape<2, 8, 8, 3>>([](auto x) { return average_pool2d<2>(x); }));
static_assert(!accepts<shape<8, 8, 3>>([](auto x) { return average_pool2d<2>(x); }));
static_assert(!accepts<shape<2, 8, 8, 3>>([](auto x) { return average_pool2d<9>(x); }));
static_assert(accepts<shape<2, 8, 8, 3>>([](auto x) { return global_average_pool(x); }));
static_assert(!accepts<shape<8, 8, 3>>([](auto x) { return global_average_pool(x); }));

// Labels
static_assert(accepts<shape<32, 10>, labels<shape<32>>>([](auto x, auto y) { return pick(x, y); }));
static_assert(!accepts<shape<32, 10>, labels<shape<31>>>([](auto x, auto y) { return pick(x, y); }));
static_assert(!accepts<shape<32, 10>, labels<shape<32, 1>>>([](auto x, auto y) { return pick(x, y); }));
static_assert(accepts<shape<32, 10>, labels<shape<32>>>([](auto x, auto y) { return cross_entropy(x, y); }));
static_assert(!accepts<shape<32, 10>, labels<shape<31>>>([](auto x, auto y) { return cross_entropy(x, y); }));
static_assert(accepts<shape<32, 10>, labels<shape<32>>, shape<10>>([](auto x, auto y, auto w) {
  return cross_entropy(x, y, w);
}));
static_assert(!accepts<shape<32, 10>, labels<shape<32>>, shape<9>>([](auto x, auto y, auto w) {
  return cross_entropy(x, y, w);
}));
static_assert(accepts<shape<32, 10>, labels<shape<32>>>([](auto x, auto y) { return negative_log_likelihood(x, y); }));
static_assert(!accepts<shape<32, 10>, labels<shape<31>>>([](auto x, auto y) { return negative_log_likelihood(x, y); }));
static_assert(accepts<shape<32, 10>, labels<shape<32>>, shape<10>>([](auto x, auto y, auto w) {
  return negative_log_likelihood(x, y, w);
}));
static_assert(!accepts<shape<32, 10>, labels<shape<32>>, shape<9>>([](auto x, auto y, auto w) {
  return negative_log_likelihood(x, y, w);
}));

#ifdef SHOULD_FAIL
static_assert(accepts<shape<2, 3>, shape<3, 2>>([](auto a, auto b) { return a + b; }),
              "the list of operations is read");
#endif
