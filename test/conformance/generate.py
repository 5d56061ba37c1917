#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Turns conformance cases (JSON) into C++ whose types are the cases' shapes and attributes, plus files with their numbers.

  generate.py --units CASES                print into how many units the cases are best divided
  generate.py --inputs CASES               print every file of cases that the output depends on
  generate.py --tests CASES                print a line "suite op" for every suite and op
  generate.py --output DIR --count N [--prefix P] CASES
                                           write P + unit_0.cpp ... unit_<N-1>.cpp, units.cpp, index.txt, numbers.bin into DIR

CASES is a folder of the schema described in README.md: CASES/<suite>/<case>.json, shared tensors in CASES/../_shared/.
An op is supported when adapters/<op>.hpp exists; it has the function template check_<op><Case, T>(case_run&).
"""
import argparse
import glob
import json
import math
import os
import re
import struct
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is

import from_onnx
from formula import Formula, Unsupported, function_text, number_text, shape_text
from modules import chain_text, mask_paths, module_text

HERE = os.path.dirname(os.path.abspath(__file__))
ADAPTERS = os.path.join(HERE, 'adapters')

# Attributes that describe a case to people or repeat what the shapes say; kept out of the type so that equal work is compiled once.
FOR_PEOPLE = {
    'text_says', 'the text', 'paper', 'transform', 'layout', 'block', 'note', 'onnx_op', 'opset', 'domain', 'input_order', 'output_order', 'seed',
    'mask_from', 'magic', 'big_endian', 'offset', 'scale', 'order', 'rule', 'asked', 'tensor_order', 'final', 'loss', 'num_blocks', 'num_classes', 'hidden_dim', 'dim',
    'drop_prob', 'running_var', 'input', 'weight', 'semantics', 'draw', 'n_per_channel', 'in_features', 'out_features', 'kernel_size', 'expr', 'iters', 'steps',
}
# Ops that take labels; every other op takes integers as numbers.
LABELLED = ('softmax_loss', 'softmax_cross_entropy', 'nll_loss', 'one_hot', 'idx_parse', 'dataloader_shuffled', 'train', 'mlp_resnet_train',
            'gather', 'take_along_axis', 'index_select', 'scatter_add', 'embedding', 'embedding_bag', 'tied_embedding_loss', 'language_model', 'lm_train', 'tbptt_train')
OPTIMIZERS = ('sgd', 'adam', 'adamw')
TRAINING = ('train', 'mlp_resnet_train')
SEQUENCE_TRAINING = ('lm_train', 'tbptt_train')
# Compile time of a case of an op in seconds, measured with g++ 12 -O1 (others: OTHER), and what a unit should hold.
WEIGHT = {
    'batch_norm': 2, 'batch_norm1d': 5, 'batch_norm2d': 5, 'batchnorm1d': 3, 'batchnorm1d_running': 4, 'conv': 1.3, 'conv_layer': 1.7, 'conv_nchw': 1, 'dropout': 1, 'expr': 1,
    'grad_of_grad': 2, 'group_norm': 2.5, 'instance_norm': 2.5, 'invariance': 1.5, 'layer_norm': 2.4, 'layernorm1d': 1.5, 'linear': 1.2, 'mlp_resnet_train': 6, 'module': 5, 'nll_loss': 0.8,
    'kv_cache_decode': 12, 'llama_block': 12, 'multi_head_attention': 8, 'needle_attention_layer': 6, 'needle_transformer': 12, 'needle_transformer_layer': 8, 'rms_norm_swiglu': 5, 'sdpa': 3,
    'transformer_encoder_layer': 9, 'rms_norm': 0.9, 'softmax_cross_entropy': 1, 'softmax_loss': 1, 'split': 0.8, 'stack': 0.7, 'statistics_count': 1.5, 'train': 3, 'weight_norm': 2,
    'rms_norm': 0.9, 'softmax_cross_entropy': 1, 'softmax_loss': 1, 'split': 0.8, 'stack': 0.7, 'statistics_count': 1.5, 'train': 3, 'weight_norm': 2,
    'gru': 12, 'gru_cell': 3, 'language_model': 12, 'lm_train': 24, 'lstm': 15, 'lstm_cell': 3, 'rnn': 5, 'rnn_cell': 2.5, 'sequence_model': 10, 'tbptt_train': 24,
}
OTHER = 0.6
UNIT_SECONDS = 12


class Cpp(str):
    """Text that already is C++."""


def read(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def case_files(folder):
    return sorted(f for f in glob.glob(os.path.join(folder, '*', '*.json')) if os.path.basename(os.path.dirname(f)) != '_shared')


def natural(name):
    return [int(part) if part.isdigit() else part for part in re.split(r'(\d+)', name)]


def product(values):
    result = 1
    for v in values:
        result *= v
    return result


# ---- C++ text

def quoted(text):
    return json.dumps(text)


def attribute_text(value):
    if isinstance(value, Cpp):
        return 'type_is<%s>' % value
    if value is None:
        return 'nothing'
    if isinstance(value, bool):
        return 'constant_value<%s>' % ('true' if value else 'false')
    if isinstance(value, int):
        return 'constant_value<%d>' % value
    if isinstance(value, float):
        return 'constant_value<%s>' % number_text(value)
    if isinstance(value, str):
        return 'word<%s>' % quoted(value)
    if isinstance(value, list) and all(isinstance(v, int) and not isinstance(v, bool) for v in value):
        return 'integers<%s>' % ', '.join(str(v) for v in value)
    if isinstance(value, list) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in value):
        return 'numbers<%s>' % ', '.join(number_text(v) for v in value)
    return None  # an adapter that reads it does not compile, which is reported


# ---- from a case to (op, inputs, attributes)

class Case:
    def __init__(self, path, folder):
        raw = read(path)
        self.folder = folder
        self.id, self.suite, self.op = raw['id'], raw['suite'], raw['op']
        self.attributes = dict(raw.get('attrs', {}))
        self.inputs, self.parameters, self.expect = dict(raw.get('inputs', {})), dict(raw.get('params', {})), dict(raw['expect'])
        self.loss = raw.get('loss') or {}
        self.tolerance, self.literal = raw['tolerance'], raw.get('literal_keys')
        self.function = None  # C++ of a struct NAME that the attributes refer to
        self.plan, self.reason = 'run', ''
        scale = max(abs(float(self.attributes.get(k) or 0)) for k in ('offset', 'scale')) if self.suite == 'torch_ref' else 0
        self.in_float = scale <= 1e2

    def tolerance_of(self, key):
        plain = key.replace('#f64', '')
        t = self.tolerance if self.literal is None or plain in self.literal else self.tolerance.get('computed', self.tolerance)
        return t['rtol'], t['atol']

    def data(self, tensor):
        if 'ref' in tensor:
            places = [os.path.join(self.folder, up, tensor['ref']) for up in ('..', '.')]
            found = [p for p in places if os.path.exists(p)]
            if not found:
                raise Unsupported('no shared tensor %s' % tensor['ref'])
            tensor = read(found[0])
        return [float(v) for v in tensor['data']]

    def gradient(self):
        return any(k.startswith('grad.') for k in self.expect)


def constants_of(case, name):
    return [int(v) for v in case.data(case.inputs[name])]


def prepare(case):
    """Fills the attributes that need more than the case's own: formulas, module types, optimiser settings."""
    a, op = case.attributes, case.op
    if case.suite == 'onnx_node':
        from_onnx.rewrite(case)
    labels = [n for n in case.inputs if not n.startswith('gy') and not (op == 'grad_of_grad' and n == 'v')]
    if op == 'expr':
        case.function = function_text(labels, Formula(labels).translate(a['expr']))
    elif op == 'topo_order':
        case.function = function_text(labels, Formula(labels, minus_as_sum=True).translate(a['expr']))
    elif op == 'grad_of_grad':
        text = re.sub(r'^expr\s+', '', a['expr'])
        if 'v' in case.inputs and not a['expr'].startswith('expr '):
            # a prose description: the fourth powers of a layer normalisation over the last axis
            axis = len(case.inputs['x']['shape']) - 1
            centred = '(x - esp::mean<%d>(x, esp::keepdims))' % axis
            body = 'sum(pow(%s / sqrt(esp::mean<%d>(%s * %s, esp::keepdims) + 1e-05), 4.0))' % (centred, axis, centred, centred)
        else:
            body = 'sum(%s)' % Formula(labels).translate(text)
        case.function = function_text(labels, body)
    if 'module' in a:
        masks = sorted((n for n in case.inputs if re.fullmatch(r'mask\d+(_step0)?', n)), key=natural)
        shapes = [case.inputs[n]['shape'] for n in masks]
        a['mask_paths'] = mask_paths(a['module'])
        if op == 'num_params' or not masks:
            a['mask_paths'] = []
        a['module'] = Cpp(module_text(a['module'], case.parameters, shapes))
        a['mask_paths'] = Cpp('words<%s>' % ', '.join(quoted(p) for p in a['mask_paths']))
    if op in TRAINING:
        a.update(a.pop('hyper'))
        first = 'X' if op == 'train' else 'X0'
        a['sample'] = case.inputs[first]['shape'][1:]
        if op == 'train':
            a['samples'] = case.inputs['X']['shape'][0]
            if a['samples'] != a['batches'] * a['batch']:
                raise Unsupported('op train with batches of different sizes')
        else:
            a['steps_count'] = a['steps']
        if 'X_test' in case.inputs:
            a['test_samples'] = case.inputs['X_test']['shape'][0]
        a['first_step'] = any(k.startswith(('grad_step0.', 'logits_step0')) for k in case.expect)
    if op in SEQUENCE_TRAINING:
        a.update(a.pop('hyper'))
        a['damped'] = not a.pop('semantics', 'needle').startswith('torch')
        a['rows'], a['batch'] = case.inputs['tokens']['shape']
    if op == 'sequence_model':
        if set(a.pop('blocks')) != {1}:
            raise Unsupported('blocks of several steps')
        a['chain'] = Cpp(chain_text(a.pop('layers'), case.inputs['x']['shape'][-1]))
    if op in OPTIMIZERS:
        a['steps_count'] = max(int(m.group(1)) for m in (re.fullmatch(r'grad_\w+_step(\d+)', n) for n in case.inputs) if m)
        semantics = a.pop('semantics', 'needle')
        if op == 'sgd':
            a['damped'] = not semantics.startswith('torch')
    if op == 'idx_parse':
        header = constants_of(case, 'image_bytes')
        a['sample'] = [int.from_bytes(bytes(header[k:k + 4]), 'big') for k in range(8, 4 + 4 * header[3], 4)]
    if op == 'batchnorm1d_running':
        a['count'] = a['iters']
    if op in ('batch_norm1d', 'batch_norm2d'):
        a['before'] = len([n for n in case.inputs if n.startswith('x_before')])


def case_tensor_text(op, name, tensor):
    kind = {'i64': 'label' if op in LABELLED else 'real', 'bool': 'truth'}.get(tensor['dtype'], 'real')
    return 'case_tensor<%s, element::%s, %s>' % (quoted(name), kind, shape_text(tensor['shape']))


def type_text(case, function_name):
    a = case.attributes
    if case.op in TRAINING or case.op in SEQUENCE_TRAINING or case.op in OPTIMIZERS:
        inputs = {}
    else:
        inputs = {n: t for n, t in case.inputs.items() if not re.fullmatch(r'gy\d*|mask\d*', n)}
    parameters = {} if 'module' in a else case.parameters
    forms = [(k, attribute_text(v)) for k, v in sorted(a.items()) if k not in FOR_PEOPLE]
    texts = ['attribute<%s, %s>' % (quoted(k), form) for k, form in forms if form]
    if function_name:
        texts.append('attribute<"function", type_is<%s>>' % function_name)
    return 'test_case<case_tensors<%s>, case_tensors<%s>, attributes<%s>, %s>' % (
        ', '.join(case_tensor_text(case.op, n, t) for n, t in inputs.items()), ', '.join(case_tensor_text(case.op, n, t) for n, t in parameters.items()),
        ', '.join(texts), 'true' if case.gradient() else 'false')


def load(folder):
    cases = []
    for path in case_files(folder):
        case = Case(path, folder)
        cases.append(case)
        try:
            if not os.path.exists(os.path.join(ADAPTERS, case.op + '.hpp')):
                raise Unsupported('no adapter for op %s' % case.op)
            prepare(case)
            type_text(case, 'x')
        except Unsupported as why:
            case.plan, case.reason = 'missing', 'op %s: %s' % (case.op, why)
        except (ArithmeticError, AttributeError, LookupError, SyntaxError, TypeError, ValueError) as why:
            case.plan, case.reason = 'missing', 'op %s: the generator cannot read the case: %s %s' % (case.op, type(why).__name__, why)
    return cases


def cost(case):
    return WEIGHT.get(case.op, OTHER)


def unit_count(folder):
    """From the ops alone, so that it does not change when an adapter is added."""
    return max(1, math.ceil(sum(WEIGHT.get(read(f)['op'], OTHER) for f in case_files(folder)) / UNIT_SECONDS))


def units(cases, count):
    """Cases that run, grouped by op into `count` lists of about equal weight; cases of equal type stand together and are compiled once."""
    runnable = sorted((c for c in cases if c.plan == 'run'), key=lambda c: (c.op, type_text(c, c.function), c.id))
    groups, done, before = [[] for _ in range(count)], 0, None
    weights = []
    for case in runnable:
        text = type_text(case, case.function)
        weights.append(0 if text == before else cost(case))
        before = text
    total, unit = sum(weights) or 1, 0
    for case, weight in zip(runnable, weights):
        done += weight
        if weight:  # a type stands in the unit that its middle falls into
            unit = min(count - 1, int((done - weight / 2) * count / total))
        groups[unit].append(case)
    return groups


def unit_source(number, cases):
    """A type K can be left out by -DWITHOUT_K=why, so that a case that does not compile is one failure and not the end of the build."""
    functions, types, ops, lines, entries = {}, {}, {}, [], []
    for case in cases:
        name = None
        if case.function:
            name = functions.get(case.function)
            if not name:
                name = functions[case.function] = 'function_%d_%d' % (number, len(functions))
                lines.append(case.function.replace('NAME', name))
        text = case.op + ' ' + type_text(case, name)
        if text not in types:
            types[text] = len(types)
            ops.setdefault(case.op, []).append(types[text])
            lines += ['#ifndef WITHOUT_%d' % types[text], 'using case_%d_%d = %s;' % (number, types[text], type_text(case, name)), '#endif']
        which = types[text]
        alias = 'case_%d_%d' % (number, which)
        in_float = '&check_%s<%s, float>' % (case.op, alias) if case.in_float else 'nullptr'
        entries += ['#ifndef WITHOUT_%d' % which, '    {%s, &check_%s<%s, double>, %s, nullptr},' % (quoted(case.id), case.op, alias, in_float),
                    '#else', '    {%s, nullptr, nullptr, WITHOUT_%d},' % (quoted(case.id), which), '#endif']
    top = ['// Written by generate.py.', '// types: %d' % len(types), '#include "harness.hpp"']
    for op in sorted(ops):
        top += ['#if %s' % ' || '.join('!defined WITHOUT_%d' % k for k in ops[op]), '#include "adapters/%s.hpp"' % op, '#endif']
    return '\n'.join(top + ['', 'namespace conformance {', 'namespace {', ''] + lines + ['', 'constexpr entry entries[] = {'] + entries + [
        '    {nullptr, nullptr, nullptr, nullptr},', '};', '', '}  // namespace',
        'std::span<entry const> unit_%d() { return {entries, std::size(entries) - 1}; }' % number, '}  // namespace conformance', ''])


def registry_source(count):
    lines = ['// Written by generate.py.', '#include "harness.hpp"', '', 'namespace conformance {']
    lines += ['std::span<entry const> unit_%d();' % i for i in range(count)]
    lines += ['std::span<std::span<entry const> const> all_units() {', '  static std::span<entry const> const units[] = {']
    lines += ['      unit_%d(),' % i for i in range(count)] + ['  };', '  return units;', '}', '}  // namespace conformance', '']
    return '\n'.join(lines)


def pack(values, dtype):
    """Doubles; f32 tensors go through float first, because their decimals are the shortest of a float."""
    if dtype == 'f32':
        values = struct.unpack('<%df' % len(values), struct.pack('<%df' % len(values), *values))
    return struct.pack('=%dd' % len(values), *values)


def tensors_of(case):
    """(where, name, tensor, rtol, atol) of every tensor of a case."""
    groups = [('input', case.inputs), ('parameter', case.parameters), ('expected', case.expect)]
    return [(where, name, tensor) + (case.tolerance_of(name) if where == 'expected' else (0, 0)) for where, tensors in groups for name, tensor in tensors.items()]


def numbers(cases):
    """The index and the numbers. A case whose tensors cannot be read is one that is missing."""
    index, blob, offset, shared = [], [], 0, {}
    for case in cases:
        lines = []
        try:
            for where, name, tensor, rtol, atol in tensors_of(case) if case.plan == 'run' else []:
                key = tensor.get('ref')
                at = shared.get(key) if key else None
                if at is None:
                    values = case.data(tensor)
                    if len(values) != product(tensor['shape']):
                        raise Unsupported('%s has %d numbers for shape %s' % (name, len(values), tensor['shape']))
                    at = offset
                    blob.append(pack(values, tensor['dtype']))
                    offset += len(values)
                    if key:
                        shared[key] = at
                lines.append('\t'.join(['tensor', where, name, ' '.join(str(e) for e in tensor['shape']), str(at), repr(float(rtol)), repr(float(atol))]))
        except (Unsupported, LookupError, TypeError, ValueError) as why:
            case.plan, case.reason, lines = 'missing', 'op %s: %s' % (case.op, why), []
        index.append('\t'.join(['case', case.id, case.suite, case.op, case.plan, case.loss.get('kind', 'none'), repr(float(case.loss.get('p', 0))), case.reason]))
        index += lines
    return '\n'.join(index) + '\n', b''.join(blob)


def write(path, content):
    """Leaves an unchanged file alone, so that nothing is compiled again for it."""
    mode, content = 'wb', content if isinstance(content, bytes) else content.encode()
    if os.path.exists(path):
        with open(path, 'rb') as file:
            if file.read() == content:
                return
    with open(path, mode) as file:
        file.write(content)


def main():
    parser = argparse.ArgumentParser(description='Writes conformance cases as C++ types and files of numbers.')
    parser.add_argument('cases')
    parser.add_argument('--units', action='store_true')
    parser.add_argument('--inputs', action='store_true')
    parser.add_argument('--tests', action='store_true')
    parser.add_argument('--output')
    parser.add_argument('--count', type=int)
    parser.add_argument('--prefix', default='')
    options = parser.parse_args()
    folder = os.path.abspath(options.cases)
    if not case_files(folder):
        raise SystemExit('no cases: expected %s/<suite>/<case>.json' % folder)
    if options.inputs:
        shared = sorted(glob.glob(os.path.join(folder, '..', '_shared', '*.json')))
        print('\n'.join(case_files(folder) + [os.path.normpath(s) for s in shared]))
    if options.units:
        print(unit_count(folder))
    if options.tests:
        print('\n'.join(sorted({'%s %s' % (raw['suite'], raw['op']) for raw in map(read, case_files(folder))})))
    if not options.output:
        return
    count = options.count or unit_count(folder)
    cases = load(folder)
    os.makedirs(options.output, exist_ok=True)
    index, blob = numbers(cases)
    files = {'unit_%d.cpp' % i: unit_source(i, group) for i, group in enumerate(units(cases, count))}
    files.update({'units.cpp': registry_source(count), 'index.txt': index, 'numbers.bin': blob})
    for name, content in files.items():
        write(os.path.join(options.output, options.prefix + name), content)


if __name__ == '__main__':
    main()
