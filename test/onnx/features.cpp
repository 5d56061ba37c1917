// SPDX-License-Identifier: BSL-1.0
// Every op, in nets that do little else; nets of features, norms and sequences.
#include "exported.hpp"

namespace {

using test::by;

/// Each elementwise op, one beside the other; numbers of theirs are literals, parameters or values.
struct Elementwise {
  esp::parameter<esp::shape<3, 5>, nn::init::initialized_by<nn::init::normal{}>> p;
  ESPALIER_MODULE(Elementwise, p)
  constexpr auto forward(auto x) const {
    using esp::abs, esp::clamp, esp::cos, esp::elu, esp::equal, esp::erf, esp::exp, esp::gate, esp::gelu,
        esp::gelu_tanh, esp::hard_tanh, esp::leaky_relu, esp::log;
    auto const above = exp(0.3 * x) + 0.1;
    auto const some = esp::concatenate<0>(x + p, x - p, x * p, x / above, -x, abs(x), cos(x), sin(x), erf(x), exp(x),
                                          log(above), esp::maximum(x, p), esp::minimum(x, 0.2), pow(above, x));
    auto const more =
        esp::concatenate<0>(relu(x), sigmoid(x), softplus(3 * x), sqrt(above), tanh(x), clamp(x, -0.5, 0.25),
                            clamp(x, -above, above), elu(x, 0.7), elu(x, above), gelu(x), gelu_tanh(x), hard_tanh(x),
                            leaky_relu(x, 0.2), leaky_relu(x, p), silu(x), square(x));
    auto const rest = esp::concatenate<0>(gate(x, p), x > p, x >= 0.5, x < p, x <= p, equal(x, x), not_equal(x, p),
                                          where(x > 0, x, p), huber(x, 0.6), pow(x, 3), 1 / above, detach(x),
                                          esp::logistic_loss(x, p, 0.5 + above));
    return esp::concatenate<0>(some, more, rest);
  }
};

/// Movements, alone and in rows.
struct Movements {
  ESPALIER_MODULE(Movements)
  constexpr auto forward(auto x) const {
    auto const a = esp::slice<1, 1, esp::to_end, 2>(x);           // (2, 2, 6)
    auto const b = esp::pad<0, 0, 1, 0, 2, 1>(a);                 // (2, 3, 9)
    auto const c = esp::flip<0, 2>(b);                            // backwards
    auto const d = esp::dilate<1, 2>(esp::slice<2, 0, 4, 1>(x));  // (2, 4, 8)
    auto const e = esp::undilate<1, 2>(d);                        // (2, 4, 4)
    auto const f = esp::permute<2, 0, 1>(x);                      // (6, 2, 4)
    auto const g = esp::stack<1>(e, 2 * e);                       // (2, 2, 4, 4)
    auto const h = esp::broadcast_to<esp::shape<3, 2, 4, 6>>(x);  // repeated
    auto const flat = [](auto y) { return esp::reshape<-1>(y); };
    auto const parts = esp::slice<2, 5, esp::to_end, -2>(x);  // backwards by two
    return esp::concatenate<0>(flat(a), flat(b), flat(c), flat(d), flat(e), flat(f), flat(g), flat(h),
                               flat(esp::transpose<0, 2>(x) * esp::transpose<1, 2>(f)), flat(parts));
  }
};

struct Reductions {
  esp::parameter<esp::shape<4, 1>, nn::init::initialized_by<nn::init::normal{}>> p;
  ESPALIER_MODULE(Reductions, p)
  constexpr auto forward(auto x) const {
    auto const flat = [](auto y) { return esp::reshape<-1>(y); };
    auto const t = esp::transpose<1, 2>(x);
    return esp::concatenate<0>(flat(esp::sum<1>(x)), flat(esp::sum(x)), flat(esp::mean<0, 2>(x)), flat(esp::max<-1>(t)),
                               flat(esp::min<0, 1>(x, esp::keepdims)), flat(esp::mean<2>(t)),
                               flat(esp::logsumexp<1>(3 * x)), flat(esp::softmax<1>(t)), flat(esp::log_softmax(x)),
                               flat(esp::normalize<1, 2>(x + p, 1e-3)), flat(esp::rms_normalize<0>(x, 1e-3)),
                               flat(esp::sum<1>(p * p)), flat(esp::mean<0>(x) * p), flat(esp::norm<1>(x)),
                               flat(esp::norm(t)), flat(esp::unit<0, 2>(t)), flat(esp::unit(relu(x - 100), 0.0)));
  }
};

struct Products {
  esp::parameter<esp::shape<2, 5, 3>, nn::init::initialized_by<nn::init::normal{}>> batched;
  esp::parameter<esp::shape<5, 5>, nn::init::initialized_by<nn::init::normal{}>> plain;
  ESPALIER_MODULE(Products, batched, plain)
  constexpr auto forward(auto x) const {
    auto const flat = [](auto y) { return esp::reshape<-1>(y); };
    auto const scores = esp::softmax(matmul(x, esp::transpose<1, 2>(x)));
    return esp::concatenate<0>(flat(matmul(x, batched)), flat(matmul(x, plain)), flat(matmul(scores, x)),
                               flat(matmul(esp::transpose<0, 1>(x), esp::transpose(plain))),
                               flat(esp::one_hot<5>(esp::max<-1>(x)) * 2));
  }
};

/// Attention within each sample: products whose both operands grow with the samples.
struct Attention {
  nn::Linear<6, 6> query, key, value;
  ESPALIER_MODULE(Attention, query, key, value)
  constexpr auto forward(auto x) const {
    return matmul(esp::softmax(matmul(query(x), esp::transpose<1, 2>(key(x))) * 0.4), value(x)) + x;
  }
};

/// Indices of elements, and of columns that each row shares; the indices as numbers, too.
struct Indexed {
  using input_element = std::int32_t;
  nn::Linear<4, 5> table;
  ESPALIER_MODULE(Indexed, table)
  constexpr auto forward(auto i) const {
    return esp::gather<0>(table.weight, esp::reshape<3, 5>(i)) +
           esp::take_along_axis<1>(esp::slice<0, 0, 3>(table.weight), esp::reshape<3, 5>(i)) * esp::reshape<3, 5>(i);
  }
};

using Words = nn::Sequential<nn::Embedding<7, 4>, nn::Flatten, nn::Linear<12, 3>, nn::LogSoftmax<>>;

struct Layers {
  nn::LayerNorm<esp::shape<3, 8>> whole;
  nn::LayerNorm1d<8> last;
  nn::RMSNorm<esp::shape<8>> rms;
  nn::Linear<8, 8> linear;
  ESPALIER_MODULE(Layers, whole, last, rms, linear)
  constexpr auto forward(auto x) const { return rms(linear(last(whole(x)))); }
};

/// Two inputs and two results, one of which the other reads.
struct Cell {
  nn::Linear<5, 4> input;
  nn::Linear<4, 4> state;
  nn::BatchNorm1d<4> norm;
  nn::Linear<4, 3> output;
  ESPALIER_MODULE(Cell, input, state, norm, output)
  constexpr auto forward(auto x, auto h) const {
    auto const next = tanh(input(x) + norm(state(h)));
    return std::tuple{output(next), next};
  }
};
/// Results that are a value twice, the input and a parameter, under names that outputs have.
struct Passing {
  esp::parameter<esp::shape<3, 2>, nn::init::initialized_by<nn::init::normal{}>> y0, y1;
  ESPALIER_MODULE(Passing, y0, y1)
  constexpr auto forward(auto a) const {
    auto const y = matmul(a, y0);
    return std::tuple{y, a, y, esp::transpose(y1), y + 1, a};
  }
};
/// Results that another result would be combined with if nothing else read them: a convolution before its bias, and
/// the sum of a mean.
inline constexpr nn::conv without_bias{.layout = esp::nhwc, .bias = false};
struct Partial {
  nn::Conv<2, 3, 3, without_bias> layer;
  esp::parameter<esp::shape<3>, nn::init::initialized_by<nn::init::normal{}>> bias;
  ESPALIER_MODULE(Partial, layer, bias)
  constexpr auto forward(auto x) const {
    auto const y = layer(x);
    auto const biased = y + bias;
    auto const total = esp::sum<1>(biased);
    return std::tuple{y, biased, total, total * 0.2};
  }
};
/// Numbers and indices.
struct Lookup {
  using input_element = std::tuple<float, std::int32_t>;
  nn::Embedding<4, 3> table;
  ESPALIER_MODULE(Lookup, table)
  constexpr auto forward(auto x, auto index) const { return x * table(index); }
};
/// Rows and columns of a table are replaced, some of them twice, and a single one.
struct Written {
  using input_element = std::tuple<float, std::int32_t, std::int32_t>;
  nn::Linear<5, 4> table;
  ESPALIER_MODULE(Written, table)
  constexpr auto forward(auto x, auto several, auto one) const {
    auto const rows = esp::index_copy<0>(table.weight, several, x);
    return esp::index_copy<1>(rows * 2, several, esp::zeros<esp::shape<5, 6>>(x)) +
           esp::index_copy<0>(rows, one, esp::slice<0, 2, 3>(x));
  }
};

}  // namespace

ESPALIER_EXPORTED_MAIN(
    test::put<Elementwise, esp::batch<3, 5>, by::interpreter>("elementwise",
                                                              "Relu 1\nElu 1\nLeakyRelu 1\nClip 2\nConcat 1\n");
    test::put<Elementwise, esp::batch<3, 5>, by::interpreter, esp::batch<3, 5>, double>("elementwise_double");
    test::put<Movements, esp::batch<2, 4, 6>, by::interpreter>("movements");
    test::put<Reductions, esp::batch<2, 4, 6>, by::interpreter>("reductions", "Softmax 1\nLogSoftmax 1\n");
    test::put<Products, esp::batch<2, 4, 5>, by::interpreter>("products");
    test::put<Attention, esp::batch<3, 4, 6>, by::interpreter, esp::io::any_batch<4, 6>>(
        "attention", "MatMul 5\nReshape 0\nTranspose 1\n");
    test::put<Words, esp::batch<2, 3>, by::interpreter, esp::io::any_batch<3>>("words", "Gather 1\nMatMul 1\n",
                                                                               {.low = 0, .high = 7, .whole = true});
    test::put<Indexed, esp::batch<1, 15>, by::interpreter>("indexed", "GatherElements 2\n",
                                                           {.low = 0, .high = 4, .whole = true});
    test::put<nn::MLPResNet<16, 24, 2, 10>, esp::batch<4, 16>>("mlp_resnet",
                                                               "MatMul 6\nTranspose 0\nReshape 0\nRelu 5\n");
    test::put<nn::MLPResNet<16, 24, 2, 10, nn::use_layer_norm>, esp::batch<4, 16>, by::interpreter,
              esp::io::any_batch<16>>("mlp_resnet_layer_norm", "MatMul 6\nReduceMean 8\n");
    test::put<Layers, esp::batch<2, 3, 8>, by::interpreter>("layer_norms", "Reshape 0\nMatMul 1\n");
    test::put_several<Cell, esp::shapes<esp::batch<2, 5>, esp::batch<2, 4>>>("cell", "MatMul 3\nTanh 1\nIdentity 0\n");
    test::put_several<Cell, esp::shapes<esp::batch<2, 5>, esp::batch<2, 4>>,
                      esp::shapes<esp::io::any_batch<5>, esp::io::any_batch<4>>, double>("cell_open", "MatMul 3\n");
    test::put_several<Passing, esp::batch<2, 3>>("passing", "MatMul 1\nIdentity 4\n");
    test::put_several<Partial, esp::batch<2, 5, 5, 2>>("partial", "Conv 1\n");
    test::put_several<Lookup, esp::shapes<esp::batch<2, 3>, esp::batch<2>>,
                      esp::shapes<esp::io::any_batch<3>, esp::io::any_batch<>>>("lookup", "Gather 1\nMul 1\n");
    test::put_several<Written, esp::shapes<esp::batch<6, 4>, esp::batch<6>, esp::batch<1>>>("written",
                                                                                            "ScatterElements 5\n");)
