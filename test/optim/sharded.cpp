// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE optim_sharded
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/distributed.hpp>
#include <espalier/parallel.hpp>

#include "support/thread_processes.hpp"

namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace esp = espalier;

namespace {

// Parts of several sizes: lines, blocks of 1024 elements, and a bias of 5.
using net =
    nn::Sequential<nn::Linear<12, 300>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<300, 33>, nn::Tanh, nn::Linear<33, 5>>;

template <int N>
struct samples {
  esp::tensor<float, esp::shape<N, 12>> images;
  esp::tensor<std::int32_t, esp::shape<N>> labels;
  explicit samples(int first) {
    for (int i = 0; i < N; ++i) {
      labels.data()[i] = ((first + i) * 7 + 3) % 5;
      for (int j = 0; j < 12; ++j)
        images.data()[i * 12 + j] = static_cast<float>(((first + i) * 12 + j) * 7919 % 1000) / 500.0f - 1;
    }
  }
};

struct result {
  std::vector<float> parameters, losses;
};
template <class Device, class Optimizer>
std::vector<result> train(int count, int steps, Optimizer optimizer) {
  std::vector<result> r(static_cast<std::size_t>(count));
  auto const errors = test::as_processes(count, [&](test::thread_process& all) {
    esp::model<net, Device> model{esp::seed{5}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer, esp::batch<6, 12>{}};
    auto& own = r[static_cast<std::size_t>(all.rank())];
    for (int s = 0; s < steps; ++s) {
      samples<6> const batch{(s * all.size() + all.rank()) * 6};
      own.losses.push_back(trainer.step(batch.images, batch.labels));
    }
    own.parameters.assign(model.parameters().begin(), model.parameters().end());
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  return r;
}
template <class Device, class Optimizer>
void check_same_bits(Optimizer optimizer) {
  for (int count : {1, 2, 3, 4}) {
    auto const whole = train<Device>(count, 5, optimizer);
    auto const sharded = train<Device>(count, 5, optim::sharded{optimizer});
    for (std::size_t k = 0; k < whole.size(); ++k) {
      BOOST_TEST(sharded[k].parameters == whole[k].parameters);
      BOOST_TEST(sharded[k].losses == whole[k].losses);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(same_bits_with_adam) {
  check_same_bits<esp::distributed<esp::cpu, 4096>>(optim::Adam{.learning_rate = 0.01, .weight_decay = 0.01});
}
BOOST_AUTO_TEST_CASE(same_bits_with_every_optimizer) {
  using device = esp::distributed<>;
  check_same_bits<device>(optim::SGD{.learning_rate = 0.1, .weight_decay = 0.01});
  check_same_bits<device>(optim::SGD{.learning_rate = 0.1, .momentum = optim::heavy_ball{}});
  check_same_bits<device>(optim::SGD{.learning_rate = 0.1, .momentum = optim::nesterov{}});
  check_same_bits<device>(optim::RMSProp{.learning_rate = 0.01});
  check_same_bits<device>(optim::AdamW{.learning_rate = 0.01, .weight_decay = 0.1});
}
BOOST_AUTO_TEST_CASE(same_bits_with_wrappers) {
  using device = esp::distributed<esp::cpu, 256>;
  check_same_bits<device>(optim::clip_by_value{optim::Adam{.learning_rate = 0.01}, 0.01});
  check_same_bits<device>(optim::penalized{optim::SGD{.learning_rate = 0.1}, 1e-3, 1e-2, true});
  check_same_bits<device>(optim::decay_only<optim::weights>(optim::AdamW{.learning_rate = 0.01, .weight_decay = 0.5}));
}
BOOST_AUTO_TEST_CASE(same_bits_with_threads) {
  check_same_bits<esp::distributed<esp::cpu_parallel<2>>>(optim::Adam{.learning_rate = 0.01});
}

// What the plan states for each process is what it allocates, and the sum is that of one process.
BOOST_AUTO_TEST_CASE(bytes_of_each_process) {
  using model_type = esp::model<net, esp::distributed<esp::cpu, 4096>>;
  using sharded = esp::trainer<model_type, nn::SoftmaxLoss, optim::sharded<optim::Adam>, esp::batch<6, 12>>;
  using whole = esp::trainer<model_type, nn::SoftmaxLoss, optim::Adam, esp::batch<6, 12>>;
  static_assert(sharded::bytes + whole::optimizer_bytes == whole::bytes);
  static_assert(sharded::optimizer_bytes(1, 0) == whole::optimizer_bytes);
  for (int count : {1, 2, 3, 4, 7}) {
    std::vector<std::size_t> allocated(static_cast<std::size_t>(count));
    auto const errors = test::as_processes(count, [&](test::thread_process& all) {
      model_type model{esp::seed{5}, all};
      esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::sharded{optim::Adam{}}, esp::batch<6, 12>{}};
      static_assert(std::is_same_v<decltype(trainer), sharded>);
      allocated[static_cast<std::size_t>(all.rank())] =
          static_cast<std::size_t>(trainer.states().size()) * sizeof(float);
    });
    for (auto const& e : errors) BOOST_TEST(e == "");
    std::size_t sum = 0;
    for (int k = 0; k < count; ++k) {
      std::size_t const stated = sharded::optimizer_bytes(count, k),
                        ideal = whole::optimizer_bytes / static_cast<std::size_t>(count);
      BOOST_TEST(allocated[static_cast<std::size_t>(k)] == stated);
      BOOST_TEST(stated <= ideal + 4 * 2 * 64);  // 4 ranges, 2 states, a line
      BOOST_TEST(stated + 4 * 2 * 64 >= ideal);
      sum += stated;
    }
    BOOST_TEST(sum == whole::optimizer_bytes);
    BOOST_TEST_MESSAGE(count << " processes: " << sharded::optimizer_bytes(count, 0)
                             << " bytes of states each, instead of " << whole::optimizer_bytes);
  }
}
