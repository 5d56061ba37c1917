// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstring>

#include "../base/needs_header.hpp"
#include "atomic_file.hpp"
#include "checkpoint.hpp"
#include "safetensors_header.hpp"
#include "save_together.hpp"

ESPALIER_HEADER_INCLUDED(safetensors);

namespace espalier::io {

/// parse_safetensors(path, bytes): reads the tensors of a safetensors file in memory; path is only used in errors.
/// shape   any; at most 32 axes
/// errors  format_error, with the file's name, the expected and the actual content: a header that is truncated, no
///         JSON, or has entries that the format does not have; duplicate names, element types without a C++ type,
///         extents whose product overflows; tensors that overlap, have bytes between them, or end beyond the file;
///         trailing bytes. No memory is allocated from sizes that are not checked.
/// source  https://github.com/huggingface/safetensors, "Format"
inline archive parse_safetensors(char const* path, file_bytes bytes) {
  detail::file_name const name{path};
  std::int64_t const size = bytes.size();
  if (size < 8)
    throw_error<format_error>("%s: expected a safetensors file, got a file of %lld bytes", name.text,
                              static_cast<long long>(size));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  if (length > static_cast<std::uint64_t>(size - 8))
    throw_error<format_error>(
        "%s: expected a header of %llu bytes, got a file of %lld: truncated, or no safetensors file", name.text,
        static_cast<unsigned long long>(length), static_cast<long long>(size));
  if (length > detail::longest_safetensors_header)
    throw_error<format_error>("%s: expected a header of at most %zu bytes, got %llu", name.text,
                              detail::longest_safetensors_header, static_cast<unsigned long long>(length));
  char const* const text = reinterpret_cast<char const*>(bytes.data()) + 8;
  if (length == 0 || text[0] != '{')
    throw_error<format_error>("%s: expected a header that begins with {, got %s", name.text,
                              length == 0 ? "none" : "something else");
  // The parser stops at a zero byte, even if text follows it.
  if (void const* const zero = std::memchr(text, 0, length))
    throw_error<format_error>("%s: expected a header in JSON, got something else at its byte %td", name.text,
                              static_cast<char const*>(zero) - text + 1);
  detail::safetensors_header header{name.text};
  (void)nlohmann::json::sax_parse(text, text + length, &header);
  detail::check_words<format_error>(name.text, header.metadata);
  detail::check_safetensors_entries(name.text, header.entries, size - 8 - static_cast<std::int64_t>(length));
  std::vector<named_array> arrays;
  arrays.reserve(header.entries.size());
  for (auto& e : header.entries) {
    e.array.data = bytes.data() + 8 + length + e.begin;
    arrays.push_back(std::move(e.array));
  }
  archive all{path, std::move(arrays), std::move(header.metadata), std::move(bytes)};
  if (named_array const* const twice = all.twice())
    throw_error<format_error>("%s: expected each tensor once, got %s twice", name.text, in_quotes(twice->name).c_str());
  return all;
}

/// read_safetensors(path): reads a safetensors file in one pass.
/// errors  as parse_safetensors; no such file, a folder
inline archive read_safetensors(file_path path) { return parse_safetensors(path, read_bytes(path)); }

namespace detail {

/// Writes the bytes of a safetensors file to an object with write(bytes, size). data_of(array) is the data of an array,
/// requested once and in the order of the file.
template <class File, class DataOf = data_in_memory>
void write_safetensors_to(File& file, char const* path, std::vector<named_array> const& arrays,
                          std::vector<metadata_entry> const& metadata, DataOf&& data_of = {}) {
  check_names(path, arrays, "__metadata__");
  check_words<name_error>(path, metadata);
  std::vector<named_array const*> order;
  for (auto const& a : arrays) order.push_back(&a);
  std::sort(order.begin(), order.end(), [](auto const* a, auto const* b) {
    return bytes_of(a->kind) != bytes_of(b->kind) ? bytes_of(a->kind) > bytes_of(b->kind) : a < b;
  });
  auto const json = [&](std::string const& text) { return json_text(path, text); };
  std::string header = "{";
  if (!metadata.empty()) {
    header += "\"__metadata__\":{";
    for (auto const& m : metadata)
      header.append(&m == metadata.data() ? "" : ",").append(json(m.name)).append(":").append(json(m.text));
    header += "}";
  }
  std::int64_t at = 0;
  for (auto const* a : order) {
    header.append(header.size() > 1 ? "," : "").append(json(a->name)).append(":{\"dtype\":\"");
    header.append(safetensors_kinds[static_cast<int>(a->kind)]).append("\",\"shape\":[");
    for (std::size_t i = 0; i < a->extents.size(); ++i)
      header.append(i > 0 ? "," : "").append(std::to_string(a->extents[i]));
    header += "],\"data_offsets\":[" + std::to_string(at) + "," + std::to_string(at + a->bytes) + "]}";
    at += a->bytes;
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > longest_safetensors_header)
    throw_error<write_error>("%s: expected names that fit into a header of %zu bytes, got %zu", path,
                             longest_safetensors_header, header.size());
  std::uint64_t const length = header.size();
  file.write(&length, 8);
  file.write(header.data(), header.size());
  for (auto const* a : order) file.write(data_of(*a), static_cast<std::size_t>(a->bytes));
}

}  // namespace detail

/// write_safetensors(path, arrays, metadata): writes a safetensors file. Tensors with larger elements come first, so
/// that all are aligned. An existing file is replaced as a whole or unchanged (atomic_file).
/// errors  write_error; name_error: a name or a key of the metadata that occurs twice, "__metadata__", or text that is
///         not UTF-8
inline void write_safetensors(file_path path, std::vector<named_array> const& arrays,
                              std::vector<metadata_entry> const& metadata = {}) {
  atomic_file file{path};
  detail::write_safetensors_to(file, file.name(), arrays, metadata);
  file.commit();
}

/// save_safetensors(path, model) and save_safetensors(path, model, trainer): saves parameters and buffers by name. With
/// a trainer, it saves the complete state of training, so that training continues with the same bits: the optimizer's
/// vectors and what they are, its steps, the seed and the count of random steps.
/// training  a trainer or an optim::updater
/// sharded   with optim::sharded all processes call it, and process 0 writes the file, which is the same as without it
/// errors    write_error; an existing file is unchanged. With optim::sharded distributed_error, on all
template <class Model, class... Training>
void save_safetensors(file_path path, Model& model, Training&... training) {
  snapshot const all{model, training...};
  auto const metadata = detail::metadata_of<Training...>();
  if constexpr ((ShardedTraining<Training> || ...))
    detail::save_together(all.arrays(), training..., [&](auto& data_of) {
      atomic_file file{path};
      detail::write_safetensors_to(file, file.name(), all.arrays(), metadata, data_of);
      file.commit();
    });
  else write_safetensors(path, all.arrays(), metadata);
}

/// load_safetensors(path, model[, trainer][, load_options]): loads a file into a model and its trainer. If they
/// disagree in anything, nothing is loaded.
/// layout  espalier's, if the file's metadata states it; for other files load_options state it (from_pytorch, which
///         converts)
/// errors  format_error; mismatch_error, which lists every disagreement. The model is unchanged then.
template <class Model, class... Rest>
void load_safetensors(file_path path, Model& model, Rest&&... rest) {
  restore(read_safetensors(path), model, static_cast<Rest&&>(rest)...);
}

}  // namespace espalier::io
#include "../base/diagnostics_pop.hpp"
