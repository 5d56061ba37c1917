// SPDX-License-Identifier: BSL-1.0
// Kernels along rows of every length, few rows and tall columns: those of clusters of blocks and those that sweep a row
// in pieces among them. Value and gradients against the processor.
#define BOOST_TEST_MODULE cuda_rows
#include "device/cuda/every_op.hpp"

using namespace every_op;

namespace {

constexpr auto layer_norm = [](auto x, auto weight, auto bias) { return esp::normalize<-1>(x, 1e-5) * weight + bias; };
// A square, so that the terms of weight's gradient do not cancel.
constexpr auto batch_norm = [](auto x, auto weight, auto bias) {
  auto const y = esp::normalize<0>(x, 1e-5) * weight;
  return y * y + bias;
};

template <int Rows, int Columns>
std::string name_of(char const* what) {
  return std::string(what) + " of " + std::to_string(Rows) + "x" + std::to_string(Columns);
}
template <int Rows, int Columns>
void check_layer_norm() {
  check<double>(name_of<Rows, Columns>("layer_norm").c_str(), layer_norm, random_tensor<Rows, Columns>(1),
                random_tensor<Columns>(2, 0.5, 1.5), random_tensor<Columns>(3, -1, 1));
}
template <int Rows, int Columns>
void check_batch_norm() {
  check<double>(name_of<Rows, Columns>("batch_norm").c_str(), batch_norm, random_tensor<Rows, Columns>(1),
                random_tensor<Columns>(2, 0.5, 1.5), random_tensor<Columns>(3, -1, 1));
}
template <int Rows, int Classes>
void check_cross_entropy() {
  check<double>(
      name_of<Rows, Classes>("cross_entropy").c_str(),
      [](auto scores, auto classes) { return cross_entropy(scores, classes); }, random_tensor<Rows, Classes>(1),
      labels<Rows>(2, Classes));
}
template <int Rows, int Columns>
void check_softmax() {
  check<double>(
      name_of<Rows, Columns>("softmax").c_str(), [](auto x) { return softmax(x); }, random_tensor<Rows, Columns>(1));
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_of_a_block) {
  check_layer_norm<300, 64>();
  check_layer_norm<40, 1023>();
  check_layer_norm<64, 4096>();
}
BOOST_AUTO_TEST_CASE(rows_of_a_cluster) {
  check_layer_norm<3, 8192>();
  check_layer_norm<3, 16383>();
  check_layer_norm<5, 32768>();
  check_cross_entropy<300, 8192>();
  check_cross_entropy<3, 32768>();
}
BOOST_AUTO_TEST_CASE(rows_in_pieces) {
  check_layer_norm<2, 70'001>();
  check_layer_norm<2, 131'072>();
  check_layer_norm<1, 262'144>();
  check_cross_entropy<2, 131'072>();
  check_softmax<2, 131'072>();
}
BOOST_AUTO_TEST_CASE(few_rows) {
  check_layer_norm<66, 2048>();
  check_cross_entropy<7, 2048>();
  check_softmax<1, 33>();
}
BOOST_AUTO_TEST_CASE(tall_columns) {
  check_batch_norm<20'000, 5>();
  check_batch_norm<4096, 256>();
  check_batch_norm<1025, 33>();
}
BOOST_AUTO_TEST_CASE(all_of_many) {
  check<double>(
      "sum of 2^20", [](auto x) { return sum(x * x) / 1024; }, random_tensor<1 << 20>(1));
  check<double>(
      "max of 3x2^18", [](auto x) { return esp::max<1>(x); }, random_tensor<3, (1 << 18)>(1));
}
