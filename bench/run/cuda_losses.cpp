// SPDX-License-Identifier: BSL-1.0
// A chain of elementwise ops, a residual connection with dropout and norm, softmax with cross-entropy, and Adam.
#include <espalier/model/updater.hpp>
#include <espalier/nn/dropout.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/optim/adam.hpp>

#include "cuda.hpp"

namespace bench {

namespace {

constexpr int elements = 1 << 26;

struct chain {
  constexpr auto operator()(auto a, auto b) const { return relu(tanh(a) * b + a); }
};
/// The stream r + dropout(x), and y = relu(norm(stream)). Its random stream belongs to no module: it is the program's
/// number 0.
struct residual {
  constexpr auto operator()(auto x, auto r, auto w, auto b) const {
    auto const stream =
        r +
        esp::dropout(x, esp::random_uniform<esp::shape_of<decltype(x)>>{esp::random_stream{0, x.tracer}} <= 0.9, 0.1);
    return std::tuple{stream, relu(esp::normalize<1>(stream, 1e-5) * w + b)};
  }
};
struct loss {
  constexpr auto operator()(auto scores, auto labels) const { return esp::cross_entropy(scores, labels); }
};
struct loss_and_gradient {
  constexpr auto operator()(auto scores, auto labels) const {
    return std::tuple{loss{}(scores, labels), std::get<0>(esp::grad(loss{})(scores, labels))};
  }
};

template <int Columns>
void add_residual(measurements& to) {
  constexpr int rows = elements / Columns;
  using X = number_leaf<esp::shape<rows, Columns>>;
  using W = number_leaf<esp::shape<Columns>>;
  add<program_of_function<residual, X, X, W, W>>(to, "residual_dropout_layer_norm_relu", extents(rows, Columns));
}
template <int Classes>
void add_loss(measurements& to) {
  constexpr int rows = elements / Classes;
  using X = number_leaf<esp::shape<rows, Classes>>;
  add<program_of_function<loss_and_gradient, X, label_leaf<esp::shape<rows>>>>(to, "softmax_cross_entropy_gradient",
                                                                               extents(rows, Classes), Classes);
}

}  // namespace

void add_losses_and_updates(measurements& to) {
  using X = number_leaf<esp::shape<elements>>;
  add<program_of_function<chain, X, X>>(to, "elementwise_chain", "2^26");
  add_residual<1024>(to), add_residual<4096>(to);
  add_loss<1024>(to), add_loss<4096>(to), add_loss<32768>(to), add_loss<131072>(to);
  add<esp::detail::update_program<esp::optim::Adam, elements>>(to, "adam", "2^26");
}

}  // namespace bench
