// SPDX-License-Identifier: BSL-1.0
// With threads, too, nothing is allocated after construction, and with bytes that the user gives nothing at all.
// (Threads' stacks are the system's.)
#define BOOST_TEST_MODULE allocation_parallel
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/parallel.hpp>

#include "support/allocation_counter.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;
using espalier_test::allocations;

namespace {
// Large enough that products, rows and the update are cut into parts.
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 512>, nn::LayerNorm1d<512>, nn::ReLU, nn::Dropout<0.3>,
                           nn::Linear<512, 512>, nn::ReLU, nn::Linear<512, 10>>;
using batch = esp::batch<192, 8, 8>;
using device = esp::cpu_parallel<3>;
using model_type = esp::model<Net, device>;
using trainer_type = esp::trainer<model_type, nn::SoftmaxLoss, optim::Adam, batch>;
using predictor_type = esp::predictor<model_type, batch>;

tensor<float, batch> images;
tensor<std::int32_t, shape<192>> labels;
tensor<float, shape<192, 10>> scores;

template <class Trainer, class Predictor>
float run(Trainer& trainer, Predictor& predict) {
  float loss = 0;
  for (int step = 0; step < 3; ++step) {
    loss += trainer.step(images, labels);
    predict(images, scores);
  }
  return loss;
}

esp::bytes<model_type::bytes> model_room;
esp::bytes<trainer_type::bytes> trainer_room;
esp::bytes<predictor_type::bytes> predictor_room;

struct rows_and_product {
  constexpr auto operator()(auto x, auto w) const { return std::tuple{sum<1>(x), matmul(x, w)}; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(nothing_after_construction) {
  model_type model{esp::seed{1}};
  trainer_type trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, batch{}};
  predictor_type predict{model, batch{}};
  long const before = allocations();
  float const loss = run(trainer, predict);
  BOOST_TEST(allocations() == before);
  BOOST_TEST(loss > 0);
}
BOOST_AUTO_TEST_CASE(nothing_from_construction_on_with_user_storage) {
  long const before = allocations();
  float loss = 0;
  {
    model_type model{esp::seed{1}, model_room};
    trainer_type trainer{trainer_room, model, nn::SoftmaxLoss{}, optim::Adam{}, batch{}};
    predictor_type predict{model, batch{}, predictor_room};
    loss = run(trainer, predict);
  }
  BOOST_TEST(allocations() == before);
  BOOST_TEST(loss > 0);
}
BOOST_AUTO_TEST_CASE(nothing_in_a_compiled_function) {
  static tensor<float, shape<400, 300>> x;
  static tensor<float, shape<300, 130>> w;
  static tensor<float, shape<400>> rows;
  static tensor<float, shape<400, 130>> product;
  esp::compiled compute{device{}, rows_and_product{}, x, w};
  long const before = allocations();
  compute(x, w, rows, product);
  BOOST_TEST(allocations() == before);
}
