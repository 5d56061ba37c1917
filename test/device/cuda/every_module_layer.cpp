// SPDX-License-Identifier: BSL-1.0
// Every layer that is no norm, on the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_module_layer
#include "every_module.hpp"

using namespace every_module;

namespace {
/// Several modules on the same input, whose outputs lie beside one another.
struct Rectifiers {
  nn::Identity identity{};
  nn::ReLU relu{};
  nn::LeakyReLU<0.25> leaky{};
  nn::PReLU<7> learned{};
  nn::HardTanh hard{};
  nn::Tanh tanh{};
  nn::Sigmoid sigmoid{};
  ESPALIER_MODULE(Rectifiers, identity, relu, leaky, learned, hard, tanh, sigmoid)
  constexpr auto forward(auto x) const {
    return esp::concatenate<-1>(identity(x), relu(x), leaky(x), learned(x), hard(x), tanh(x), sigmoid(x));
  }
};
struct Smooth {
  nn::ELU<1.5> elu{};
  nn::GELU gelu{};
  nn::GELUTanh gelu_tanh{};
  nn::SiLU silu{};
  nn::Softplus softplus{};
  ESPALIER_MODULE(Smooth, elu, gelu, gelu_tanh, silu, softplus)
  constexpr auto forward(auto x) const {
    return esp::concatenate<-1>(elu(x), gelu(x), gelu_tanh(x), silu(x), softplus(x));
  }
};
struct Softmaxes {
  nn::Softmax<> of_rows{};
  nn::LogSoftmax<1> of_the_middle{};
  ESPALIER_MODULE(Softmaxes, of_rows, of_the_middle)
  constexpr auto forward(auto x) const { return of_rows(x) * 3 + of_the_middle(x); }
};
struct Poolings {
  nn::MaxPool2d<2> largest{};
  nn::AvgPool2d<2> means{};
  nn::GlobalAvgPool<> of_all{};
  ESPALIER_MODULE(Poolings, largest, means, of_all)
  constexpr auto forward(auto x) const {
    return esp::concatenate<1>(nn::Flatten{}(largest(x)), nn::Flatten{}(means(x)), of_all(x));
  }
};
/// One module called several times: each call draws its own mask.
struct Dropouts {
  nn::Dropout<0.25> drop{};
  ESPALIER_MODULE(Dropouts, drop)
  constexpr auto forward(auto x) const { return drop(x) + 3 * drop(x) - 5 * drop(x * x); }
};
using Recurrent =
    nn::Sequential<nn::Outputs<nn::LSTM<3, 4>>, nn::Outputs<nn::GRU<4, 3>>, nn::LastOutput<nn::RNN<3, 4>>>;
/// A language model that starts from zeros.
struct Text {
  nn::LanguageModel<6, nn::RNN<5, 4>> language{};
  ESPALIER_MODULE(Text, language)
  using input_element = std::int32_t;
  constexpr auto forward(auto x) const { return std::get<0>(language(x)); }
};
}  // namespace

BOOST_AUTO_TEST_CASE(activations) {
  check<Rectifiers, 5, 7>("activation and prelu");
  check<Smooth, 5, 7>("smooth_activation");
  check<Softmaxes, 3, 5, 7>("softmax");
}
BOOST_AUTO_TEST_CASE(masks) {
  check<nn::Dropout<0.25>, 5, 33>("dropout");
  check<Dropouts, 5, 33>("dropout, called three times");
  check<nn::MaskedDropout<0.25, shape<5, 7>>, 5, 7>("dropout with a mask");
}
BOOST_AUTO_TEST_CASE(augmentations) {
  check<nn::RandomHorizontalFlip<>, 6, 2, 3, 5>("random_horizontal_flip");
  check<nn::RandomHorizontalFlip<0.25, esp::nhwc>, 6, 3, 5, 2>("random_horizontal_flip, channels last");
  check<nn::RandomCrop<4>, 6, 2, 6, 5>("random_crop");
  check<nn::RandomCrop<1, esp::nhwc>, 6, 4, 5, 2>("random_crop, channels last");
}
BOOST_AUTO_TEST_CASE(products) {
  check<nn::Linear<7, 5>, 4, 7>("linear");
  check_net<nn::Embedding<6, 5>>("embedding", tensor<std::int32_t, shape<2, 3>>{{5, 0, 2}, {2, 3, 5}});
}
BOOST_AUTO_TEST_CASE(sequences) {
  check<nn::MultiheadAttention<8, 2, nn::multihead_attention{.causal = true, .dropout = 0.25}>, 2, 5, 8>("attention");
  check<nn::LlamaBlock<8, 4, 2, 12>, 2, 5, 8>("transformer, Llama");
  check_net<nn::Llama<6, 8, 1, 2, 1, 12>>("llama", tensor<std::int32_t, shape<2, 4>>{{5, 0, 2, 1}, {2, 3, 5, 1}});
  check<nn::Sequential<nn::SinusoidalPositions<>, nn::LearnedPositions<6, 8>>, 2, 5, 8>("positions");
}
BOOST_AUTO_TEST_CASE(pooling) { check<Poolings, 2, 3, 4, 6>("pooling and flatten"); }
BOOST_AUTO_TEST_CASE(recurrent_layers) {
  check<Recurrent, 2, 5, 3>("lstm, gru and rnn, as sequence_output");
  check_net<Text>("language_model", tensor<std::int32_t, shape<3, 2>>{{5, 0}, {2, 3}, {1, 5}});
}
