# SPDX-License-Identifier: BSL-1.0
"""A case's formula (a Python expression) as C++ over espalier's functions."""
import ast


class Unsupported(Exception):
    """A case that no adapter can take, with the reason that the report gives."""


def shape_text(shape):
    return 'esp::shape<%s>' % ', '.join(str(e) for e in shape)


def number_text(value):
    text = repr(float(value))
    return text if text[0] != '-' else '(%s)' % text


class Formula(ast.NodeVisitor):
    """names: the tensors. minus_as_sum writes x - y as x + (-y)."""

    def __init__(self, names, minus_as_sum=False):
        self.names = names
        self.minus_as_sum = minus_as_sum

    def translate(self, text):
        return self.visit(ast.parse(text.strip(), mode='eval').body)

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
        if isinstance(node.op, ast.UAdd):
            return self.visit(node.operand)
        if not isinstance(node.op, ast.USub):
            raise Unsupported('an operator in the formula: %s' % type(node.op).__name__)
        number = self.constant(node)
        return number_text(number) if number is not None else '(-%s)' % self.visit(node.operand)

    def visit_Name(self, node):
        if node.id not in self.names:
            raise Unsupported('a name in the formula: %s' % node.id)
        return node.id

    def visit_Constant(self, node):
        return number_text(node.value)

    def visit_Attribute(self, node):
        if node.attr != 'T':
            raise Unsupported('an attribute in the formula: %s' % node.attr)
        return 'transpose(%s)' % self.visit(node.value)

    @staticmethod
    def constant(node):
        try:
            value = ast.literal_eval(node)
        except ValueError:
            return None
        return value if isinstance(value, (int, float)) else None

    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute):  # x.sum(0) is sum(x, 0)
            function, given = node.func.attr, [node.func.value] + node.args
        else:
            function, given = getattr(node.func, 'id', None), list(node.args)
        if not given:
            raise Unsupported('a function in the formula: %s()' % function)
        argument = self.visit(given[0])
        rest = [ast.literal_eval(a) for a in given[1:]] + [ast.literal_eval(k.value) for k in node.keywords]
        if function in ('summation', 'sum', 'logsumexp', 'mean'):
            axes = rest[0] if rest else None
            axes = [] if axes is None else list(axes) if isinstance(axes, (tuple, list)) else [axes]
            name = {'summation': 'sum'}.get(function, function)
            return 'esp::%s<%s>(%s)' % (name, ', '.join(str(a) for a in axes), argument)
        if function == 'broadcast_to':
            return 'esp::broadcast_to<%s>(%s)' % (shape_text(rest[0] if isinstance(rest[0], (tuple, list)) else rest), argument)
        if function == 'reshape':
            return 'esp::reshape<%s>(%s)' % (', '.join(str(e) for e in (rest[0] if isinstance(rest[0], (tuple, list)) else rest)), argument)
        if function == 'transpose':
            axes = rest[0] if len(rest) == 1 else rest
            return 'esp::transpose<%s>(%s)' % (', '.join(str(a) for a in axes or ()), argument) if axes else 'transpose(%s)' % argument
        if function in ('exp', 'log', 'tanh', 'relu', 'sqrt', 'sigmoid') and not rest:
            return '%s(%s)' % (function, argument)
        raise Unsupported('a function in the formula: %s' % function)

    def generic_visit(self, node):
        raise Unsupported('the formula has a %s' % type(node).__name__)


def function_text(names, body):
    """A struct NAME whose call takes the named tensors."""
    return 'struct NAME { constexpr auto operator()(%s) const { return %s; } };' % (', '.join('auto const& ' + n for n in names), body)
