// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/io/owned.hpp>

#include "arguments.hpp"

namespace examples {

/// What one epoch gave.
struct epoch_result {
  double loss, train_accuracy, test_accuracy, samples_per_second;
};

/// A learning curve: a CSV file that grows with every epoch, and a picture of it in the end.
class curve {
 public:
  /// first  how many epochs an earlier run did
  curve(char const* folder, char const* name, int epochs, int first = 0)
      : csv_{folder, name, "_curve.csv"}, svg_{folder, name, "_curve.svg"}, rows_{epochs}, first_{first} {
    file_ = open(csv_.text);
    std::fputs("epoch,loss,train_accuracy,test_accuracy,samples_per_second\n", file_);
  }
  curve(curve const&) = delete;
  curve& operator=(curve const&) = delete;
  ~curve() { std::fclose(file_); }

  void add(epoch_result const& row) {
    rows_[count_++] = row;
    std::fprintf(file_, "%d,%.6f,%.4f,%.4f,%.0f\n", first_ + count_, row.loss, row.train_accuracy, row.test_accuracy,
                 row.samples_per_second);
    if (std::fflush(file_) != 0)
      io::throw_error<io::error>("%s: cannot be written: %s", csv_.text, std::strerror(errno));
  }

  void draw() const {
    std::FILE* const file = open(svg_.text);
    std::fputs(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 640 480' font-family='sans-serif' font-size='12'>\n"
        "<rect width='640' height='480' fill='white'/>\n",
        file);
    double highest = 0, lowest = 1;
    for (int i = 0; i < count_; ++i) {
      highest = rows_[i].loss > highest ? rows_[i].loss : highest;
      lowest = rows_[i].train_accuracy < lowest ? rows_[i].train_accuracy : lowest;
      lowest = rows_[i].test_accuracy < lowest ? rows_[i].test_accuracy : lowest;
    }
    lowest = static_cast<int>(lowest * 10) / 10.0;
    axes(file, 30, 0, highest, "loss (training)");
    line(file, 30, 0, highest, &epoch_result::loss, "#c03028");
    axes(file, 260, lowest, 1, "accuracy: training (dashed), test");
    line(file, 260, lowest, 1, &epoch_result::train_accuracy, "#3060c0", "5 4");
    line(file, 260, lowest, 1, &epoch_result::test_accuracy, "#3060c0");
    std::fprintf(file, "<text x='340' y='472' text-anchor='middle'>epoch (%d to %d)</text>\n</svg>\n", first_ + 1,
                 first_ + count_);
    if (std::fclose(file) != 0)
      io::throw_error<io::error>("%s: cannot be written: %s", svg_.text, std::strerror(errno));
  }

  [[nodiscard]] char const* csv() const { return csv_.text; }
  [[nodiscard]] char const* svg() const { return svg_.text; }

 private:
  static constexpr int left = 60, width = 560, height = 180;

  static std::FILE* open(char const* name) {
    std::FILE* const file = std::fopen(name, "w");
    if (file == nullptr) io::throw_error<io::error>("%s: cannot be written: %s", name, std::strerror(errno));
    return file;
  }
  static void axes(std::FILE* file, int top, double low, double high, char const* title) {
    std::fprintf(file, "<text x='%d' y='%d' font-weight='bold'>%s</text>\n", left, top - 8, title);
    for (int tick = 0; tick <= 4; ++tick) {
      double const y = top + height * (1 - tick / 4.0);
      std::fprintf(file, "<path d='M%d %.1fh%d' stroke='#ddd'/><text x='%d' y='%.1f' text-anchor='end'>%.3g</text>\n",
                   left, y, width, left - 6, y + 4, low + (high - low) * tick / 4.0);
    }
  }
  void line(std::FILE* file, int top, double low, double high, double epoch_result::*what, char const* colour,
            char const* dashes = "none") const {
    std::fprintf(file, "<polyline fill='none' stroke-width='2' stroke='%s' stroke-dasharray='%s' points='", colour,
                 dashes);
    for (int i = 0; i < count_; ++i) {
      double const share = high > low ? (rows_[i].*what - low) / (high - low) : 0;
      std::fprintf(file, "%.1f,%.1f ", left + (count_ > 1 ? width * i / (count_ - 1.0) : width / 2.0),
                   top + height * (1 - share));
    }
    std::fputs("'/>\n", file);
  }

  path csv_, svg_;
  io::owned<epoch_result> rows_;
  std::FILE* file_ = nullptr;
  int first_, count_ = 0;
};

}  // namespace examples
