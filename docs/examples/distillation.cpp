// SPDX-License-Identifier: BSL-1.0
// Distillation: a small net learns from the probabilities of a large one. It sees no labels at all.
#include <espalier.hpp>
#include <espalier/data/loader.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace data = espalier::data;

using Teacher = nn::Sequential<nn::Flatten, nn::Linear<64, 256>, nn::BatchNorm1d<256>, nn::ReLU, nn::Linear<256, 10>>;
using Student = nn::Sequential<nn::Flatten, nn::Linear<64, 16>, nn::Tanh, nn::Linear<16, 10>>;
using batch = esp::batch<60, 8, 8>;

// A temperature above 1 shows which wrong answers the teacher finds more likely than others. The gradients of the
// softened loss are smaller by its square.
constexpr float temperature = 3;
inline constexpr auto distillation_loss = [](auto student, auto teacher, auto x) {
  auto const wanted = softmax(evaluate(teacher, x) / temperature);
  return -temperature * temperature * mean(sum<-1>(wanted * log_softmax(student(x) / temperature)));
};
inline constexpr auto train = [](auto student, auto optimizer, auto teacher, auto x) {
  auto const [loss, gradients] = esp::value_and_grad<0>(distillation_loss)(student, teacher, x);
  optimizer.update(student, gradients);
  return loss;
};

int main() {
  data::dataset<float, esp::shape<8, 8>> const digits{ESPALIER_DATA "/optdigits-images-idx3-ubyte",
                                                      ESPALIER_DATA "/optdigits-labels-idx1-ubyte",
                                                      {.classes = 10, .scale = 1.0 / 16}};
  auto const [training, test] = digits.split(1437);
  data::loader batches{training, batch{}, data::shuffled{0}, data::drop_last};
  esp::model<Teacher> teacher{esp::seed{0}};
  esp::trainer teacher_trainer{teacher, nn::SoftmaxLoss{}, esp::optim::Adam{.learning_rate = 2e-3f}, batch{}};
  for (int epoch = 0; epoch < 15; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) teacher_trainer.step(images, labels);

  esp::model<Student> student{esp::seed{1}};
  esp::optim::updater optimizer{student, esp::optim::Adam{.learning_rate = 2e-3f}};
  esp::tensor<float, esp::shape<60, 8, 8>> x;
  esp::tensor<float, esp::shape<>> loss;
  esp::compiled step{train, student, optimizer, esp::constant(teacher), x};
  for (int epoch = 0; epoch < 60; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) step(images, loss);

  data::loader test_batches{test, batch{}, data::in_order{}, data::drop_last};
  int of_teacher = 0, of_student = 0;
  for (auto const& [images, labels] : test_batches.epoch(0)) {
    of_teacher += static_cast<int>(teacher_trainer.evaluate(images, labels).correct);
    auto const answers = argmax<1>(student(images));
    for (int i = 0; i < 60; ++i) of_student += answers[i] == labels[i] ? 1 : 0;
  }
  std::printf("teacher: %d of 360 right, %d parameters\n", of_teacher, static_cast<int>(teacher.parameters().size()));
  std::printf("student: %d of 360 right, %d parameters\n", of_student, static_cast<int>(student.parameters().size()));
  return of_teacher > 320 && of_student > 305 ? 0 : 1;
}
