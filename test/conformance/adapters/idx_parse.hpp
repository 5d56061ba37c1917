// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <espalier/data/dataset.hpp>
#include <espalier/io/idx.hpp>
#include <vector>

#include "support/axes.hpp"

namespace conformance {

namespace detail {
/// Writes the given bytes to a file; false where that fails.
template <class Bytes>
bool write_bytes(char const* path, Bytes const& bytes) {
  std::FILE* const file = std::fopen(path, "wb");
  if (!file) return false;
  for (auto const byte : bytes) std::fputc(byte, file);
  return std::fclose(file) == 0;
}
}  // namespace detail

/// The bytes of an image and of a label file, read by data::dataset with pixels scaled by 1 / 255. The attribute
/// `sample` is the shape that the file's header says, since a data set's shape is compiled.
template <class Case, class T>
void check_idx_parse(case_run& run) {
  using Sample = shape_attribute<Case, "sample">;
  constexpr int pixels = static_cast<int>(Sample::size);
  auto const images =
      load<case_tensor<"image_bytes", element::label, shape_of<typename Case::inputs, "image_bytes">>, T>(run);
  auto const labels =
      load<case_tensor<"label_bytes", element::label, shape_of<typename Case::inputs, "label_bytes">>, T>(run);
  int const process = static_cast<int>(getpid());  // several may run in one folder
  joined const image_path = join("conformance_images_", process, ".idx"),
               label_path = join("conformance_labels_", process, ".idx");
  char const *const image_file = image_path.c_str(), *const label_file = label_path.c_str();
  if (!detail::write_bytes(image_file, images) || !detail::write_bytes(label_file, labels))
    return run.fail("cannot write a file in the working folder");
  esp::data::dataset<T, Sample> const set{image_file, label_file, {.classes = 10, .scale = 1.0 / 255}};
  std::remove(image_file);
  std::remove(label_file);

  int const count = static_cast<int>(set.size());
  std::vector<T> classes, norms;
  for (int i = 0; i < count; ++i) {
    double squares = 0;
    for (int k = 0; k < pixels; ++k)
      squares += static_cast<double>(set.image(i)[k]) * static_cast<double>(set.image(i)[k]);
    norms.push_back(static_cast<T>(std::sqrt(squares)));
    classes.push_back(static_cast<T>(set.label(i)));
  }
  run.result("X", std::span<T const>{set.all().images, static_cast<std::size_t>(count * pixels)},
             esp::extents{2, {count, pixels}});
  run.result("y", std::span<T const>{classes}, esp::extents{1, {count}});
  run.result("norm", std::span<T const>{norms}, esp::extents{1, {count}});
}

}  // namespace conformance
