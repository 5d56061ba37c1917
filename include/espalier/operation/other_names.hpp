// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/invalid.hpp"

/// Names of PyTorch's functions that are others here, or formulas. The use of one is an error that says what to write;
/// it has no result, so that what is computed from it is no other error. A function of the user with such a name is
/// always preferred: an argument has to be converted here.
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

/// code: what to write, as words after "write"; test/tools/other_names.py compiles it.
#define ESPALIER_OTHER_NAME(name, code)                                                                              \
  template <auto... Arguments>                                                                                       \
  constexpr invalid<already_reported> name(detail::argument_of_other_name, detail::argument_of_other_name = {},      \
                                           detail::argument_of_other_name = {}, detail::argument_of_other_name = {}, \
                                           detail::argument_of_other_name = {}) {                                    \
    static_assert(detail::is_other_name<Arguments...>, "esp::" #name " has another name here: write " code);         \
    return {};                                                                                                       \
  }

ESPALIER_OTHER_NAME(absolute, "abs(x)")
ESPALIER_OTHER_NAME(adaptive_avg_pool2d, "global_average_pool(images), the mean of each channel")
ESPALIER_OTHER_NAME(addmm, "matmul(a, b) + c")
ESPALIER_OTHER_NAME(amax, "max<1>(x), with the axes in angle brackets")
ESPALIER_OTHER_NAME(amin, "min<1>(x), with the axes in angle brackets")
ESPALIER_OTHER_NAME(avg_pool2d, "average_pool2d<2>(images)")
ESPALIER_OTHER_NAME(binary_cross_entropy_with_logits, "mean(logistic_loss(x, c))")
ESPALIER_OTHER_NAME(bmm, "matmul(a, b), which multiplies batches of matrices, too")
ESPALIER_OTHER_NAME(cat, "concatenate<0>(a, b), with the axis in angle brackets")
ESPALIER_OTHER_NAME(celu, "elu(x)")
ESPALIER_OTHER_NAME(chunk, "split<0, 1, 3>(x), with the axis and the extent of each part")
ESPALIER_OTHER_NAME(clip, "clamp(x, -1, 1)")
ESPALIER_OTHER_NAME(concat, "concatenate<0>(a, b), with the axis in angle brackets")
ESPALIER_OTHER_NAME(cosh, "(exp(x) + exp(-x)) / 2")
ESPALIER_OTHER_NAME(cosine_similarity, "sum<1>(unit<1>(a) * unit<1>(b))")
ESPALIER_OTHER_NAME(dot, "sum(a * b)")
ESPALIER_OTHER_NAME(einsum, "matmul(a, b), with permute<...> before it where axes have another order")
ESPALIER_OTHER_NAME(eq, "equal(a, b)")
ESPALIER_OTHER_NAME(erfc, "1 - erf(x)")
ESPALIER_OTHER_NAME(exp2, "exp(std::numbers::ln2 * x)")
ESPALIER_OTHER_NAME(expm1, "exp(x) - 1")
ESPALIER_OTHER_NAME(fliplr, "flip<1>(x)")
ESPALIER_OTHER_NAME(flipud, "flip<0>(x)")
ESPALIER_OTHER_NAME(ge, "a >= b")
ESPALIER_OTHER_NAME(gt, "a > b")
ESPALIER_OTHER_NAME(hardsigmoid, "clamp(x / 6 + 0.5, 0, 1)")
ESPALIER_OTHER_NAME(hardswish, "x * clamp(x / 6 + 0.5, 0, 1)")
ESPALIER_OTHER_NAME(hardtanh, "hard_tanh(x)")
ESPALIER_OTHER_NAME(huber_loss, "mean(huber(a - b, 1.0))")
ESPALIER_OTHER_NAME(isfinite, "is_finite(x)")
ESPALIER_OTHER_NAME(isinf, "1 - is_finite(x), which is 1 for infinities and for what is no number")
ESPALIER_OTHER_NAME(isnan, "1 - is_finite(x), which is 1 for infinities and for what is no number")
ESPALIER_OTHER_NAME(l1_loss, "mean(abs(a - b))")
ESPALIER_OTHER_NAME(layer_norm, "normalize<1>(x, 1e-5), or the layer nn::LayerNorm1d<features>")
ESPALIER_OTHER_NAME(le, "a <= b")
ESPALIER_OTHER_NAME(lerp, "a + (b - a) * c")
ESPALIER_OTHER_NAME(log10, "log(x) / std::numbers::ln10")
ESPALIER_OTHER_NAME(log1p, "log(1 + x)")
ESPALIER_OTHER_NAME(log2, "log(x) / std::numbers::ln2")
ESPALIER_OTHER_NAME(logical_and, "a * b, of masks of 1 and 0")
ESPALIER_OTHER_NAME(logical_not, "1 - a, of a mask of 1 and 0")
ESPALIER_OTHER_NAME(logical_or, "maximum(a, b), of masks of 1 and 0")
ESPALIER_OTHER_NAME(logsigmoid, "-softplus(-x)")
ESPALIER_OTHER_NAME(lt, "a < b")
ESPALIER_OTHER_NAME(masked_fill, "where(a > b, 0, x), with a condition for a mask")
ESPALIER_OTHER_NAME(mish, "x * tanh(softplus(x))")
ESPALIER_OTHER_NAME(mm, "matmul(a, b)")
ESPALIER_OTHER_NAME(movedim, "permute<1, 0>(x), with all axes in angle brackets")
ESPALIER_OTHER_NAME(moveaxis, "permute<1, 0>(x), with all axes in angle brackets")
ESPALIER_OTHER_NAME(mse_loss, "mean(square(a - b))")
ESPALIER_OTHER_NAME(mv, "matmul(a, b)")
ESPALIER_OTHER_NAME(nan_to_num, "where(is_finite(x), x, 0)")
ESPALIER_OTHER_NAME(ne, "not_equal(a, b)")
ESPALIER_OTHER_NAME(neg, "-x")
ESPALIER_OTHER_NAME(nll_loss, "negative_log_likelihood(x, labels)")
ESPALIER_OTHER_NAME(ones_like, "zeros<shape<4, 4>>(x) + 1")
ESPALIER_OTHER_NAME(outer, "matmul(unsqueeze<1>(row), unsqueeze<0>(row))")
ESPALIER_OTHER_NAME(reciprocal, "1 / x")
ESPALIER_OTHER_NAME(relu6, "clamp(x, 0, 6)")
ESPALIER_OTHER_NAME(rms_norm, "rms_normalize<1>(x, 1e-5), or the layer nn::RMSNorm<features>")
ESPALIER_OTHER_NAME(rsqrt, "1 / sqrt(x)")
ESPALIER_OTHER_NAME(sinh, "(exp(x) - exp(-x)) / 2")
ESPALIER_OTHER_NAME(smooth_l1_loss, "mean(huber(a - b, 1.0))")
ESPALIER_OTHER_NAME(softsign, "x / (1 + abs(x))")
ESPALIER_OTHER_NAME(swapaxes, "permute<1, 0>(x), with all axes in angle brackets")
ESPALIER_OTHER_NAME(swapdims, "permute<1, 0>(x), with all axes in angle brackets")
ESPALIER_OTHER_NAME(swish, "silu(x)")
ESPALIER_OTHER_NAME(tan, "sin(x) / cos(x)")
ESPALIER_OTHER_NAME(tile, "broadcast_to<2, 4, 4>(x), and reshape<8, 4> of it")
ESPALIER_OTHER_NAME(true_divide, "a / b")
ESPALIER_OTHER_NAME(unbind, "split<0, 1, 1, 1, 1>(x), with the axis and the extent of each part")
ESPALIER_OTHER_NAME(zeros_like, "zeros<shape<4, 4>>(x)")
#undef ESPALIER_OTHER_NAME

/// What has no formula here. why: the end of the sentence.
#define ESPALIER_NO_SUCH_NAME(name, why)                                                                             \
  template <auto... Arguments>                                                                                       \
  constexpr invalid<already_reported> name(detail::argument_of_other_name, detail::argument_of_other_name = {},      \
                                           detail::argument_of_other_name = {}, detail::argument_of_other_name = {}, \
                                           detail::argument_of_other_name = {}) {                                    \
    static_assert(detail::is_other_name<Arguments...>, "esp::" #name " does not exist: " why);                       \
    return {};                                                                                                       \
  }
ESPALIER_NO_SUCH_NAME(argsort, "nothing sorts; sort the elements of a tensor outside of functions")
ESPALIER_NO_SUCH_NAME(ceil, "no op rounds; round the elements of a tensor outside of functions, with std::ceil")
ESPALIER_NO_SUCH_NAME(cumprod, "scan(step, state, x) multiplies step by step")
ESPALIER_NO_SUCH_NAME(cumsum, "scan(step, state, x) adds step by step")
ESPALIER_NO_SUCH_NAME(floor, "no op rounds; round the elements of a tensor outside of functions, with std::floor")
ESPALIER_NO_SUCH_NAME(manual_seed, "a model takes its seed: esp::model<Net> model{esp::seed{0}}")
ESPALIER_NO_SUCH_NAME(prod, "no op multiplies along an axis; of positive numbers write exp(sum<1>(log(x)))")
ESPALIER_NO_SUCH_NAME(round, "no op rounds; round the elements of a tensor outside of functions, with std::round")
ESPALIER_NO_SUCH_NAME(topk, "nothing sorts; argmax(x) of a tensor gives the largest of each row")
ESPALIER_NO_SUCH_NAME(trunc, "no op rounds; round the elements of a tensor outside of functions, with std::trunc")
#undef ESPALIER_NO_SUCH_NAME

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
