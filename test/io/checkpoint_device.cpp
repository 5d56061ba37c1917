// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_checkpoint_device
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/io/safetensors.hpp>
#include <espalier/simulated_cuda.hpp>
#include <espalier/simulated_cuda_parallel.hpp>

#include "support/temporary.hpp"

/// Models on a device with memory of its own, in files.
namespace esp = espalier;
namespace io = espalier::io;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

namespace {

using Net = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<8, 4>>;
using Batch = esp::batch<8, 6>;

template <class Trainer, class T>
void steps(Trainer& trainer, std::type_identity<T>, int from, int to) {
  for (int k = from; k < to; ++k) {
    esp::tensor<T, esp::shape<8, 6>> x;
    esp::tensor<std::int32_t, esp::shape<8>> y;
    for (int i = 0; i < 48; ++i) x.data()[i] = static_cast<T>(static_cast<float>((i * 7 + k * 5) % 16) * 0.125f - 1);
    for (int i = 0; i < 8; ++i) y.data()[i] = (i + k) % 4;
    trainer.step(x, y);
  }
}
template <class Model>
std::vector<float> numbers(Model& model) {
  std::vector<float> all;
  auto const add = [&](char const*, esp::extents const&, auto elements) {
    all.insert(all.end(), elements.begin(), elements.end());
  };
  model.for_each_parameter(add);
  model.for_each_buffer(add);
  return all;
}

template <class T, class Device = esp::simulated_cuda, class Optimizer>
void goes_on(Optimizer adam) {
  temporary::folder const folder;
  using Model = esp::model<Net, Device, T>;
  Model straight{esp::seed{5}}, first{esp::seed{5}}, second{esp::seed{6}};
  esp::trainer all{straight, nn::SoftmaxLoss{}, adam, Batch{}}, begun{first, nn::SoftmaxLoss{}, adam, Batch{}},
      rest{second, nn::SoftmaxLoss{}, adam, Batch{}};
  std::type_identity<T> const type;
  steps(all, type, 0, 6);
  steps(begun, type, 0, 3);
  io::save_safetensors(folder.path("half.safetensors"), first, begun);
  io::load_safetensors(folder.path("half.safetensors"), second, rest);
  BOOST_TEST((numbers(first) == numbers(second)));
  steps(rest, type, 3, 6);
  BOOST_TEST((numbers(straight) == numbers(second)));
  BOOST_TEST((io::read_safetensors(folder.path("half.safetensors")).find("0.weight")->kind == io::kind_of<T>));
}

}  // namespace

BOOST_AUTO_TEST_CASE(training_goes_on_with_the_same_bits) { goes_on<float>(optim::Adam{.learning_rate = 1e-2f}); }
/// The precise parameters are in the file, too: what 16 bits have no room for is not lost.
BOOST_AUTO_TEST_CASE(training_in_16_bits_goes_on_with_the_same_bits) {
  goes_on<esp::bfloat16>(optim::Adam{.learning_rate = 1e-2f});
}
/// The scale grows at the second and the fourth step: the file has it, and that one update has passed since.
BOOST_AUTO_TEST_CASE(scaled_training_in_half_goes_on_with_the_same_bits) {
  goes_on<esp::half>(optim::scale_loss{optim::Adam{.learning_rate = 1e-2f}, 256, 2, 0.5, 2});
}

BOOST_AUTO_TEST_CASE(training_on_two_devices_goes_on_with_the_same_bits) {
  goes_on<float, esp::simulated_cuda_parallel<2>>(
      optim::scale_loss{optim::Adam{.learning_rate = 1e-2f}, 256, 2, 0.5, 2});
}

BOOST_AUTO_TEST_CASE(from_one_device_to_another) {
  temporary::folder const folder;
  esp::model<Net, esp::simulated_cuda> on_device{esp::seed{1}};
  esp::model<Net> host_model{esp::seed{2}};
  io::save_safetensors(folder.path("net.safetensors"), on_device);
  io::load_safetensors(folder.path("net.safetensors"), host_model);
  BOOST_TEST((numbers(host_model) == numbers(on_device)));
  // A model in float takes numbers of 16 bits where that is said.
  esp::model<Net, esp::simulated_cuda, esp::half> narrow{esp::seed{3}};
  io::save_safetensors(folder.path("narrow.safetensors"), narrow);
  BOOST_CHECK_THROW(io::load_safetensors(folder.path("narrow.safetensors"), host_model), io::mismatch_error);
  BOOST_TEST((numbers(host_model) == numbers(on_device)));
  io::load_safetensors(folder.path("narrow.safetensors"), host_model, io::load_options{}.convert());
  BOOST_TEST((numbers(host_model) == numbers(narrow)));
}
