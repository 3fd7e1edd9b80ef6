"""Naive reference of shape-based compliance, from the thesis's equations as corrected.

Windows live in a dictionary by their number and are kept permanently. Phases are integrated numerically along the body,
Jacobians are differences, and admittances are integrated in small steps.
"""

from __future__ import annotations

from math import floor

import numpy as np

EARLY = 40.0  # slopes ahead of and behind the body within which windows are looked after
SEEN = 10.0
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(6)
GRID = ((np.arange(60)[:, None] + 0.5 * (POINTS + 1.0)) / 60.0).ravel()  # on 0 .. 1
RULE = np.tile(0.5 * WEIGHTS / 60.0, 60)


def sigmoid(z):
    return 0.5 * (1.0 + np.tanh(0.5 * z))


class NaiveShape:
    """One law at work; `angle(joint, value, integral)` is the shape function, parameters by name."""

    def __init__(self, controller, place, joints, angle, period, torque_sign=-1.0):
        self.c, self.place, self.joints, self.angle = controller, place, joints, angle
        self.period, self.torque_sign = period, torque_sign
        self.last = float(np.nanmax(place))
        self.parameters = {p.name: p for p in controller.in_order}
        self.sets = {w.name: w for w in controller.windows}
        self.time = 0.0
        self.state = {p.name: {} for p in controller.in_order}  # by window: [x, x', shift]
        self.been = {name: set() for name in self.sets}
        self.edges = {}
        self.joined = {name: set() for name in self.sets}  # windows that act as one with the next
        self.beginning = True
        for p in controller.in_order:
            if not p.windows:
                self.state[p.name][0] = [self.first_deviation(p), 0.0, 0.0]
        self.place_windows()
        self.beginning = False

    def first_deviation(self, p):
        return 0.0 if p.initial is None or not self.beginning else p.initial - self.nominal(p.name)

    def nominal(self, name):
        runs = 2.0 * np.pi * self.c.gait.frequency * self.time if name == "phase" else 0.0
        return self.c.gait.nominal(name) + runs

    def value(self, name, window):
        return self.nominal(name) + self.state[name][window if self.parameters[name].windows else 0][0]

    def need(self, w, window, neighbour):
        """A window that is new."""
        for p in self.parameters.values():
            if p.windows == w.name and window not in self.state[p.name]:
                copied = w.fresh == "neighbour" and neighbour in self.state[p.name] and neighbour != window
                fresh = [self.first_deviation(p), 0.0, 0.0]
                self.state[p.name][window] = list(self.state[p.name][neighbour]) if copied else fresh

    def place_windows(self):
        """Edges of each set, as `{window: start}`."""
        for w in self.sets.values():
            leader = self.parameters[w.pace].windows
            reach = EARLY / w.slope
            if not w.clock:
                starts, k, start = {}, 0, 0.0
                while not starts or start < self.last + reach:
                    self.need(w, k, k - 1 if starts else k)
                    starts[k] = start
                    start += w.span / self.value(w.pace, k)
                    k += 1
                self.edges[w.name] = starts
                continue
            clock = self.parameters[w.clock]
            phase = self.nominal(w.clock) if clock.windows else self.value(w.clock, 0)
            k0 = floor((-phase - w.anchor) / w.span)

            def position(k, w=w, leader=leader, phase=phase, k0=k0):
                if leader and leader != w.name:
                    return self.where(leader, w.anchor + k * w.span)
                self.need(w, k0, k0)
                start = (w.anchor + k0 * w.span + phase) / self.value(w.pace, k0)
                for j in range(k0, k):
                    self.need(w, j, j - 1)
                    start += w.span / self.value(w.pace, j)
                for j in range(k0 - 1, k - 1, -1):
                    self.need(w, j, j + 1)
                    start -= w.span / self.value(w.pace, j)
                return start

            first = k0
            while position(first) > -reach:
                first -= 1
            first -= 1
            starts, k = {}, first
            while not starts or position(k) < self.last + reach:
                starts[k] = position(k)
                k += 1
            for k in range(k0, first - 1, -1):
                self.need(w, k, k + 1 if k < k0 else k)
            for k in range(k0, k0 + len(starts)):
                if k in starts:
                    self.need(w, k, k - 1 if k > first else k)
            self.edges[w.name] = starts

    def where(self, leader, phase):
        """Position of a phase by the windows that set the pace."""
        w, starts = self.sets[leader], self.edges[leader]
        k = min(max(floor((phase - w.anchor) / w.span), min(starts)), max(starts))
        return starts[k] + (phase - w.anchor - k * w.span) / self.value(w.pace, k)

    def weight(self, name, window, s):
        """sigma(m (s - a)) - sigma(m (s - b)), outer edges at infinity."""
        if not name:
            return 1.0
        starts, slope = self.edges[name], self.sets[name].slope
        a = -np.inf if window == min(starts) else starts[window]
        b = np.inf if window == max(starts) else starts[window + 1]
        return sigmoid(slope * (s - a)) - sigmoid(slope * (s - b))

    def windows(self, p):
        return sorted(self.edges[p.windows]) if p.windows else [0]

    def field(self, p, s):
        return sum(self.weight(p.windows, k, s) * self.value(p.name, k) for k in self.windows(p))

    def theta(self):
        """Angles of the moved joints from the parameters there and their integrals, by Gauss's rule on 60 panels."""
        s = self.place[self.joints]
        points = s[:, None] * GRID
        value = {p.name: self.field(p, s) + 0.0 * s for p in self.parameters.values()}
        integral = {p.name: s * ((self.field(p, points) + 0.0 * points) @ RULE) for p in self.parameters.values()}
        at = [({n: v[i] for n, v in value.items()}, {n: v[i] for n, v in integral.items()}) for i in range(len(s))]
        return np.array([self.angle(joint, *at[i]) for i, joint in enumerate(self.joints)])

    def column(self, name, window, step=1e-5):
        """Slope of all angles by one parameter in one window, edges held."""
        cell = self.state[name][window]
        here = cell[0]
        sides = []
        for way in (1.0, -1.0):
            cell[0] = here + way * step
            sides.append(self.theta())
        cell[0] = here
        return (sides[0] - sides[1]) / (2.0 * step)

    def felt(self, torques):
        sized = np.minimum(np.maximum(np.abs(torques) - self.c.dead_band, 0.0), self.c.torque_limit)
        return self.torque_sign * np.sign(torques) * sized

    def tick(self, torques):
        """One period with torques of the drives over all joints [N m]."""
        push = self.felt(np.asarray(torques))[self.joints]
        forces = {
            (p.name, k): float(self.column(p.name, k) @ push) for p in self.parameters.values() for k in self.windows(p)
        }
        for name in ["", *self.sets]:
            if name and self.sets[name].split_above:
                self.merge(self.sets[name], forces, push)
            self.carry(name, forces)
        self.time += self.period
        self.place_windows()

    def merge(self, w, forces, push):
        """Neighbours join and part by the greatest torque they feel; joined ones share forces and come together."""
        on, s = self.on_body(w.name), self.place[self.joints]
        load = {k: max(abs(tau) * self.weight(w.name, k, x) for tau, x in zip(push, s)) for k in on}
        for k in on[:-1]:
            if max(load[k], load[k + 1]) < w.merge_below:
                self.joined[w.name].add(k)
            elif max(load[k], load[k + 1]) > w.split_above:
                self.joined[w.name].discard(k)
        runs = [[on[0]]]
        for k in on[1:]:
            if k - 1 in self.joined[w.name]:
                runs[-1].append(k)
            else:
                runs.append([k])
        for p in (p for p in self.parameters.values() if p.windows == w.name):
            for run in runs:
                total = sum(forces[p.name, k] for k in run)
                mean = np.mean([self.state[p.name][k][:2] for k in run], axis=0)
                for k in run:
                    forces[p.name, k] = total
                    cell = self.state[p.name][k]
                    cell[:2] = mean + np.exp(-self.period / w.merge_time) * (np.array(cell[:2]) - mean)

    def carry(self, name, forces):
        """All parameters of one set of windows over a period."""
        mine = [p for p in self.parameters.values() if p.windows == name]
        on_body = self.on_body(name)
        for k in self.windows(mine[0]) if mine else []:
            fresh = bool(name) and k not in self.been[name] and k not in on_body
            if k in on_body or (fresh and self.sets[name].fresh == "nominal"):
                for p in mine:
                    self.integrate(p, k, forces[p.name, k], self.share(name, k))
        if name and self.sets[name].fresh == "neighbour":
            for k in self.edges[name]:
                if k not in self.been[name] and k not in on_body:
                    for p in mine:
                        self.state[p.name][k] = list(self.state[p.name][min(max(k, min(on_body)), max(on_body))])
        if name:
            self.been[name] |= set(on_body)

    def on_body(self, name):
        if not name:
            return [0]
        starts, margin = self.edges[name], SEEN / self.sets[name].slope
        ends = {k: starts.get(k + 1, np.inf) for k in starts}
        return [
            k for k in sorted(starts) if ends[k] >= -margin and (starts[k] <= self.last + margin or k == min(starts))
        ]

    def share(self, name, k):
        """Fraction of the body between its first and last joint that a window covers."""
        if not name:
            return 1.0
        starts = self.edges[name]
        start = 0.0 if k == min(starts) else max(starts[k], 0.0)
        end = self.last if k == max(starts) else min(starts[k + 1], self.last)
        return max(end - start, 0.0) / self.last

    def integrate(self, p, k, force, share):
        cell = self.state[p.name][k]
        bias = p.bias * share if p.shared else p.bias
        if p.adapt_rate:
            way = 1.0 if bias >= 0 else -1.0
            load = -force * way
            if load < p.adapt_low * abs(bias):
                cell[2] += p.adapt_rate * self.period * way
            elif load > p.adapt_high * abs(bias):
                cell[2] -= p.adapt_rate * self.period * way
            cell[2] = min(max(cell[2], p.low - self.nominal(p.name)), p.high - self.nominal(p.name))
        sign = p.sign[k % len(p.sign)]
        total = sign * force + bias + p.stiffness * cell[2]

        def slope(y):
            return np.array([y[1], (total - p.damping * y[1] - p.stiffness * y[0]) / p.mass])

        y, h = np.array(cell[:2]), self.period / 10
        for _ in range(10):
            k1 = slope(y)
            k2 = slope(y + 0.5 * h * k1)
            k3 = slope(y + 0.5 * h * k2)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + h * k3))
        cell[:2] = y
        value = self.value(p.name, k)
        kept = min(max(value, p.low), p.high)
        if kept != value:
            cell[0] += kept - value
            cell[1] = 0.0

    def angles(self):
        """Targets of the moved joints [rad]."""
        limit = self.c.angle_limit
        return np.clip(self.theta(), -limit, limit)
