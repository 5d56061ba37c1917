#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The steps of functions.cpp in PyTorch and JAX: a process that python_functions.cpp starts, one for each implementation of a row.

    functions_python.py ROW IMPLEMENTATION FILE

FILE has the operands as float32: data, then all parameters. The results are the losses of the last of ten steps and all parameters after them
(python_turns.py). One thread. IMPLEMENTATION is torch_eager, torch_compiled, jax or jax_forward.
"""
import os
import sys

import numpy

import python_turns

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

STEPS = 10
ROWS = {"gan": ([(64, 64), (64, 64)], [(64, 128, 64), (64, 128, 1)]),
        "actor_critic": ([(100, 3), (100, 1), (100, 1), (100, 3)], [(3, 64, 64, 1), (4, 64, 64, 1)]),
        "pinn": ([(256, 1)], [(1, 32, 32, 32, 1)])}
RATE, EPSILON = 1e-3, 1e-8
BETA1 = {"gan": 0.5, "actor_critic": 0.9, "pinn": 0.9}
BETA2 = 0.999


def operands(row, path):
    """The data, and for each net the list of its weights and biases."""
    data_shapes, nets = ROWS[row]
    numbers, at = numpy.fromfile(path, dtype=numpy.float32), 0

    def taken(shape):
        nonlocal at
        count = int(numpy.prod(shape))
        at += count
        return numbers[at - count:at].reshape(shape).copy()

    data = [taken(shape) for shape in data_shapes]
    parameters = [[taken(shape) for i in range(1, len(net)) for shape in ((net[i - 1], net[i]), (net[i],))] for net in nets]
    assert at == len(numbers)
    return data, parameters


class Functions:
    """The nets and losses, written once in the functions of a library: relu, leaky_relu, tanh, softplus, mean, concatenate, and (for pinn) derivative(f, t),
    which is f(t) and its derivative for each element."""

    def __init__(self, of):
        self.of = of

    @staticmethod
    def perceptron(p, x, inner, outer=lambda y: y):
        for i in range(0, len(p) - 2, 2):
            x = inner(x @ p[i] + p[i + 1])
        return outer(x @ p[-2] + p[-1])

    def generator(self, p, z):
        return self.perceptron(p, z, self.of.relu, self.of.tanh)

    def discriminator(self, p, x):
        return self.perceptron(p, x, self.of.leaky_relu)

    def discriminator_loss(self, p, real, generated):
        return self.of.softplus(-self.discriminator(p, real)).mean() + self.of.softplus(self.discriminator(p, generated)).mean()

    def generator_loss(self, p, discriminator, z):
        return self.of.softplus(-self.discriminator(discriminator, self.generator(p, z))).mean()

    def actor(self, p, x):
        return self.perceptron(p, x, self.of.relu, self.of.tanh)

    def critic(self, p, x):
        return self.perceptron(p, x, self.of.relu)

    def value(self, slow_actor, slow_critic, reward, following):
        return reward + 0.98 * self.critic(slow_critic, self.of.concatenate(following, self.actor(slow_actor, following)))

    def critic_loss(self, p, x, value):
        return ((self.critic(p, x) - value) ** 2).mean()

    def actor_loss(self, p, critic, x):
        return -self.critic(critic, self.of.concatenate(x, self.actor(p, x))).mean()

    def position(self, p, t):
        return 1 + t * t * self.perceptron(p, t - 1.5, self.of.tanh)

    def equation_loss(self, p, t):
        position, velocity, acceleration = self.of.derivatives(lambda s: self.position(p, s), t)
        return ((acceleration + 0.6 * velocity + 4 * position) ** 2).mean()


def functional_step(row, of):
    """step(state, data) -> state, losses, without a side effect: what jit and torch.compile take as a whole."""
    f, beta1 = Functions(of), BETA1[row]

    def adam(parameters, state, gradients, scale1, scale2):
        first, second = state
        first = [beta1 * m + (1 - beta1) * g for m, g in zip(first, gradients)]
        second = [BETA2 * v + (1 - BETA2) * g * g for v, g in zip(second, gradients)]
        moved = [p - RATE * (m * scale1) / (of.sqrt(v * scale2) + EPSILON) for p, m, v in zip(parameters, first, second)]
        return moved, (first, second)

    def scales(count):
        count = count + 1
        return count, 1 / (1 - beta1 ** count), 1 / (1 - BETA2 ** count)

    def gan(state, data):
        (g, d, by_g, by_d, count), (x, z) = state, data
        count, *both = scales(count)
        d_loss, gradients = of.value_and_grad(f.discriminator_loss)(d, x, f.generator(g, z))
        d, by_d = adam(d, by_d, gradients, *both)
        g_loss, gradients = of.value_and_grad(f.generator_loss)(g, d, z)
        g, by_g = adam(g, by_g, gradients, *both)
        return (g, d, by_g, by_d, count), (d_loss, g_loss)

    def actor_critic(state, data):
        (a, c, by_a, by_c, slow_a, slow_c, count), (now, torque, reward, following) = state, data
        count, *both = scales(count)
        value = f.value(slow_a, slow_c, reward, following)
        loss, gradients = of.value_and_grad(f.critic_loss)(c, of.concatenate(now, torque), value)
        c, by_c = adam(c, by_c, gradients, *both)
        _, gradients = of.value_and_grad(f.actor_loss)(a, c, now)
        a, by_a = adam(a, by_a, gradients, *both)
        slow_a, slow_c = ([0.99 * s + 0.01 * p for s, p in zip(*pair)] for pair in ((slow_a, a), (slow_c, c)))
        return (a, c, by_a, by_c, slow_a, slow_c, count), (loss,)

    def pinn(state, data):
        (p, by_p, count), (t,) = state, data
        count, *both = scales(count)
        loss, gradients = of.value_and_grad(f.equation_loss)(p, t)
        p, by_p = adam(p, by_p, gradients, *both)
        return (p, by_p, count), (loss,)

    return {"gan": gan, "actor_critic": actor_critic, "pinn": pinn}[row]


def first_state(row, nets, of):
    def moments(net):
        return ([of.zeros_like(p) for p in net], [of.zeros_like(p) for p in net])

    both = tuple(nets) + tuple(moments(net) for net in nets)
    if row == "actor_critic":
        both += tuple([of.copied(p) for p in net] for net in nets)
    return both + (of.number(0.0),)


def nets_of(row, state):
    return state[:1] if row == "pinn" else state[:2] + (state[4:6] if row == "actor_critic" else ())


class Jax:
    def __init__(self, forward):
        import jax
        import jax.numpy as jnp
        jax.config.update("jax_platforms", "cpu")
        self.jax, self.jnp = jax, jnp
        self.relu, self.tanh, self.softplus, self.sqrt = jax.nn.relu, jnp.tanh, jax.nn.softplus, jnp.sqrt
        self.leaky_relu = lambda x: jax.nn.leaky_relu(x, 0.2)
        self.concatenate = lambda a, b: jnp.concatenate([a, b], 1)
        self.zeros_like, self.copied, self.number = jnp.zeros_like, jnp.array, lambda x: jnp.asarray(x, jnp.float32)
        self.value_and_grad = jax.value_and_grad
        self.derivatives = self.by_forward_mode if forward else self.by_reverse_mode

    def by_forward_mode(self, f, t):
        def with_velocity(s):
            return self.jax.jvp(f, (s,), (self.jnp.ones_like(s),))
        (position, velocity), (_, acceleration) = self.jax.jvp(with_velocity, (t,), (self.jnp.ones_like(t),))
        return position, velocity, acceleration

    def by_reverse_mode(self, f, t):
        def velocity(s):
            return self.jax.grad(lambda r: f(r).sum())(s)
        return f(t), velocity(t), self.jax.grad(lambda r: velocity(r).sum())(t)

    def started(self, row, path):
        data, nets = operands(row, path)
        data = [self.jnp.asarray(x) for x in data]
        step = self.jax.jit(functional_step(row, self), donate_argnums=0)

        class Run:
            def begin(run):
                run.state = first_state(row, [[self.jnp.array(p) for p in net] for net in nets], self)

            def step(run):
                run.state, run.losses = step(run.state, data)

            def finish(run):
                self.jax.block_until_ready(run.state)

            def results(run):
                return run.losses, nets_of(row, run.state)

        return Run()


class Torch:
    """torch_compiled runs the functional step as JAX does, torch_eager the same functions with autograd and torch.optim, as most programs do."""

    def __init__(self):
        import torch
        torch.set_num_threads(1)
        F = torch.nn.functional
        self.torch = torch
        self.relu, self.tanh, self.softplus, self.sqrt = torch.relu, torch.tanh, F.softplus, torch.sqrt
        self.leaky_relu = lambda x: F.leaky_relu(x, 0.2)
        self.concatenate = lambda a, b: torch.cat([a, b], 1)
        self.zeros_like, self.copied, self.number = torch.zeros_like, torch.clone, torch.tensor

    def value_and_grad(self, f):
        def both(*arguments):
            gradients, value = self.torch.func.grad_and_value(f)(*arguments)
            return value, gradients
        return both

    def derivatives(self, f, t):
        jvp, ones = self.torch.func.jvp, self.torch.ones_like(t)
        (position, velocity), (_, acceleration) = jvp(lambda s: jvp(f, (s,), (ones,)), (t,), (ones,))
        return position, velocity, acceleration

    def by_autograd(self, f, t):
        s = t.detach().requires_grad_()
        position = f(s)
        velocity, = self.torch.autograd.grad(position.sum(), s, create_graph=True)
        acceleration, = self.torch.autograd.grad(velocity.sum(), s, create_graph=True)
        return position, velocity, acceleration

    def tensors(self, row, path):
        data, nets = operands(row, path)
        return [self.torch.from_numpy(x) for x in data], [[self.torch.from_numpy(p) for p in net] for net in nets]

    def started(self, row, path):
        data, nets = self.tensors(row, path)
        step = self.torch.compile(functional_step(row, self), fullgraph=True, dynamic=False)

        class Run:
            def begin(run):
                run.state = first_state(row, [[p.clone() for p in net] for net in nets], self)

            def step(run):
                with self.torch.no_grad():
                    run.state, run.losses = step(run.state, data)

            def finish(run):
                pass

            def results(run):
                return run.losses, nets_of(row, run.state)

        return Run()

    def started_eager(self, row, path):
        torch = self.torch
        data, nets = self.tensors(row, path)
        f, self.derivatives = Functions(self), self.by_autograd

        class Run:
            def begin(run):
                run.nets = [[p.clone().requires_grad_() for p in net] for net in nets]
                run.slow = [[p.clone() for p in net] for net in nets] if row == "actor_critic" else []
                run.by = [torch.optim.Adam(net, lr=RATE, betas=(BETA1[row], BETA2), eps=EPSILON, fused=True) for net in run.nets]

            def update(run, which, loss):
                gradients = torch.autograd.grad(loss, run.nets[which])
                for p, g in zip(run.nets[which], gradients):
                    p.grad = g
                run.by[which].step()
                return loss.detach()

            def step(run):
                run.losses = getattr(run, row)(*data)

            def gan(run, x, z):
                g, d = run.nets
                with torch.no_grad():
                    generated = f.generator(g, z)
                return run.update(1, f.discriminator_loss(d, x, generated)), run.update(0, f.generator_loss(g, d, z))

            def actor_critic(run, now, torque, reward, following):
                (a, c), (slow_a, slow_c) = run.nets, run.slow
                with torch.no_grad():
                    value = f.value(slow_a, slow_c, reward, following)
                loss = run.update(1, f.critic_loss(c, self.concatenate(now, torque), value))
                run.update(0, f.actor_loss(a, c, now))
                with torch.no_grad():
                    torch._foreach_lerp_(slow_a + slow_c, a + c, 0.01)
                return (loss,)

            def pinn(run, t):
                return (run.update(0, f.equation_loss(run.nets[0], t)),)

            def finish(run):
                pass

            def results(run):
                return run.losses, run.nets + run.slow

        return Run()


def started(row, implementation, path):
    if implementation.startswith("jax"):
        return Jax(implementation == "jax_forward").started(row, path)
    if implementation == "torch_eager":
        return Torch().started_eager(row, path)
    return Torch().started(row, path)


def main():
    row, implementation, path = sys.argv[1:]
    run = started(row, implementation, path)
    run.begin()

    def results():
        run.begin()
        for _ in range(STEPS):
            run.step()
        losses, nets = run.results()
        return [x.detach() if hasattr(x, "detach") else x for x in (*losses, *(p for net in nets for p in net))]

    python_turns.take(run.step, run.finish, results, path)


if __name__ == "__main__":
    main()
