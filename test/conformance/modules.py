# SPDX-License-Identifier: BSL-1.0
"""Nested descriptions of modules as C++ types."""
from formula import Unsupported, number_text, shape_text


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


def chain_text(layers, features):
    """Layers in order, one sample at a time (adapters/sequence_model.hpp)."""
    activations = {'tanh': 'Tanh', 'sigmoid': 'Sigmoid', 'relu': 'ReLU', 'identity': 'Identity', 'linear': 'Identity'}
    texts = []
    for layer in layers:
        kind, size, activation = layer['type'], layer['size'], layer.get('activation', 'identity' if layer['type'] == 'dense' else 'tanh')
        if kind == 'dense' and activation in activations:
            texts.append('dense_layer<%d, %d, nn::%s>' % (features, size, activations[activation]))
        elif kind in ('lstm', 'gru') and activation == 'tanh':
            texts.append('nn::%sCell<%d, %d>' % (kind.upper(), features, size))
        else:
            raise Unsupported('layer %s with the activation %s' % (kind, activation))
        features = size
    return 'layer_chain<%s>' % ', '.join(texts)
