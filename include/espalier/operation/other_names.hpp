// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/invalid.hpp"

/// Names of PyTorch's functions that are others here, or formulas. The use of one is an error that says what to write;
/// it has no result, so that what is computed from it is no other error. A function of the user with such a name is
/// always preferred: an argument has to be converted here. Words for things of the user (tile, clip, mm) are left out:
/// behind `using namespace espalier` a struct or variable of that name would be ambiguous.
namespace espalier {

namespace detail {
/// Anything, also several values in braces.
struct argument_of_other_name {
  template <class... X>
  constexpr argument_of_other_name(X const&...) {}
};
/// False for all arguments: what only errors instantiate asserts it.
template <auto...>
inline constexpr bool is_other_name = false;
}  // namespace detail

/// The head of a function. Its sentence stands outside of the macro: compilers print an expansion in six lines more.
#define ESPALIER_OTHER_NAME(name)                                                                                    \
  template <auto... A>                                                                                               \
  constexpr invalid<already_reported> name(detail::argument_of_other_name, detail::argument_of_other_name = {},      \
                                           detail::argument_of_other_name = {}, detail::argument_of_other_name = {}, \
                                           detail::argument_of_other_name = {})

// test/tools/other_names.py compiles what is said to be written.
ESPALIER_OTHER_NAME(absolute) {
  static_assert(detail::is_other_name<A...>, "esp::absolute has another name here: write abs(x)");
  return {};
}
ESPALIER_OTHER_NAME(adaptive_avg_pool2d) {
  static_assert(
      detail::is_other_name<A...>,
      "esp::adaptive_avg_pool2d has another name here: write global_average_pool(images), the mean of each channel");
  return {};
}
ESPALIER_OTHER_NAME(avg_pool2d) {
  static_assert(detail::is_other_name<A...>, "esp::avg_pool2d has another name here: write average_pool2d<2>(images)");
  return {};
}
ESPALIER_OTHER_NAME(binary_cross_entropy_with_logits) {
  static_assert(detail::is_other_name<A...>,
                "esp::binary_cross_entropy_with_logits has another name here: write mean(logistic_loss(x, c))");
  return {};
}
ESPALIER_OTHER_NAME(concat) {
  static_assert(detail::is_other_name<A...>,
                "esp::concat has another name here: write concatenate<0>(a, b), with the axis in angle brackets");
  return {};
}
ESPALIER_OTHER_NAME(cosine_similarity) {
  static_assert(detail::is_other_name<A...>,
                "esp::cosine_similarity has another name here: write sum<1>(unit<1>(a) * unit<1>(b))");
  return {};
}
ESPALIER_OTHER_NAME(einsum) {
  static_assert(
      detail::is_other_name<A...>,
      "esp::einsum has another name here: write matmul(a, b), with permute<...> before it where axes have another order");
  return {};
}
ESPALIER_OTHER_NAME(fliplr) {
  static_assert(detail::is_other_name<A...>, "esp::fliplr has another name here: write flip<1>(x)");
  return {};
}
ESPALIER_OTHER_NAME(flipud) {
  static_assert(detail::is_other_name<A...>, "esp::flipud has another name here: write flip<0>(x)");
  return {};
}
ESPALIER_OTHER_NAME(hardsigmoid) {
  static_assert(detail::is_other_name<A...>, "esp::hardsigmoid has another name here: write clamp(x / 6 + 0.5, 0, 1)");
  return {};
}
ESPALIER_OTHER_NAME(hardswish) {
  static_assert(detail::is_other_name<A...>,
                "esp::hardswish has another name here: write x * clamp(x / 6 + 0.5, 0, 1)");
  return {};
}
ESPALIER_OTHER_NAME(hardtanh) {
  static_assert(detail::is_other_name<A...>, "esp::hardtanh has another name here: write hard_tanh(x)");
  return {};
}
ESPALIER_OTHER_NAME(huber_loss) {
  static_assert(detail::is_other_name<A...>, "esp::huber_loss has another name here: write mean(huber(a - b, 1.0))");
  return {};
}
ESPALIER_OTHER_NAME(isfinite) {
  static_assert(detail::is_other_name<A...>, "esp::isfinite has another name here: write is_finite(x)");
  return {};
}
ESPALIER_OTHER_NAME(l1_loss) {
  static_assert(detail::is_other_name<A...>, "esp::l1_loss has another name here: write mean(abs(a - b))");
  return {};
}
ESPALIER_OTHER_NAME(layer_norm) {
  static_assert(
      detail::is_other_name<A...>,
      "esp::layer_norm has another name here: write normalize<1>(x, 1e-5), or the layer nn::LayerNorm1d<features>");
  return {};
}
ESPALIER_OTHER_NAME(logical_and) {
  static_assert(detail::is_other_name<A...>,
                "esp::logical_and has another name here: write a * b, of masks of 1 and 0");
  return {};
}
ESPALIER_OTHER_NAME(logical_not) {
  static_assert(detail::is_other_name<A...>,
                "esp::logical_not has another name here: write 1 - a, of a mask of 1 and 0");
  return {};
}
ESPALIER_OTHER_NAME(logical_or) {
  static_assert(detail::is_other_name<A...>,
                "esp::logical_or has another name here: write maximum(a, b), of masks of 1 and 0");
  return {};
}
ESPALIER_OTHER_NAME(logsigmoid) {
  static_assert(detail::is_other_name<A...>, "esp::logsigmoid has another name here: write -softplus(-x)");
  return {};
}
ESPALIER_OTHER_NAME(masked_fill) {
  static_assert(detail::is_other_name<A...>,
                "esp::masked_fill has another name here: write where(a > b, 0, x), with a condition for a mask");
  return {};
}
ESPALIER_OTHER_NAME(movedim) {
  static_assert(detail::is_other_name<A...>,
                "esp::movedim has another name here: write permute<1, 0>(x), with all axes in angle brackets");
  return {};
}
ESPALIER_OTHER_NAME(moveaxis) {
  static_assert(detail::is_other_name<A...>,
                "esp::moveaxis has another name here: write permute<1, 0>(x), with all axes in angle brackets");
  return {};
}
ESPALIER_OTHER_NAME(mse_loss) {
  static_assert(detail::is_other_name<A...>, "esp::mse_loss has another name here: write mean(square(a - b))");
  return {};
}
ESPALIER_OTHER_NAME(nan_to_num) {
  static_assert(detail::is_other_name<A...>, "esp::nan_to_num has another name here: write where(is_finite(x), x, 0)");
  return {};
}
ESPALIER_OTHER_NAME(nll_loss) {
  static_assert(detail::is_other_name<A...>,
                "esp::nll_loss has another name here: write negative_log_likelihood(x, labels)");
  return {};
}
ESPALIER_OTHER_NAME(ones_like) {
  static_assert(detail::is_other_name<A...>, "esp::ones_like has another name here: write zeros<shape<4, 4>>(x) + 1");
  return {};
}
ESPALIER_OTHER_NAME(reciprocal) {
  static_assert(detail::is_other_name<A...>, "esp::reciprocal has another name here: write 1 / x");
  return {};
}
ESPALIER_OTHER_NAME(rms_norm) {
  static_assert(
      detail::is_other_name<A...>,
      "esp::rms_norm has another name here: write rms_normalize<1>(x, 1e-5), or the layer nn::RMSNorm<features>");
  return {};
}
ESPALIER_OTHER_NAME(smooth_l1_loss) {
  static_assert(detail::is_other_name<A...>,
                "esp::smooth_l1_loss has another name here: write mean(huber(a - b, 1.0))");
  return {};
}
ESPALIER_OTHER_NAME(softsign) {
  static_assert(detail::is_other_name<A...>, "esp::softsign has another name here: write x / (1 + abs(x))");
  return {};
}
ESPALIER_OTHER_NAME(swapaxes) {
  static_assert(detail::is_other_name<A...>,
                "esp::swapaxes has another name here: write permute<1, 0>(x), with all axes in angle brackets");
  return {};
}
ESPALIER_OTHER_NAME(swapdims) {
  static_assert(detail::is_other_name<A...>,
                "esp::swapdims has another name here: write permute<1, 0>(x), with all axes in angle brackets");
  return {};
}
ESPALIER_OTHER_NAME(true_divide) {
  static_assert(detail::is_other_name<A...>, "esp::true_divide has another name here: write a / b");
  return {};
}
ESPALIER_OTHER_NAME(unbind) {
  static_assert(
      detail::is_other_name<A...>,
      "esp::unbind has another name here: write split<0, 1, 1, 1, 1>(x), with the axis and the extent of each part");
  return {};
}
ESPALIER_OTHER_NAME(zeros_like) {
  static_assert(detail::is_other_name<A...>, "esp::zeros_like has another name here: write zeros<shape<4, 4>>(x)");
  return {};
}

// What has no formula here.
ESPALIER_OTHER_NAME(argsort) {
  static_assert(detail::is_other_name<A...>,
                "esp::argsort does not exist: nothing sorts; sort the elements of a tensor outside of functions");
  return {};
}
ESPALIER_OTHER_NAME(ceil) {
  static_assert(
      detail::is_other_name<A...>,
      "esp::ceil does not exist: no op rounds; round the elements of a tensor outside of functions, with std::ceil");
  return {};
}
ESPALIER_OTHER_NAME(cumprod) {
  static_assert(detail::is_other_name<A...>,
                "esp::cumprod does not exist: scan(step, state, x) multiplies step by step");
  return {};
}
ESPALIER_OTHER_NAME(cumsum) {
  static_assert(detail::is_other_name<A...>, "esp::cumsum does not exist: scan(step, state, x) adds step by step");
  return {};
}
ESPALIER_OTHER_NAME(floor) {
  static_assert(
      detail::is_other_name<A...>,
      "esp::floor does not exist: no op rounds; round the elements of a tensor outside of functions, with std::floor");
  return {};
}
ESPALIER_OTHER_NAME(manual_seed) {
  static_assert(detail::is_other_name<A...>,
                "esp::manual_seed does not exist: a model takes its seed: esp::model<Net> model{esp::seed{0}}");
  return {};
}
ESPALIER_OTHER_NAME(round) {
  static_assert(
      detail::is_other_name<A...>,
      "esp::round does not exist: no op rounds; round the elements of a tensor outside of functions, with std::round");
  return {};
}
ESPALIER_OTHER_NAME(trunc) {
  static_assert(
      detail::is_other_name<A...>,
      "esp::trunc does not exist: no op rounds; round the elements of a tensor outside of functions, with std::trunc");
  return {};
}

// Short names with g++ alone: clang tries all that are like a misspelled op, and reports them beside it.
#if !defined(__clang__)
ESPALIER_OTHER_NAME(addmm) {
  static_assert(detail::is_other_name<A...>, "esp::addmm has another name here: write matmul(a, b) + c");
  return {};
}
ESPALIER_OTHER_NAME(amax) {
  static_assert(detail::is_other_name<A...>,
                "esp::amax has another name here: write max<1>(x), with the axes in angle brackets");
  return {};
}
ESPALIER_OTHER_NAME(amin) {
  static_assert(detail::is_other_name<A...>,
                "esp::amin has another name here: write min<1>(x), with the axes in angle brackets");
  return {};
}
ESPALIER_OTHER_NAME(bmm) {
  static_assert(detail::is_other_name<A...>,
                "esp::bmm has another name here: write matmul(a, b), which multiplies batches of matrices, too");
  return {};
}
ESPALIER_OTHER_NAME(cat) {
  static_assert(detail::is_other_name<A...>,
                "esp::cat has another name here: write concatenate<0>(a, b), with the axis in angle brackets");
  return {};
}
ESPALIER_OTHER_NAME(celu) {
  static_assert(detail::is_other_name<A...>, "esp::celu has another name here: write elu(x)");
  return {};
}
ESPALIER_OTHER_NAME(cosh) {
  static_assert(detail::is_other_name<A...>, "esp::cosh has another name here: write (exp(x) + exp(-x)) / 2");
  return {};
}
ESPALIER_OTHER_NAME(erfc) {
  static_assert(detail::is_other_name<A...>, "esp::erfc has another name here: write 1 - erf(x)");
  return {};
}
ESPALIER_OTHER_NAME(exp2) {
  static_assert(detail::is_other_name<A...>, "esp::exp2 has another name here: write exp(std::numbers::ln2 * x)");
  return {};
}
ESPALIER_OTHER_NAME(expm1) {
  static_assert(detail::is_other_name<A...>, "esp::expm1 has another name here: write exp(x) - 1");
  return {};
}
ESPALIER_OTHER_NAME(isinf) {
  static_assert(
      detail::is_other_name<A...>,
      "esp::isinf has another name here: write 1 - is_finite(x), which is 1 for infinities and for what is no number");
  return {};
}
ESPALIER_OTHER_NAME(isnan) {
  static_assert(
      detail::is_other_name<A...>,
      "esp::isnan has another name here: write 1 - is_finite(x), which is 1 for infinities and for what is no number");
  return {};
}
ESPALIER_OTHER_NAME(lerp) {
  static_assert(detail::is_other_name<A...>, "esp::lerp has another name here: write a + (b - a) * c");
  return {};
}
ESPALIER_OTHER_NAME(log10) {
  static_assert(detail::is_other_name<A...>, "esp::log10 has another name here: write log(x) / std::numbers::ln10");
  return {};
}
ESPALIER_OTHER_NAME(log1p) {
  static_assert(detail::is_other_name<A...>, "esp::log1p has another name here: write log(1 + x)");
  return {};
}
ESPALIER_OTHER_NAME(log2) {
  static_assert(detail::is_other_name<A...>, "esp::log2 has another name here: write log(x) / std::numbers::ln2");
  return {};
}
ESPALIER_OTHER_NAME(mish) {
  static_assert(detail::is_other_name<A...>, "esp::mish has another name here: write x * tanh(softplus(x))");
  return {};
}
ESPALIER_OTHER_NAME(neg) {
  static_assert(detail::is_other_name<A...>, "esp::neg has another name here: write -x");
  return {};
}
ESPALIER_OTHER_NAME(relu6) {
  static_assert(detail::is_other_name<A...>, "esp::relu6 has another name here: write clamp(x, 0, 6)");
  return {};
}
ESPALIER_OTHER_NAME(rsqrt) {
  static_assert(detail::is_other_name<A...>, "esp::rsqrt has another name here: write 1 / sqrt(x)");
  return {};
}
ESPALIER_OTHER_NAME(sinh) {
  static_assert(detail::is_other_name<A...>, "esp::sinh has another name here: write (exp(x) - exp(-x)) / 2");
  return {};
}
ESPALIER_OTHER_NAME(swish) {
  static_assert(detail::is_other_name<A...>, "esp::swish has another name here: write silu(x)");
  return {};
}
ESPALIER_OTHER_NAME(prod) {
  static_assert(
      detail::is_other_name<A...>,
      "esp::prod does not exist: no op multiplies along an axis; of positive numbers write exp(sum<1>(log(x)))");
  return {};
}
ESPALIER_OTHER_NAME(topk) {
  static_assert(detail::is_other_name<A...>,
                "esp::topk does not exist: nothing sorts; argmax(x) of a tensor gives the largest of each row");
  return {};
}
#endif
#undef ESPALIER_OTHER_NAME

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
