// SPDX-License-Identifier: BSL-1.0
// Data and files: an idx file is read, a model and its training are saved, loaded and continued, and a file is replaced
// as a whole or not at all.
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/io/csv.hpp>
#include <espalier/io/npy.hpp>
#include <espalier/io/safetensors.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "expect.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace io = espalier::io;
namespace data = espalier::data;

using Net = nn::Sequential<nn::Linear<4, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<8, 3>>;
using batch = esp::batch<6, 4>;
using Trainer = esp::trainer<esp::model<Net>, nn::SoftmaxLoss, esp::optim::Adam, batch>;

static void write(char const* path, void const* bytes, std::size_t size) {
  io::atomic_file file{path};
  file.write(bytes, size);
  file.commit();
}
static std::string read(char const* path) {
  io::file_bytes const bytes = io::read_bytes(path);
  return {reinterpret_cast<char const*>(bytes.data()), static_cast<std::size_t>(bytes.size())};
}

/// Text with a carriage return, a line feed and the byte 26, which Windows changes in files of text.
static void replace_files(everywhere::report& to) {
  std::string const text = "first\r\nsecond\n\x1a the end", other = "another";
  write("everywhere.bin", text.data(), text.size());
  to.check(read("everywhere.bin") == text, "bytes are written and read as they are");
  write("everywhere.bin", other.data(), other.size());
  to.check(read("everywhere.bin") == other, "a file is replaced");
  {
    io::atomic_file file{"everywhere.bin"};
    file.write(text.data(), text.size());
  }
  to.check(read("everywhere.bin") == other, "without commit() it is not");
  std::string told;
  try {
    write("no_such_folder/everywhere.bin", text.data(), text.size());
  } catch (io::write_error const& error) {
    told = error.what();
  }
  to.check(told.rfind("no_such_folder/everywhere.bin: cannot be written: No such file or directory", 0) == 0,
           "a folder that is missing");
  try {
    told = read(".");
  } catch (io::format_error const& error) {
    told = error.what();
  }
  to.check(told == ".: expected a file, got: Is a directory", "a folder is no file");
}

static void fill(esp::tensor<float, batch>& x, esp::tensor<std::int32_t, esp::shape<6>>& y, int step) {
  for (int i = 0; i < 24; ++i) x.data()[i] = static_cast<float>((i * 7 + step * 5) % 13) / 6 - 1;
  for (int i = 0; i < 6; ++i) y.data()[i] = (i + step) % 3;
}

static void resume(everywhere::report& to) {
  esp::model<Net> model{esp::seed{3}}, other{esp::seed{4}};
  Trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{.learning_rate = 1e-2f}, batch{}};
  esp::tensor<float, batch> x;
  esp::tensor<std::int32_t, esp::shape<6>> y;
  for (int step = 0; step < 10; ++step) {
    fill(x, y, step);
    trainer.step(x, y);
  }
  io::save_safetensors("everywhere.safetensors", model, trainer);
  Trainer again{other, nn::SoftmaxLoss{}, esp::optim::Adam{.learning_rate = 1e-2f}, batch{}};
  io::load_safetensors("everywhere.safetensors", other, again);
  bool same = true;
  for (int step = 10; step < 20; ++step) {
    fill(x, y, step);
    float const one = trainer.step(x, y), two = again.step(x, y);
    same = same && std::memcmp(&one, &two, sizeof one) == 0;
  }
  to.check(same, "a training continues with the same bits");
}

static void read_data(everywhere::report& to) {
  unsigned char const images[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 16, 26, 13, 10, 255, 4, 8};
  unsigned char const labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 1, 0};
  write("everywhere_images", images, sizeof images);
  write("everywhere_labels", labels, sizeof labels);
  data::dataset<float, esp::shape<2, 2>> const read{"everywhere_images", "everywhere_labels", {.classes = 2}};
  data::loader batches{read, esp::batch<2, 2, 2>{}, data::in_order{}, data::drop_last};
  float sum = 0;
  int count = 0;
  for (auto const& [x, y] : batches.epoch(0)) {
    for (int i = 0; i < 8; ++i) sum += x.data()[i];
    count += y.data()[0] + 10 * y.data()[1];
  }
  to.check(sum == 332 && count == 1, "idx files are read");
  char const table[] = "a,b\r\n1.5,2\r\n-3,4\r\n";
  write("everywhere.csv", table, sizeof table - 1);
  io::csv_table const csv = io::read_csv("everywhere.csv", {.header = true});
  to.check(csv.rows() == 2, "a csv file is read");
}

int main() {
  everywhere::report to;
  replace_files(to);
  resume(to);
  read_data(to);
  return to.finish();
}
