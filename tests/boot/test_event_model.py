"""Filters and histograms agree with a model: Python computes from the unfiltered events what each must give.

The test kernel fires the event model:model with random values. One instance records all events. Other instances have
the same event with a random filter and a random histogram each.
"""
import random
import re
from collections import defaultdict
from fnmatch import fnmatchcase

import pytest

from seed import seed

TRACING = "/sys/kernel/tracing"
SIZES = {"u64": 8, "s64": 8, "u32": 4, "s32": 4, "u16": 2, "s16": 2, "u8": 1, "s8": 1}
STRINGS = ("name", "text")
EVENTS = 100
FIELD = re.compile(r"(\w+)=(\S*)")


def parse(line):
    """The fields of one line of `trace`."""
    fields = dict(FIELD.findall(line))
    return {name: fields[name] if name in STRINGS else int(fields[name]) for name in (*SIZES, *STRINGS)}


class Filter:
    """A random filter: its text, and the function that says whether an event matches."""

    def __init__(self, rng, values):
        self.rng, self.values = rng, values
        self.text, self.matches = self.expression(rng.randrange(4))

    def expression(self, depth):
        kind = self.rng.choice("pp&|!") if depth else "p"
        if kind == "p":
            return self.predicate()
        if kind == "!":
            text, matches = self.expression(depth - 1)
            return f"!({text})", lambda e: not matches(e)
        (left, a), (right, b) = self.expression(depth - 1), self.expression(depth - 1)
        if kind == "&":
            return f"({left}) && ({right})", lambda e: a(e) and b(e)
        return f"({left}) || ({right})", lambda e: a(e) or b(e)

    def predicate(self):
        field = self.rng.choice((*SIZES, *STRINGS))
        return self.string(field) if field in STRINGS else self.number(field)

    def number(self, field):
        op = self.rng.choice(["==", "!=", "<", "<=", ">", ">=", "&"])
        value = self.rng.choice(self.values)[field] if self.rng.random() < 0.7 else self.rng.randrange(10)
        text = hex(value) if value >= 0 and self.rng.random() < 0.3 else str(value)
        mask = (1 << 8 * SIZES[field]) - 1
        return f"{field} {op} {text}", {
            "==": lambda e: e[field] == value, "!=": lambda e: e[field] != value,
            "<": lambda e: e[field] < value, "<=": lambda e: e[field] <= value,
            ">": lambda e: e[field] > value, ">=": lambda e: e[field] >= value,
            "&": lambda e: e[field] & value & mask != 0}[op]

    def string(self, field):
        op = self.rng.choice(["==", "!=", "~"])
        value = self.rng.choice(self.values)[field] or "a"
        if op == "~":
            at = self.rng.randrange(len(value))
            pattern = self.rng.choice([value, f"{value[:at]}*", f"*{value[at:]}", f"*{value[at:]}*",
                                       f"{value[:at]}?{value[at + 1:]}", f"{value[:at]}[ab]*"])
            return f'{field} ~ "{pattern}"', lambda e: fnmatchcase(e[field], pattern)
        return f'{field} {op} "{value}"', lambda e: (e[field] == value) == (op == "==")


class Histogram:
    """A random histogram: its trigger, and what it counts for a list of events."""

    MODIFIERS = ("", "", "", ".hex", ".log2", ".buckets=16")

    def __init__(self, rng):
        names = rng.sample([*SIZES, *STRINGS], rng.randrange(1, 4))
        self.keys = [(n, self.modifier(rng, n)) for n in names]
        self.values = rng.sample([n for n in SIZES if n not in names], rng.randrange(3))
        self.trigger = "hist:keys=" + ",".join(n + m for n, m in self.keys)
        if self.values:
            self.trigger += ":vals=" + ",".join(self.values)

    def modifier(self, rng, name):
        """A modifier that fits. Linux's .log2 has no right answer for numbers from 2^63 on."""
        modifier = "" if name in STRINGS else rng.choice(self.MODIFIERS)
        return "" if modifier == ".log2" and name not in ("u32", "u16", "u8") else modifier

    @staticmethod
    def key_text(value, modifier):
        """The key as the file hist prints it. Numbers are 64 bits without a sign."""
        if isinstance(value, str):
            return value
        value &= (1 << 64) - 1
        if modifier == ".hex":
            return f"{value:x}"
        if modifier == ".log2":
            return f"~ 2^{max(value - 1, 0).bit_length()}"
        if modifier == ".buckets=16":
            return f"~ {value - value % 16}-{value - value % 16 + 15}"
        return str(value)

    def expected(self, events):
        table = defaultdict(lambda: [0] * (1 + len(self.values)))
        for event in events:
            entry = table[tuple(self.key_text(event[n], m) for n, m in self.keys)]
            entry[0] += 1
            for i, name in enumerate(self.values):
                entry[1 + i] = (entry[1 + i] + event[name]) & ((1 << 64) - 1)
        return dict(table)

    def read(self, text):
        table = {}
        for keys, rest in re.findall(r"^\{ (.*) \}(.*)$", text, re.M):
            key = tuple(part.split(":", 1)[1].strip() for part in re.split(r", (?=\w+: )", keys))
            assert key not in table, text
            table[key] = [int(n) for n in re.findall(r": +(\d+)", rest)]
        return table


def raw_lines(machine, instance):
    return re.findall(r"^ ?model: .*$", machine.check(f"cat instances/{instance}/trace"), re.M)


def compare_rounds(machine, rounds, instances, rng):
    names = [f"m{i}" for i in range(instances)]
    machine.check(f"cd {TRACING}")
    for name in ("raw", *names):
        machine.check(f"mkdir instances/{name}; echo 0 > instances/{name}/options/context-info; "
                      f"echo 1 > instances/{name}/events/model/model/enable")
    values = [dict.fromkeys(SIZES, 0) | dict.fromkeys(STRINGS, "a")]
    for _ in range(rounds):
        filters = [Filter(rng, values) for _ in names]
        histograms = [Histogram(rng) for _ in names]
        for name, f, h in zip(names, filters, histograms):
            event = f"instances/{name}/events/model/model"
            machine.check(f"echo '{f.text}' > {event}/filter; echo '{h.trigger}' > {event}/trigger; echo > instances/{name}/trace")
        machine.check(f"echo > instances/raw/trace; echo {rng.randrange(1, 1 << 60)} {EVENTS} > /sys/kernel/debug/model_events")
        lines = raw_lines(machine, "raw")
        values = [parse(line) for line in lines]
        assert len(lines) == EVENTS
        for name, f, h in zip(names, filters, histograms):
            assert raw_lines(machine, name) == [l for l, v in zip(lines, values) if f.matches(v)], f.text
            text = machine.check(f"cat instances/{name}/events/model/model/hist")
            assert h.read(text) == h.expected(values), f"{h.trigger}\n{text}"
            assert f"Hits: {EVENTS}\n" in text and "Dropped: 0\n" in text
            machine.check(f"echo '!{h.trigger}' > instances/{name}/events/model/model/trigger")
    for name in ("raw", *names):
        machine.check(f"rmdir instances/{name}")


def test_random_filters_and_histograms_agree_with_a_model(boot):
    compare_rounds(boot(kernel="nop5-test", cpus=2), 3, 6, random.Random(seed(13)))


@pytest.mark.soak
def test_thousands_of_random_filters_and_histograms_agree_with_a_model(boot):
    compare_rounds(boot(kernel="nop5-test", cpus=2), 200, 16, random.Random(seed(17)))
