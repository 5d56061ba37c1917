// SPDX-License-Identifier: BSL-1.0
// Training steps by hand. Bias and ReLU are applied while a block of the product is in registers, and a layer's weights
// are updated by the blocks of its gradient, which is never stored.
#include "by_hand_product.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>

namespace {

/// A layer with In inputs and Out outputs, a multiple of the panels' width; what it needs for a batch.
template <long Batch, long In, long Out>
struct layer {
  alignas(64) floats<In * Out> weight;
  alignas(64) floats<Out> bias;
  alignas(64) floats<Batch * Out> y, dy;

  void start(float const* w, float const* b) {
    std::memcpy(weight, w, sizeof weight), std::memcpy(bias, b, sizeof bias);
  }
  void forward(float const* x, float* packed) {
    for (long c = 0; c < Out; c += panel_width) {
      pack<In, Out>(weight + c, packed);
      panel<Batch, In, false, In, panel_width, 2>(x, packed, c, with_bias<true>{bias, y, Out});
    }
  }
  /// The gradient of x, which came out of a ReLU.
  void backward_into(float const* x, float* dx, float* packed) const {
    for (long c = 0; c < In; c += panel_width) {
      pack_transposed<Out, Out>(weight + c * Out, packed);
      panel<Batch, Out, false, Out, panel_width, 2>(dy, packed, c, where_positive{x, dx, In});
    }
  }
  void learn(float const* x, float* packed) {
    // Rows of the weight are outside, because they are too many for the nearer caches and panels of dy are not.
    for (long c = 0; c < Out; c += panel_width) pack<Batch, Out>(dy + c, packed + c * Batch);
    constexpr long height = height_of(In, 2), rest = In % height;
    for (long i = 0; i + height <= In; i += height)
      for (long c = 0; c < Out; c += panel_width)
        one_block<height, Batch, true, In, panel_width, 2>(x + i, packed + c * Batch, i, c, update{weight, Out});
    if constexpr (rest > 0)
      for (long c = 0; c < Out; c += panel_width)
        one_block<rest, Batch, true, In, panel_width, 2>(x + In - rest, packed + c * Batch, In - rest, c,
                                                         update{weight, Out});
    for (long c = 0; c < Out; c += width) {
      vec s0{}, s1{};
      for (long i = 0; i < Batch; i += 2) s0 += load(dy + i * Out + c), s1 += load(dy + (i + 1) * Out + c);
      store(bias + c, fma(s0 + s1, all(-static_cast<float>(bench::learning_rate)), load(bias + c)));
    }
  }
};

/// The last layer and the loss: ten classes in a vector of sixteen. Step: from row to row of its inputs.
template <long Batch, long In, long Step = In>
struct scores {
  static constexpr long classes = bench::classes;
  alignas(64) floats<In * width> weight;
  alignas(64) floats<width> bias;
  alignas(64) floats<Batch * width> z, dz;
  alignas(64) floats<classes * Step> transposed;

  void start(float const* w, float const* b) {
    std::fill_n(weight, In * width, 0.f), std::fill_n(bias, width, -1e4f), std::fill_n(transposed, classes * Step, 0.f);
    for (long i = 0; i < In; ++i) std::copy_n(w + i * classes, classes, weight + i * width);
    std::copy_n(b, classes, bias);
  }
  float loss(float const* x, std::int32_t const* labels) {
    panel<Batch, In, false, Step, width, 1>(x, weight, 0, with_bias<false>{bias, z, width});
    vec const counted = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};  // the others are 0, not almost: subnormal numbers are slow
    float total = 0;
    for (long i = 0; i < Batch; i += 4) {  // the logarithm of a product
      float product = 1;
      for (long j = i; j < i + 4; ++j) {
        vec const score = load(z + j * width), shifted = score - largest_everywhere(score),
                  e = exp_of(shifted) * counted, sum = sum_everywhere(e);
        store(dz + j * width, e / (sum * static_cast<float>(Batch)));
        product *= sum[0];
        total -= shifted[labels[j]];
      }
      total += std::log(product);
    }
    for (long i = 0; i < Batch; ++i) dz[i * width + labels[i]] -= 1.f / Batch;
    return total / Batch;
  }
  template <class End>
  void backward_into(End const& end) {
    for (long i = 0; i < In; ++i)
      for (long k = 0; k < classes; ++k) transposed[k * Step + i] = weight[i * width + k];
    product<Batch, classes, Step, false, width, Step>(dz, transposed, end);
  }
  void learn(float const* x) {
    panel<In, Batch, true, Step, width, 1>(x, dz, 0, update{weight, width});
    vec s{};
    for (long i = 0; i < Batch; ++i) s += load(dz + i * width);
    store(bias, fma(s, all(-static_cast<float>(bench::learning_rate)), load(bias)));
  }
};

using namespace bench;

struct small_net {
  layer<small_batch, image, small_hidden> first;
  scores<small_batch, small_hidden> last;
  alignas(64) float packed[image * panel_width];
  float loss;
  explicit small_net(operands o) { first.start(o.in[2], o.in[3]), last.start(o.in[4], o.in[5]); }
  void step(float const* x, std::int32_t const* labels) {
    first.forward(x, packed);
    loss = last.loss(first.y, labels);
    last.backward_into(where_positive{first.y, first.dy, small_hidden});
    last.learn(first.y);
    first.learn(x, packed);
  }
};
struct large_net {
  layer<large_batch, image, large_hidden> first;
  layer<large_batch, large_hidden, large_hidden> second;
  scores<large_batch, large_hidden> last;
  alignas(64) floats<std::max(image* panel_width, long{large_batch} * large_hidden)> packed;
  float loss;
  explicit large_net(operands o) {
    first.start(o.in[2], o.in[3]), second.start(o.in[4], o.in[5]), last.start(o.in[6], o.in[7]);
  }
  void step(float const* x, std::int32_t const* labels) {
    first.forward(x, packed);
    second.forward(first.y, packed);
    loss = last.loss(second.y, labels);
    last.backward_into(where_positive{second.y, second.dy, large_hidden});
    last.learn(second.y);
    second.backward_into(first.y, first.dy, packed);
    second.learn(first.y, packed);
    first.learn(x, packed);
  }
};

/// MLPResNet with batch normalization. Rows are padded with zeros to whole vectors: 100 to 112 numbers, 50 to 64.
constexpr long padded(long n) { return (n + width - 1) / width * width; }
constexpr long count = residual_batch;

/// The mean of a batch and what it is divided by, normalized, times weight, plus bias; gradients.
template <long Features>
struct batch_norm {
  static constexpr long step = padded(Features);
  alignas(64) floats<step> weight, bias, mean, inverse, running_mean, running_variance;
  void start(float const* w, float const* b) {
    std::fill_n(weight, step, 0.f), std::fill_n(bias, step, 0.f), std::fill_n(running_mean, step, 0.f),
        std::fill_n(running_variance, step, 1.f);
    std::copy_n(w, Features, weight), std::copy_n(b, Features, bias);
  }
  /// y = relu(normalized u, plus x where there is one). Deviations are from the first row, so that squares do not
  /// cancel.
  template <bool Plus>
  void forward(float const* u, float const* x, float* y) {
    for (long c = 0; c < step; c += width) {
      vec const first = load(u + c);
      vec s0{}, s1{}, q0{}, q1{};
      for (long i = 0; i < count; i += 2) {
        vec const d0 = load(u + i * step + c) - first, d1 = load(u + (i + 1) * step + c) - first;
        s0 += d0, s1 += d1, q0 = fma(d0, d0, q0), q1 = fma(d1, d1, q1);
      }
      vec const away = (s0 + s1) / static_cast<float>(count), middle = first + away,
                variance = fma(away, -away, (q0 + q1) / static_cast<float>(count));
      vec scale{};
      for (int j = 0; j < width; ++j) scale[j] = 1 / std::sqrt(variance[j] + 1e-5f);
      store(mean + c, middle), store(inverse + c, scale);
      store(running_mean + c, load(running_mean + c) * .9f + middle * .1f);
      store(running_variance + c, load(running_variance + c) * .9f + variance * (.1f * count / (count - 1)));
      scale *= load(weight + c);
      vec const shift = load(bias + c) - middle * scale;
      for (long i = 0; i < count; ++i) {
        vec v = fma(load(u + i * step + c), scale, shift);
        if (Plus) v += load(x + i * step + c);
        store(y + i * step + c, larger(v, vec{}));
      }
    }
  }
  /// dy, the gradient after the ReLU that gave y, is masked; du; the sum of du is taken from a bias before. One column
  /// of vectors at a time.
  void backward(float const* u, float const* y, float* dy, float* du, float* bias_before) {
    vec const rate = all(static_cast<float>(learning_rate));
    for (long c = 0; c < step; c += width) {
      vec const middle = load(mean + c), scale = load(inverse + c);
      vec s0{}, s1{}, p0{}, p1{};
      for (long i = 0; i < count; i += 2) {
        long const a = i * step + c, b = a + step;
        vec const d0 = load(y + a) > 0 ? load(dy + a) : vec{}, d1 = load(y + b) > 0 ? load(dy + b) : vec{};
        store(dy + a, d0), store(dy + b, d1);
        s0 += d0, s1 += d1, p0 = fma(d0, load(u + a) - middle, p0), p1 = fma(d1, load(u + b) - middle, p1);
      }
      vec const sum = s0 + s1, with_u = (p0 + p1) * scale, gain = load(weight + c) * scale,
                by_u = with_u * scale / static_cast<float>(count), by_one = sum / static_cast<float>(count);
      vec total{};
      for (long i = 0; i < count; ++i) {
        long const a = i * step + c;
        vec const d = gain * (load(dy + a) - by_one - by_u * (load(u + a) - middle));
        store(du + a, d);
        total += d;
      }
      store(weight + c, load(weight + c) - rate * with_u), store(bias + c, load(bias + c) - rate * sum);
      store(bias_before + c, load(bias_before + c) - rate * total);
    }
  }
};

template <long In, long Out>
struct linear {
  static constexpr long in = padded(In), out = padded(Out);
  alignas(64) floats<in * out> weight, transposed;
  alignas(64) floats<out> bias;
  void start(float const* w, float const* b) {
    std::fill_n(weight, in * out, 0.f), std::fill_n(bias, out, 0.f);
    for (long i = 0; i < In; ++i) std::copy_n(w + i * Out, Out, weight + i * out);
    std::copy_n(b, Out, bias);
  }
  template <bool Relu>
  void forward(float const* x, float* y) const {
    product<count, In, out, false, in, out>(x, weight, with_bias<Relu>{bias, y, out});
  }
  template <class End>
  void backward_into(float const* dy, End const& end) {
    for (long k = 0; k < out; k += width)
      for (long i = 0; i < in; i += width)
        transpose(rows_at{weight + i * out + k, out}, rows_to{transposed + k * in + i, in});
    product<count, Out, in, false, out, in>(dy, transposed, end);
  }
  void learn(float const* x, float const* dy) { product<In, count, out, true, in, out>(x, dy, update{weight, out}); }
};

struct residual_net {
  static constexpr long wide = padded(residual_hidden), narrow = padded(residual_hidden / 2);
  struct block {
    linear<residual_hidden, residual_hidden / 2> one;
    batch_norm<residual_hidden / 2> norm_one;
    linear<residual_hidden / 2, residual_hidden> two;
    batch_norm<residual_hidden> norm_two;
    alignas(64) floats<count * narrow> u, a;
    alignas(64) floats<count * wide> v, y;
    void forward(float const* x) {
      one.forward<false>(x, u);
      norm_one.forward<false>(u, nullptr, a);
      two.forward<false>(a, v);
      norm_two.forward<true>(v, x, y);
    }
    /// gradient: of y, then of x.
    void backward(float const* x, float* gradient, residual_net& net) {
      norm_two.backward(v, y, gradient, net.dv, two.bias);
      two.backward_into(net.dv, stored{net.da, narrow});
      two.learn(a, net.dv);
      norm_one.backward(u, a, net.da, net.du, one.bias);
      one.backward_into(net.du, added{gradient, wide});
      one.learn(x, net.du);
    }
  };
  linear<image, residual_hidden> first;
  block blocks[residual_blocks];
  scores<residual_batch, residual_hidden, wide> last;
  alignas(64) floats<count * wide> y, d, dv;
  alignas(64) floats<count * narrow> da, du;
  float loss;
  explicit residual_net(operands o) {
    first.start(o.in[2], o.in[3]);
    int number = 4;
    for (auto& b : blocks) {
      b.one.start(o.in[number], o.in[number + 1]), b.norm_one.start(o.in[number + 2], o.in[number + 3]);
      b.two.start(o.in[number + 4], o.in[number + 5]), b.norm_two.start(o.in[number + 6], o.in[number + 7]);
      number += 8;
    }
    last.start(o.in[number], o.in[number + 1]);
  }
  float const* before(int i) const { return i == 0 ? y : blocks[i - 1].y; }
  void step(float const* x, std::int32_t const* labels) {
    first.forward<true>(x, y);
    for (int i = 0; i < residual_blocks; ++i) blocks[i].forward(before(i));
    float const* const end = before(residual_blocks);
    loss = last.loss(end, labels);
    last.backward_into(stored{d, wide});
    last.learn(end);
    for (int i = residual_blocks; i-- > 0;) blocks[i].backward(before(i), d, *this);
    for (long c = 0; c < wide; c += width) {
      vec sum{};
      for (long i = 0; i < count * wide; i += wide) {
        vec const s = load(y + i + c) > 0 ? load(d + i + c) : vec{};
        store(d + i + c, s);
        sum += s;
      }
      store(first.bias + c, fma(sum, all(-static_cast<float>(learning_rate)), load(first.bias + c)));
    }
    first.learn(x, d);
  }
};

template <class Net, std::size_t Hidden>
work train(operands o) {
  auto const net = std::make_shared<Net>(o);
  return {repeated([=] { net->step(o.in[0], o.labels(1)); }), [=] {
            *o.out[0] = net->loss;
            constexpr std::size_t step = std::extent_v<decltype(net->first.weight)> / image;
            for (std::size_t i = 0; i < image; ++i)
              std::copy_n(net->first.weight + i * step, Hidden, o.out[1] + i * Hidden);
            std::copy_n(net->last.bias, classes, o.out[2]);
          }};
}

implementation const all_rows[] = {{"train_mlp/784-128-10", "by_hand", train<small_net, small_hidden>},
                                   {"train_mlp/784-512-512-10", "by_hand", train<large_net, large_hidden>},
                                   {"train_mlp_resnet/batch_norm", "by_hand", train<residual_net, residual_hidden>}};

}  // namespace
