// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <time.h>

#include "curve.hpp"

namespace examples {

inline double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The share of the samples of a padded loader that the trainer's model classifies correctly, in evaluation mode.
template <class Trainer, class Loader>
double accuracy(Trainer& trainer, Loader& samples) {
  double correct = 0;
  for (auto const& [images, labels, count] : samples.epoch(0))
    correct += static_cast<double>(trainer.evaluate(images, labels, count).correct);
  return correct / static_cast<double>(samples.samples_per_epoch());
}

/// Trains until the chosen epochs are done: those that a loaded trainer has behind it count. Prints a line per epoch,
/// writes the learning curve of this run, and prints how long training took (its steps, with shuffling and gathering;
/// evaluation not counted) and the test accuracy.
template <class Trainer, class Training, class Evaluation>
void train(Trainer& trainer, Training& training, Evaluation& train_samples, Evaluation& test_samples,
           arguments const& chosen) {
  int const first = static_cast<int>(trainer.steps() / training.batches());
  if (first >= chosen.epochs) {
    std::printf("%d epochs are done already\ntest accuracy: %.4f\n", first, accuracy(trainer, test_samples));
    return;
  }
  curve learned{chosen.out, chosen.program, chosen.epochs, first};
  double const begin = seconds_now();
  double spent = 0;
  epoch_result result{};
  for (int epoch = first; epoch < chosen.epochs; ++epoch) {
    double loss = 0;
    double const start = seconds_now();
    for (auto const& [images, labels] : training.epoch(epoch))
      loss += static_cast<double>(trainer.step(images, labels));
    double const elapsed = seconds_now() - start;
    spent += elapsed;
    result = {loss / static_cast<double>(training.batches()), accuracy(trainer, train_samples),
              accuracy(trainer, test_samples), static_cast<double>(training.samples_per_epoch()) / elapsed};
    learned.add(result);
    std::printf("epoch %3d/%d  loss %.4f  accuracy %.4f  test %.4f  %8.0f samples/s  %.1f s left\n", epoch + 1,
                chosen.epochs, result.loss, result.train_accuracy, result.test_accuracy, result.samples_per_second,
                (seconds_now() - begin) / (epoch + 1 - first) * (chosen.epochs - epoch - 1));
    std::fflush(stdout);
  }
  learned.draw();
  std::printf("learning curve: %s, %s\n", learned.csv(), learned.svg());
  std::printf("training took %.4f s (%s)\ntest accuracy: %.4f\n", spent, espalier::build_mode, result.test_accuracy);
}

}  // namespace examples
