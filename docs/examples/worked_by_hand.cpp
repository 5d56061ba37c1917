// SPDX-License-Identifier: BSL-1.0
// Examples that explanations of normalisation work by hand, checked at compile time and printed.
//   worked_by_hand [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>

#include "support/recorded.hpp"

namespace esp = espalier;
using esp::shape;
template <int... N>
using numbers = esp::tensor<double, shape<N...>>;

// 4, 6, 8, 10 in a batch of one feature: mean 7, standard deviation 2.236; gain 2, without and with the announced shift
// of -1.
constexpr numbers<4, 1> batch{{4}, {6}, {8}, {10}};
constexpr numbers<1, 1> mean_of_batch = mean<0>(batch, esp::keepdims);
constexpr numbers<1, 1> deviation = sqrt(mean<0>(square(batch - mean_of_batch), esp::keepdims));
constexpr numbers<4, 1> doubled = esp::normalize<0>(batch, 0.0) * 2, shifted = doubled - 1;
static_assert(mean_of_batch[0] == 7 && esp::is_close(deviation[0], 2.2360679775, 1e-10));
static_assert(all_close(doubled, numbers<4, 1>{{-2.6832815730}, {-0.8944271910}, {0.8944271910}, {2.6832815730}},
                        1e-9));
static_assert(all_close(shifted, numbers<4, 1>{{-3.6832815730}, {-1.8944271910}, {-0.1055728090}, {1.6832815730}},
                        1e-9));

// 1, 3, 5, 7: mean 4, variance 5.   1, 2, 5: mean 8/3, variance 26/9, with 0.001 inside the root.
constexpr numbers<1, 4> odd = esp::normalize<-1>(numbers<1, 4>{{1, 3, 5, 7}}, 0.0);
constexpr numbers<1, 3> three = esp::normalize<-1>(numbers<1, 3>{{1, 2, 5}}, 0.001);
static_assert(all_close(odd, numbers<1, 4>{{-1.3416407865, -0.4472135955, 0.4472135955, 1.3416407865}}, 1e-9));
static_assert(all_close(three, numbers<1, 3>{{-0.9804110039, -0.3921644015, 1.3725754054}}, 1e-9));

// [activated]
// 1 to 5 have the variance 2. A gain of 2 and a bias of 1, then ReLU: normalised values below -1/2 become 0.
constexpr numbers<1, 5> activated = relu(
    esp::normalize<-1>(numbers<1, 5>{{1, 2, 3, 4, 5}}, 0.0) * numbers<5>{2, 2, 2, 2, 2} + numbers<5>{1, 1, 1, 1, 1});
static_assert(all_close(activated, numbers<1, 5>{{0, 0, 1, 2.4142135624, 3.8284271247}}, 1e-9));
// [/activated]

// [features]
// Three features as rows, four examples as columns: here BatchNorm has one mean for each row. The second row has the
// variance 0, and epsilon prevents 0 / 0.
constexpr numbers<3, 4> features{{1, 2, 3, 4}, {2, 2, 2, 2}, {5, 6, 7, 8}};
constexpr numbers<3, 4> of_rows = esp::normalize<1>(features, 1e-5);
static_assert(evaluate(mean<1>(features)) == numbers<3>{2.5, 2, 6.5} &&
              all_close(evaluate(transpose(of_rows)), evaluate(esp::normalize<0>(transpose(features), 1e-5))));
// [/features]

// Row means of 1 to 12, made a column by reshape to (-1, 1), and taken off by broadcasting.
constexpr numbers<3, 4> matrix{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
constexpr numbers<3, 1> column = esp::reshape<-1, 1>(mean<1>(matrix));
constexpr numbers<3, 4> centred = matrix - column;
static_assert(column == numbers<3, 1>{{2.5}, {6.5}, {10.5}} && evaluate(mean<1>(centred)) == numbers<3>{});

int main(int count, char** words) {
  examples::recorded out;
  auto const print = [&](char const* title, auto const& x) {
    out.print("%-37s", title);
    for (double const element : x) out.print(" %6.3f", element + 0.0);
    out.print("\n");
  };
  print("4 6 8 10: mean", mean_of_batch), print("deviation", deviation), print("normalized, gain 2", doubled),
      print("and shift -1", shifted);
  print("1 3 5 7", odd), print("1 2 5, epsilon 0.001", three), print("1 2 3 4 5, gain 2, bias 1, ReLU", activated);
  print("3x4 batch, features as rows", of_rows), print("row means of 1 to 12, reshaped (-1,1)", column),
      print("taken off", centred);
  return out.finish(count, words);
}
