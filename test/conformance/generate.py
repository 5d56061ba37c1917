#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Turns conformance cases (JSON) into C++ whose types are the cases' shapes and attributes, plus files with their numbers.

  generate.py --units CASES                print into how many units the cases are best divided
  generate.py --inputs CASES               print every file of cases that the output depends on
  generate.py --output DIR --count N [--prefix P] CASES
                                           write P + unit_0.cpp ... unit_<N-1>.cpp, units.cpp, index.txt, numbers.bin into DIR

CASES is a folder of the schema described in README.md: CASES/<suite>/<case>.json, shared tensors in CASES/../_shared/.
An op is supported when adapters/<op>.hpp exists; it has the function template check_<op><Case, T>(case_run&).
"""
import argparse
import ast
import glob
import json
import os
import re
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
ADAPTERS = os.path.join(HERE, 'adapters')

# The one list of what is left to a later version: such a case is listed by id in the report and counted apart.
NEXT = ('batch_norm2d', 'instance_norm', 'weight_norm')

# Attributes that describe a case to people or repeat what the shapes say; kept out of the type so that equal work is compiled once.
FOR_PEOPLE = {
    'text_says', 'the text', 'paper', 'transform', 'layout', 'block', 'note', 'onnx_op', 'opset', 'domain', 'input_order', 'output_order', 'seed',
    'mask_from', 'magic', 'big_endian', 'offset', 'scale', 'order', 'rule', 'asked', 'tensor_order', 'final', 'loss', 'num_blocks', 'num_classes', 'hidden_dim', 'dim',
    'drop_prob', 'running_var', 'n_per_channel', 'in_features', 'out_features', 'kernel_size', 'expr', 'iters', 'steps',
}
OPTIMIZERS = ('sgd', 'adam', 'adamw')
TRAINING = ('train', 'mlp_resnet_train')
# Rough compile time of a case of an op (others: 1), and what a unit should hold.
WEIGHT = {'module': 4, 'train': 6, 'mlp_resnet_train': 8, 'linear': 3, 'layernorm1d': 3, 'batchnorm1d': 3, 'batchnorm1d_running': 4, 'dropout': 2, 'layer_norm': 3,
          'batch_norm1d': 6, 'invariance': 2, 'sgd': 3, 'adam': 3, 'adamw': 3, 'softmax_loss': 2, 'grad_of_grad': 2, 'expr': 2}
UNIT_WEIGHT = 12


class Unsupported(Exception):
    """A case that no adapter can take, with the reason that the report gives."""


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

def shape_text(shape):
    return 'esp::shape<%s>' % ', '.join(str(e) for e in shape)


def number_text(value):
    text = repr(float(value))
    return text if text[0] != '-' else '(%s)' % text


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
    raise Unsupported('an attribute that has no C++ form: %s' % json.dumps(value)[:60])


def module_text(description, parameters, masks, path=''):
    """A nested module description as a type. masks: shapes of the given dropout masks that are still to be used, in order."""
    kind, rest = description[0], description[1:]
    norm = lambda keys: ''.join(', nn::norm{%s}' % ', '.join('.%s = %s' % (k, number_text(rest[1][k])) for k in keys if k in rest[1]) for _ in [0]
                                if len(rest) > 1 and isinstance(rest[1], dict) and any(k in rest[1] for k in keys))
    if kind == 'sequential':
        return 'nn::Sequential<%s>' % ', '.join(module_text(d, parameters, masks, '%s%d.' % (path, i)) for i, d in enumerate(rest))
    if kind == 'residual':
        return 'nn::Residual<%s>' % module_text(rest[0], parameters, masks, path + 'fn.')
    if kind == 'linear':
        without_bias = path + 'weight' in parameters and path + 'bias' not in parameters
        return 'nn::Linear<%d, %d%s>' % (rest[0], rest[1], ', nn::no_bias' if without_bias else '')
    if kind == 'layernorm1d':
        return 'nn::LayerNorm1d<%d%s>' % (rest[0], norm(['eps']))
    if kind == 'batchnorm1d':
        return 'nn::BatchNorm1d<%d%s>' % (rest[0], norm(['eps', 'momentum']))
    if kind == 'dropout':
        p = float(rest[0])
        if p > 0 and masks:
            return 'nn::MaskedDropout<%s, %s>' % (number_text(p), shape_text(masks.pop(0)))
        return 'nn::Dropout<%s>' % number_text(p)
    plain = {'relu': 'ReLU', 'tanh': 'Tanh', 'sigmoid': 'Sigmoid', 'identity': 'Identity', 'flatten': 'Flatten'}
    if kind in plain:
        return 'nn::' + plain[kind]
    raise Unsupported('module kind %s' % kind)


def mask_paths(description, path=''):
    """Where the given masks go: the paths of the dropouts that drop something, in the order of the forward pass."""
    kind, rest = description[0], description[1:]
    if kind == 'sequential':
        return [p for i, d in enumerate(rest) for p in mask_paths(d, '%s%d.' % (path, i))]
    if kind == 'residual':
        return mask_paths(rest[0], path + 'fn.')
    return [path + 'mask'] if kind == 'dropout' and rest[0] > 0 else []


class Formula(ast.NodeVisitor):
    """A case's formula (a Python expression) as C++ over espalier's functions. minus_as_sum writes x - y as x + (-y)."""

    def __init__(self, names, minus_as_sum=False):
        self.names = names
        self.minus_as_sum = minus_as_sum

    def translate(self, text):
        return self.visit(ast.parse(text, mode='eval').body)

    def visit_BinOp(self, node):
        if isinstance(node.op, ast.Pow):
            exponent = self.constant(node.right)
            base = self.visit(node.left)
            return 'pow(%s, %s)' % (base, number_text(exponent) if exponent is not None else self.visit(node.right))
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.MatMult):
            return 'matmul(%s, %s)' % (left, right)
        if isinstance(node.op, ast.Sub) and self.minus_as_sum:
            return '(%s + (-%s))' % (left, right)
        signs = {ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.Div: '/'}
        if type(node.op) not in signs:
            raise Unsupported('an operator in the formula: %s' % type(node.op).__name__)
        return '(%s %s %s)' % (left, signs[type(node.op)], right)

    def visit_UnaryOp(self, node):
        if not isinstance(node.op, ast.USub):
            raise Unsupported('an operator in the formula: %s' % type(node.op).__name__)
        return '(-%s)' % self.visit(node.operand)

    def visit_Name(self, node):
        if node.id not in self.names:
            raise Unsupported('a name in the formula: %s' % node.id)
        return node.id

    def visit_Constant(self, node):
        return number_text(node.value)

    @staticmethod
    def constant(node):
        try:
            value = ast.literal_eval(node)
        except ValueError:
            return None
        return value if isinstance(value, (int, float)) else None

    def visit_Call(self, node):
        function = getattr(node.func, 'id', None)
        argument = self.visit(node.args[0])
        if function in ('summation', 'sum'):
            axes = [] if len(node.args) < 2 else ast.literal_eval(node.args[1])
            axes = list(axes) if isinstance(axes, (tuple, list)) else [axes]
            return 'esp::sum<%s>(%s)' % (', '.join(str(a) for a in axes), argument) if axes else 'sum(%s)' % argument
        if function == 'broadcast_to':
            return 'esp::broadcast_to<%s>(%s)' % (shape_text(ast.literal_eval(node.args[1])), argument)
        if function == 'reshape':
            return 'esp::reshape<%s>(%s)' % (', '.join(str(e) for e in ast.literal_eval(node.args[1])), argument)
        if function in ('exp', 'log', 'tanh', 'relu', 'sqrt', 'sigmoid') and len(node.args) == 1:
            return '%s(%s)' % (function, argument)
        raise Unsupported('a function in the formula: %s' % function)

    def generic_visit(self, node):
        raise Unsupported('the formula has a %s' % type(node).__name__)


def function_text(names, body):
    return 'struct NAME { constexpr auto operator()(%s) const { return %s; } };' % (', '.join('auto const& ' + n for n in names), body)


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
                raise SystemExit('%s: no shared tensor %s' % (self.id, places[0]))
            tensor = read(found[0])
        return [float(v) for v in tensor['data']]

    def gradient(self):
        return any(k.startswith('grad.') for k in self.expect)


def constants_of(case, name):
    return [int(v) for v in case.data(case.inputs[name])]


def from_onnx(case):
    """Rewrites ONNX's form of a node into the form of the other suites: roles by position, constant inputs and defaults as attributes."""
    a, op = case.attributes, case.op
    order, out = a.get('input_order', []), a.get('output_order', [])
    rank = len(case.inputs[order[0]]['shape'])

    def rename(names, outputs=('y',)):
        for old in order[len(names):]:
            case.inputs.pop(old, None)
        renamed = {new: case.inputs[old] for new, old in zip(names, order) if old in case.inputs}
        if 'mask' in case.inputs and 'mask' not in renamed:
            renamed['mask'] = case.inputs['mask']
        case.inputs = renamed
        keys = dict(zip(out, outputs))
        case.expect = {keys.get(k, k): v for k, v in case.expect.items()}

    if op in ('add', 'sub', 'mul', 'div', 'pow', 'matmul'):
        rename(['a', 'b'])
    elif op in ('negate', 'exp', 'log', 'tanh', 'relu', 'sigmoid', 'sqrt', 'identity'):
        rename(['x'])
    elif op == 'gemm':
        rename(['a', 'b', 'c'])
    elif op == 'transpose':
        a['perm'] = a.get('perm', list(range(rank))[::-1])
        rename(['x'])
    elif op == 'reshape':
        a['shape'] = [case.inputs[order[0]]['shape'][i] if v == 0 else v for i, v in enumerate(constants_of(case, order[1]))]
        rename(['x'])
    elif op == 'flatten':
        axis = a.get('axis', 1)
        a['axis'] = axis + rank if axis < 0 else axis
        rename(['x'])
    elif op == 'broadcast_to':
        given, asked = case.inputs[order[0]]['shape'], constants_of(case, order[1])
        length = max(len(given), len(asked))
        a['shape'] = [max(p, q) for p, q in zip([1] * (length - len(given)) + given, [1] * (length - len(asked)) + asked)]
        rename(['x'])
    elif op in ('summation', 'reduce_mean', 'reduce_max', 'logsumexp', 'reduce_sum_square'):
        a['axes'] = constants_of(case, order[1]) if len(order) > 1 and order[1] in case.inputs else None
        a['keepdims'] = bool(a.get('keepdims', 1))
        rename(['x'])
    elif op in ('softmax', 'logsoftmax'):
        a['axis'] = a.get('axis', -1)
        rename(['x'])
    elif op in ('softmax_cross_entropy', 'nll_loss'):
        a['reduction'] = a.get('reduction', 'mean')
        a.setdefault('ignore_index', -100)
        rename(['x', 'target', 'class_weight'], ('y', 'log_prob'))
    elif op == 'layer_norm':
        axis = a.pop('axis', -1)
        a['normalized_shape'] = case.inputs[order[0]]['shape'][axis % rank:]
        a['eps'] = a.pop('epsilon', 1e-5)
        rename(['x', 'weight', 'bias'], ('y', 'mean', 'inverse_std'))
        for name in ('weight', 'bias'):
            if name in case.inputs:
                case.parameters[name] = case.inputs.pop(name)
    elif op == 'dropout':
        ratio = case.data(case.inputs[order[1]])[0] if len(order) > 1 and order[1] in case.inputs else a.get('ratio', 0.5)
        a['p'] = ratio
        a['training'] = bool(len(order) > 2 and order[2] in case.inputs and case.data(case.inputs[order[2]])[0])
        rename(['x'], ('y', 'mask'))
    elif op == 'one_hot':
        a['n'] = int(case.data(case.inputs[order[1]])[0])
        a['off'], a['on'] = case.data(case.inputs[order[2]])
        axis = a.get('axis', -1)
        a['axis'] = axis if axis >= 0 else axis + rank + 1
        indices = case.inputs[order[0]]
        case.inputs[order[0]] = {'shape': indices['shape'], 'dtype': 'i64', 'data': [v + a['n'] if -a['n'] <= v < 0 else v for v in case.data(indices)]}
        rename(['i'])
    else:
        raise Unsupported('no adapter for op %s in its ONNX form' % op)


def prepare(case):
    """Fills the attributes that need more than the case's own: formulas, module types, optimiser settings."""
    a, op = case.attributes, case.op
    if case.suite == 'onnx_node':
        from_onnx(case)
    labels = [n for n in case.inputs if not n.startswith(('gy', 'v'))]
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
    if op == 'batch_norm1d':
        a['before'] = len([n for n in case.inputs if n.startswith('x_before')])


def given_text(name, tensor):
    kind = {'i64': 'label', 'bool': 'truth'}.get(tensor['dtype'], 'real')
    return 'given<%s, element::%s, %s>' % (quoted(name), kind, shape_text(tensor['shape']))


def type_text(case, function_name):
    a = case.attributes
    if case.op in TRAINING or case.op in OPTIMIZERS:
        inputs = {}
    else:
        inputs = {n: t for n, t in case.inputs.items() if not re.fullmatch(r'gy\d*|mask\d*', n)}
    parameters = {} if 'module' in a else case.parameters
    texts = ['attribute<%s, %s>' % (quoted(k), attribute_text(v)) for k, v in sorted(a.items()) if k not in FOR_PEOPLE]
    if function_name:
        texts.append('attribute<"function", type_is<%s>>' % function_name)
    return 'test_case<given_list<%s>, given_list<%s>, attributes<%s>, %s>' % (
        ', '.join(given_text(n, t) for n, t in inputs.items()), ', '.join(given_text(n, t) for n, t in parameters.items()),
        ', '.join(texts), 'true' if case.gradient() else 'false')


def load(folder):
    cases = []
    for path in case_files(folder):
        case = Case(path, folder)
        cases.append(case)
        if case.op in NEXT:
            case.plan, case.reason = 'next', 'op %s' % case.op
            continue
        if case.op == 'statistics_count' and case.attributes['norm'] in NEXT:
            case.plan, case.reason = 'next', 'op %s of %s' % (case.op, case.attributes['norm'])
            continue
        try:
            if not os.path.exists(os.path.join(ADAPTERS, case.op + '.hpp')):
                raise Unsupported('no adapter for op %s' % case.op)
            prepare(case)
            type_text(case, 'x')
        except Unsupported as why:
            case.plan, case.reason = 'missing', 'op %s: %s' % (case.op, why)
    return cases


def cost(case):
    return WEIGHT.get(case.op, 1)


def unit_count(folder):
    """From the ops alone, so that it does not change when an adapter is added."""
    return max(1, -(-sum(WEIGHT.get(read(f)['op'], 1) for f in case_files(folder)) // UNIT_WEIGHT))


def units(cases, count):
    """Cases that run, grouped by op into `count` lists of about equal weight; cases of equal type stand together and are compiled once."""
    runnable = sorted((c for c in cases if c.plan == 'run'), key=lambda c: (c.op, type_text(c, c.function), c.id))
    groups, done, before = [[] for _ in range(count)], 0, None
    weights = []
    for case in runnable:
        text = type_text(case, case.function)
        weights.append(0 if text == before else cost(case))
        before = text
    total = sum(weights) or 1
    for case, weight in zip(runnable, weights):
        done += weight
        groups[min(count - 1, max(0, done - 1) * count // total)].append(case)
    return groups


def unit_source(number, cases):
    lines = ['// Written by generate.py.']
    lines += ['#include "%s"' % h for h in ['harness.hpp'] + ['adapters/%s.hpp' % op for op in sorted({c.op for c in cases})]]
    lines += ['', 'namespace conformance {', 'namespace {', '']
    functions, types, entries = {}, {}, []
    for case in cases:
        name = None
        if case.function:
            name = functions.get(case.function)
            if not name:
                name = functions[case.function] = 'function_%d_%d' % (number, len(functions))
                lines.append(case.function.replace('NAME', name))
        text = type_text(case, name)
        alias = types.get(text)
        if not alias:
            alias = types[text] = 'case_%d_%d' % (number, len(types))
            lines.append('using %s = %s;' % (alias, text))
        in_float = '&check_%s<%s, float>' % (case.op, alias) if case.in_float else 'nullptr'
        entries.append('    {%s, &check_%s<%s, double>, %s},' % (quoted(case.id), case.op, alias, in_float))
    lines += ['', 'constexpr entry entries[] = {'] + entries + ['    {nullptr, nullptr, nullptr},', '};', '', '}  // namespace',
              'std::span<entry const> unit_%d() { return {entries, std::size(entries) - 1}; }' % number, '}  // namespace conformance', '']
    return '\n'.join(lines)


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


def numbers(cases):
    index, blob, offset, shared = [], [], 0, {}

    def store(case, where, name, tensor, rtol=0, atol=0):
        nonlocal offset
        key = tensor.get('ref')
        if key and key in shared:
            at = shared[key]
        else:
            values = case.data(tensor)
            if len(values) != product(tensor['shape']):
                raise SystemExit('%s: %s has %d numbers for shape %s' % (case.id, name, len(values), tensor['shape']))
            at = offset
            blob.append(pack(values, tensor['dtype']))
            offset += len(values)
            if key:
                shared[key] = at
        index.append('\t'.join(['tensor', where, name, ' '.join(str(e) for e in tensor['shape']), str(at), repr(float(rtol)), repr(float(atol))]))

    for case in cases:
        index.append('\t'.join(['case', case.id, case.suite, case.op, case.plan, case.loss.get('kind', 'none'), repr(float(case.loss.get('p', 0))), case.reason]))
        if case.plan != 'run':
            continue
        for name, tensor in case.inputs.items():
            store(case, 'input', name, tensor)
        for name, tensor in case.parameters.items():
            store(case, 'parameter', name, tensor)
        for name, tensor in case.expect.items():
            store(case, 'wanted', name, tensor, *case.tolerance_of(name))
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
