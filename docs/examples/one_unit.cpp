// SPDX-License-Identifier: BSL-1.0
// A program that trains a net without compiling one: it sees tensors and a class with two functions.
#include "one_unit.hpp"

#include <cstdio>

int main() {
  one_unit::samples x;
  one_unit::labels y;
  for (int i = 0; i < 16; ++i) {
    for (int k = 0; k < 4; ++k) x(i, k) = static_cast<float>((7 * i + 3 * k) % 11) / 11;
    y(i) = x(i, 0) + x(i, 1) > x(i, 2) + x(i, 3) ? 1 : 0;
  }
  one_unit::learner learner{0};
  float first = 0, last = 0;
  for (int step = 0; step < 300; ++step) last = learner.step(x, y), first = step == 0 ? last : first;

  one_unit::scores scores;
  learner.predict(x, scores);
  int correct = 0;
  for (int i = 0; i < 16; ++i) correct += (scores(i, 1) > scores(i, 0)) == (y(i) == 1);
  std::printf("the loss fell %s; %d of 16 samples are told apart\n",
              last < first / 10 ? "to less than a tenth" : "too little", correct);
  return correct == 16 && last < first / 10 ? 0 : 1;
}
