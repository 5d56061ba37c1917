// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "../io/cifar10.hpp"
#include "dataset.hpp"

ESPALIER_HEADER_INCLUDED(cifar10);

namespace espalier::data {

/// Named relation: the images of CIFAR-10 are colour planes as in the file, or the channels come last.
template <class Sample>
struct cifar10_sample {
  static constexpr bool agree = std::is_same_v<Sample, shape<3, 32, 32>> || std::is_same_v<Sample, shape<32, 32, 3>>;
};

/// cifar10(reading, files...): reads CIFAR-10's binary files, in their order, into one data set. A pixel's byte becomes
/// byte * scale + shift.
///     auto const train = data::cifar10({.scale = 1.0 / 255}, "data_batch_1.bin", "data_batch_2.bin");
/// shape   shape<3, 32, 32> as in the files; cifar10<float, shape<32, 32, 3>> puts the channels last
/// errors  as io::read_cifar10; value_error for a scale or shift that makes infinities or nan
template <class T = float, class Sample = shape<3, 32, 32>, class... Path>
dataset<T, Sample> cifar10(reading options, Path... files) {
  static_assert(cifar10_sample<Sample>::agree,
                ESPALIER_SENTENCE("data::cifar10<T, Sample>: Sample is shape<3, 32, 32> or shape<32, 32, 3>",
                                  cifar10_sample<Sample>));
  constexpr std::int64_t plane = 32 * 32;
  io::cifar10_records const records = io::read_cifar10(files...);
  io::owned<T> images{records.count() * io::cifar10_records::pixel_count};
  io::owned<std::int32_t> labels{records.count()};
  T scaled[256];
  detail::scale_bytes(options, scaled);
  for (std::int64_t at = 0; at < records.count(); ++at) {
    labels[at] = records.label(at);
    T* const to = images.data() + at * io::cifar10_records::pixel_count;
    for (std::int64_t colour = 0; colour < 3; ++colour)
      for (std::int64_t pixel = 0; pixel < plane; ++pixel)
        to[Sample::value.at[0] == 3 ? colour * plane + pixel : pixel * 3 + colour] =
            scaled[records.pixels(at)[colour * plane + pixel]];
  }
  return {static_cast<io::owned<T>&&>(images), static_cast<io::owned<std::int32_t>&&>(labels)};
}

}  // namespace espalier::data
#include "../base/diagnostics_pop.hpp"
