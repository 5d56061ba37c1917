# SPDX-License-Identifier: BSL-1.0
"""Rewrites a case in ONNX's form of a node into the form of the other suites: roles by position, constant inputs and defaults as attributes."""
from formula import Unsupported

ELEMENTWISE = ('negate', 'exp', 'log', 'tanh', 'relu', 'sigmoid', 'sqrt', 'identity')
REDUCTIONS = ('summation', 'reduce_mean', 'reduce_max', 'logsumexp', 'reduce_sum_square')
NORMS = ('layer_norm', 'rms_norm', 'group_norm', 'instance_norm')


class Node:
    """A case by its positions: input_order and output_order, in which an absent input is an empty name or a name that the case does not give."""

    def __init__(self, case):
        self.case, self.a = case, case.attributes
        self.order, self.out = self.a.get('input_order') or list(case.inputs), self.a.get('output_order') or list(case.expect)
        self.shape = self.given(0)['shape'] if self.given(0) else []
        self.rank = len(self.shape)

    def given(self, place):
        return self.case.inputs.get(self.order[place]) if place < len(self.order) else None

    def numbers(self, place):
        return self.case.data(self.given(place)) if self.given(place) else None

    def integers(self, place):
        return None if self.given(place) is None else [int(v) for v in self.numbers(place)]

    def axis(self, otherwise, extra=0):
        axis = self.a.get('axis', otherwise)
        return axis if axis >= 0 else axis + self.rank + extra

    def rename(self, names, outputs=('y',), parameters=()):
        """The inputs by their new names, the rest dropped; those in `parameters` are learnable ones."""
        inputs = self.case.inputs
        renamed = {new: inputs[old] for new, old in zip(names, self.order) if old in inputs}
        if 'mask' in inputs and 'mask' not in renamed:
            renamed['mask'] = inputs['mask']
        self.case.inputs = {n: t for n, t in renamed.items() if n not in parameters}
        self.case.parameters.update({n: renamed[n] for n in parameters if n in renamed})
        keys = dict(zip(self.out, outputs))
        self.case.expect = {keys.get(k.replace('#f64', ''), k.replace('#f64', '')) + ('#f64' if k.endswith('#f64') else ''): t
                            for k, t in self.case.expect.items()}


def window(node):
    """Stride, padding (begin and end of each axis) and dilation of a convolution."""
    a, spatial = node.a, node.shape[2:]
    kernel = a.pop('kernel_shape', None) or node.given(1)['shape'][2:]
    strides = a.pop('strides', None) or [1] * len(spatial)
    dilations = a.pop('dilations', None) or [1] * len(spatial)
    pads = a.pop('pads', None) or [0] * (2 * len(spatial))
    how = a.pop('auto_pad', 'NOTSET')
    if how == 'VALID':
        pads = [0] * (2 * len(spatial))
    elif how.startswith('SAME'):
        total = [max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0) for n, s, k, d in zip(spatial, strides, kernel, dilations)]
        small, large = [t // 2 for t in total], [t - t // 2 for t in total]
        pads = large + small if how == 'SAME_LOWER' else small + large
    a.update(stride=strides, padding=pads, dilation=dilations, groups=a.pop('group', 1))


def split_sizes(node):
    """The extents of the pieces along the axis: given, or equal but for the last."""
    extent, count = node.shape[node.a['axis']], len(node.out)
    given = node.integers(1) or node.a.pop('split', None)
    each = -(-extent // count)
    return given or [min(each, extent - i * each) for i in range(count)]


def rewrite(case):
    node = Node(case)
    a, op, rename = node.a, case.op, node.rename
    if op in ('add', 'sub', 'mul', 'div', 'pow', 'matmul'):
        rename(['a', 'b'])
    elif op in ELEMENTWISE:
        rename(['x'])
    elif op == 'gemm':
        rename(['a', 'b', 'c'])
    elif op == 'transpose':
        a['perm'] = a.get('perm') or list(range(node.rank))[::-1]
        rename(['x'])
    elif op == 'reshape':
        keep = not a.pop('allowzero', 0)
        a['shape'] = [node.shape[i] if v == 0 and keep else v for i, v in enumerate(node.integers(1))]
        rename(['x'])
    elif op == 'flatten':
        a['axis'] = node.axis(1)
        rename(['x'])
    elif op == 'broadcast_to':
        given, asked = node.shape, node.integers(1)
        length = max(len(given), len(asked))
        a['shape'] = [max(p, q) for p, q in zip([1] * (length - len(given)) + given, [1] * (length - len(asked)) + asked)]
        rename(['x'])
    elif op in REDUCTIONS:
        axes = node.integers(1) or a.get('axes')
        a['keepdims'] = bool(a.get('keepdims', 1))
        a['none'] = axes is None and bool(a.pop('noop_with_empty_axes', 0))
        a.pop('noop_with_empty_axes', None)
        a['axes'] = axes
        rename(['x'])
    elif op in ('softmax', 'logsoftmax'):
        a['axis'] = node.axis(-1)
        rename(['x'])
    elif op in ('softmax_cross_entropy', 'nll_loss'):
        a['reduction'] = a.get('reduction', 'mean')
        a.setdefault('ignore_index', -100)
        rename(['x', 'target', 'class_weight'], ('y', 'log_prob'))
    elif op in NORMS:
        a['eps'] = a.pop('epsilon', 1e-5)
        a.pop('stash_type', None)
        if op == 'layer_norm':
            a['normalized_shape'] = node.shape[node.axis(-1):]
        elif op == 'rms_norm':
            a['normalized_dims'] = node.rank - node.axis(-1)
        a.pop('axis', None)
        rename(['x', 'weight', 'bias'], ('y', 'mean', 'inverse_std'), ('weight', 'bias'))
    elif op == 'batch_norm':
        # ONNX's momentum is the share of the old value, and its running variance is the biased one.
        a['eps'], a['momentum'], a['training'] = a.pop('epsilon', 1e-5), 1 - a.pop('momentum', 0.9), bool(a.pop('training_mode', 0))
        rename(['x', 'weight', 'bias', 'running_mean0', 'running_var0'], ('y', 'running_mean', 'running_var'), ('weight', 'bias'))
    elif op == 'mean_variance_norm':
        a['axes'] = a.get('axes') or [0, 2, 3]
        rename(['x'])
    elif op == 'lp_norm':
        a['axis'], a['p'] = node.axis(-1), a.get('p', 2)
        rename(['x'])
    elif op == 'dropout':
        ratio, training = node.numbers(1), node.numbers(2)
        a['p'] = ratio[0] if ratio else a.pop('ratio', 0.5)
        a.pop('ratio', None)
        a['training'] = bool(training and training[0])
        rename(['x'], ('y', 'mask'))
    elif op == 'one_hot':
        a['n'] = int(node.numbers(1)[0])
        a['off'], a['on'] = node.numbers(2)
        a['axis'] = node.axis(-1, 1)
        indices = node.numbers(0)
        case.inputs[node.order[0]] = {'shape': node.shape, 'dtype': 'i64', 'data': [v + a['n'] if -a['n'] <= v < 0 else v for v in indices]}
        rename(['i'])
    elif op == 'concat':
        a['axis'] = node.axis(0)
        rename(['x%d' % i for i in range(len(node.order))])
    elif op == 'split':
        a['axis'] = node.axis(0)
        a['sizes'] = split_sizes(node)
        a.pop('num_outputs', None)
        rename(['x'], ['y%d' % i for i in range(len(node.out))])
    elif op == 'conv_nchw':
        window(node)
        rename(['x', 'weight', 'bias'], parameters=('weight', 'bias'))
    elif op in ('onnx_adam', 'onnx_momentum'):
        pass  # the adapter knows ONNX's names
    else:
        raise Unsupported('no adapter for op %s in its ONNX form' % op)
