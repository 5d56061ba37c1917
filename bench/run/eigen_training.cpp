// SPDX-License-Identifier: BSL-1.0
// Training steps of multi-layer perceptrons in Eigen: extents that the compiler knows, every product into memory that
// is there.
#define EIGEN_STACK_ALLOCATION_LIMIT 0  // fixed extents for matrices of any size
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <memory>

#include "harness.hpp"
#include "training.hpp"

namespace {

using namespace bench;
template <int Rows, int Columns>
using matrix = Eigen::Matrix<float, Rows, Columns, Eigen::RowMajor>;
template <int Columns>
using row_vector = Eigen::Matrix<float, 1, Columns>;

template <int Batch, int In, int Out>
struct layer {
  matrix<In, Out> weight, gradient;
  row_vector<Out> bias;
  matrix<Batch, Out> y, dy;
  void start(float const* w, float const* b) {
    weight = Eigen::Map<matrix<In, Out> const>(w);
    bias = Eigen::Map<row_vector<Out> const>(b);
  }
  template <class X>
  void forward(X const& x, bool relu) {
    y.noalias() = x * weight;
    if (relu) y = (y.rowwise() + bias).cwiseMax(0);
    else y.rowwise() += bias;
  }
  /// dy is the gradient of what came out, before ReLU.
  template <class X>
  void learn(X const& x) {
    gradient.noalias() = x.transpose() * dy;
    weight -= static_cast<float>(learning_rate) * gradient;
    bias -= static_cast<float>(learning_rate) * dy.colwise().sum();
  }
  template <class Before>
  void backward_into(Before& before) const {
    before.dy.noalias() = dy * weight.transpose();
    before.dy = (before.y.array() > 0).select(before.dy, 0);
  }
};

template <int Batch>
float softmax_loss(matrix<Batch, classes> const& z, std::int32_t const* labels, matrix<Batch, classes>& dz) {
  float total = 0;
  for (int i = 0; i < Batch; ++i) {
    float const most = z.row(i).maxCoeff();
    row_vector<classes> const e = (z.row(i).array() - most).exp();
    float const sum = e.sum();
    total += std::log(sum) - (z(i, labels[i]) - most);
    dz.row(i) = e / (sum * Batch);
    dz(i, labels[i]) -= 1.f / Batch;
  }
  return total / Batch;
}

struct small_net {
  layer<small_batch, image, small_hidden> first;
  layer<small_batch, small_hidden, classes> last;
  float loss;
  explicit small_net(operands o) { first.start(o.in[2], o.in[3]), last.start(o.in[4], o.in[5]); }
  void step(float const* images, std::int32_t const* labels) {
    Eigen::Map<matrix<small_batch, image> const, Eigen::Aligned64> const x(images);
    first.forward(x, true);
    last.forward(first.y, false);
    loss = softmax_loss<small_batch>(last.y, labels, last.dy);
    last.backward_into(first);
    last.learn(first.y);
    first.learn(x);
  }
};

struct large_net {
  layer<large_batch, image, large_hidden> first;
  layer<large_batch, large_hidden, large_hidden> second;
  layer<large_batch, large_hidden, classes> last;
  float loss;
  explicit large_net(operands o) {
    first.start(o.in[2], o.in[3]), second.start(o.in[4], o.in[5]), last.start(o.in[6], o.in[7]);
  }
  void step(float const* images, std::int32_t const* labels) {
    Eigen::Map<matrix<large_batch, image> const, Eigen::Aligned64> const x(images);
    first.forward(x, true);
    second.forward(first.y, true);
    last.forward(second.y, false);
    loss = softmax_loss<large_batch>(last.y, labels, last.dy);
    last.backward_into(second);
    last.learn(second.y);
    second.backward_into(first);
    second.learn(first.y);
    first.learn(x);
  }
};

template <class Net>
work train(operands o) {
  auto const net = std::make_shared<Net>(o);
  return {repeated([=] { net->step(o.in[0], o.labels(1)); }), [=] {
            *o.out[0] = net->loss;
            std::copy_n(net->first.weight.data(), net->first.weight.size(), o.out[1]);
            std::copy_n(net->last.bias.data(), net->last.bias.size(), o.out[2]);
          }};
}

implementation const all[] = {{"train_mlp/784-128-10", "eigen", train<small_net>},
                              {"train_mlp/784-512-512-10", "eigen", train<large_net>}};

}  // namespace
