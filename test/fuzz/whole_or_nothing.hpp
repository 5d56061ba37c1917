// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier.hpp>
#include <espalier/io/checkpoint.hpp>

#include "archives.hpp"

/// What any archive does to a model: all or nothing.
namespace fuzz {

namespace esp = espalier;
/// A small model with parameters, buffers and an optimizer that keeps a vector; the seeds are files of it.
class subject {
 public:
  using Net = esp::nn::Sequential<esp::nn::Linear<2, 3>, esp::nn::BatchNorm1d<3>>;
  esp::model<Net> model{esp::seed{1}};
  esp::optim::updater<esp::model<Net>, esp::optim::SGD<esp::optim::damped>> updater{
      model, esp::optim::SGD{.learning_rate = 0.1f, .momentum = esp::optim::damped{0.9f}}};

  /// Restores the model, with and without what trains it, strictly and not; again(arrays) writes arrays to a file and
  /// reads it.
  template <class Again>
  void restore(io::archive const& all, Again again) {
    attempt(all, io::load_options{}, again, updater);
    attempt(all, io::load_options{}, again);
    attempt(all, io::load_options{}.convert().finite().ignore("training/*").rename("a.*", "0.*").keep("1.*"), again);
  }

 private:
  template <class Again, class... TrainedBy>
  void attempt(io::archive const& all, io::load_options const& options, Again again, TrainedBy&... training) {
    std::vector<unsigned char> const before = bytes();
    bool rejected = false;
    try {
      io::restore(all, model, training..., options);
    } catch (io::mismatch_error const& error) {
      rejected = true;
      require(!error.disagreements().empty() && std::strlen(error.what()) > 0, "a refusal says why");
      require(bytes() == before, "a refused file changes no byte of a model");
    }
    if (rejected) return;
    io::snapshot const kept{model, training...};
    io::archive const saved = again(kept.arrays());
    io::archive const expected{"expected", kept.arrays(), {}, io::file_bytes{}};
    require(same(saved.arrays(), expected.arrays()), "what is saved comes back");
    if (!options.converts()) require(same(saved.arrays(), all.arrays()), "what was loaded is saved");
  }
  /// All that the model and the updater keep.
  std::vector<unsigned char> bytes() {
    std::vector<unsigned char> all;
    io::snapshot const kept{model, updater};
    for (auto const& a : kept.arrays()) all.insert(all.end(), a.data, a.data + a.bytes);
    return all;
  }
};

}  // namespace fuzz
