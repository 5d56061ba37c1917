// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace examples {

/// The samples of a sound, one channel.
struct sound {
  int rate = 48000;
  std::vector<float> samples;
};

/// Reads a wav file with samples of 16 bits or floats; of several channels the first one.
inline sound read_wav(char const* path) {
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) throw std::runtime_error(std::string{path} + ": expected a file");
  std::vector<unsigned char> bytes;
  unsigned char part[65536];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, file)) > 0;) bytes.insert(bytes.end(), part, part + n);
  std::fclose(file);
  auto const number = [&](std::size_t at, unsigned size) {
    std::uint32_t r = 0;
    for (unsigned i = 0; i < size; ++i) r |= static_cast<std::uint32_t>(bytes[at + i]) << (8 * i);
    return r;
  };
  auto const fail = [&](char const* expected) {
    throw std::runtime_error(std::string{path} + ": expected " + expected);
  };
  if (bytes.size() < 12 || std::memcmp(bytes.data(), "RIFF", 4) != 0 || std::memcmp(bytes.data() + 8, "WAVE", 4) != 0)
    fail("a wav file");
  sound r;
  std::uint32_t kind = 0, channels = 0, bits = 0;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    std::size_t const size = number(at + 4, 4), begin = at + 8;
    if (size > bytes.size() - begin) fail("a complete wav file");
    if (std::memcmp(&bytes[at], "fmt ", 4) == 0 && size >= 16) {
      kind = number(begin, 2), channels = number(begin + 2, 2), bits = number(begin + 14, 2);
      r.rate = static_cast<int>(number(begin + 4, 4));
    } else if (std::memcmp(&bytes[at], "data", 4) == 0) {
      bool const is_float = kind == 3 && bits == 32;
      if (channels == 0 || !(is_float || (kind == 1 && bits == 16))) fail("samples of 16 bits or floats");
      std::size_t const frame = channels * bits / 8;
      for (std::size_t i = begin; i + frame <= begin + size; i += frame) {
        float x;
        std::uint32_t const word = number(i, bits / 8);
        if (is_float) std::memcpy(&x, &word, 4);
        else x = static_cast<float>(static_cast<std::int16_t>(word)) / 32768.0f;
        r.samples.push_back(x);
      }
      return r;
    }
    at = begin + size + size % 2;
  }
  fail("a wav file with samples");
  return r;
}

/// Writes a wav file with samples of 16 bits.
inline void write_wav(char const* path, sound const& s) {
  std::string bytes = "RIFF";
  auto const add = [&](std::uint32_t number, unsigned size) {
    for (unsigned i = 0; i < size; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  };
  auto const size = static_cast<std::uint32_t>(2 * s.samples.size()), rate = static_cast<std::uint32_t>(s.rate);
  add(36 + size, 4);
  bytes += "WAVEfmt ";
  add(16, 4), add(1, 2), add(1, 2), add(rate, 4), add(2 * rate, 4), add(2, 2), add(16, 2);
  bytes += "data";
  add(size, 4);
  for (float const x : s.samples)
    add(static_cast<std::uint32_t>(std::lround(std::fmin(std::fmax(x, -1.0f), 1.0f) * 32767.0f)) & 0xffff, 2);
  std::FILE* const file = std::fopen(path, "wb");
  if (file == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fclose(file) != 0)
    throw std::runtime_error(std::string{path} + ": expected a file that can be written");
}

}  // namespace examples
