"""The format of each event is Linux's, as data/linux_formats.txt records it.

Differences and missing events stand in data/format_differences.txt, one line each, with the reason:

    SYSTEM:NAME missing REASON      Linux has the event, we do not
    SYSTEM:NAME format REASON       the formats differ

NAME may be a pattern. A line that is no longer true fails the test, too.
"""
import re
from fnmatch import fnmatchcase

import pytest

import linux_formats

DIFFERENCES = linux_formats.RECORDING.with_name("format_differences.txt")
FIELD = re.compile(r"\tfield:(.+?)\b(\w+)((?:\[[^\]]*\])?);\toffset:(\d+);\tsize:(\d+);\tsigned:([01]);")


@pytest.fixture(scope="module")
def formats(shared_machines):
    """{"SYSTEM:NAME": the whole format file}"""
    machine, found = shared_machines["nop5"].get(), {}
    for system in machine.check("ls /sys/kernel/tracing/events").split():
        directory = f"/sys/kernel/tracing/events/{system}"
        names = [name for name in machine.run(f"ls {directory}").output.split() if name not in ("enable", "filter", directory)]
        for some in (names[at:at + 30] for at in range(0, len(names), 30)):
            text = machine.fetch(f"cd {directory}; cat {' '.join(name + '/format' for name in some)}")
            for part in re.findall(r"^name: .*?^print fmt: .*?\n(?=name: |\Z)", text, re.S | re.M):
                found[f"{system}:{re.match(r'name: (.+)', part).group(1)}"] = part
    machine.check("cd /")
    return found


def differences():
    lines = [line.split(None, 2) for line in DIFFERENCES.read_text().splitlines() if line and not line.startswith("#")]
    for line in lines:
        assert len(line) == 3 and line[1] in ("missing", "format"), f"{' '.join(line)}: SYSTEM:NAME, kind and reason"
    return [(pattern, kind) for pattern, kind, _ in lines]


def compare(kind, found):
    """found: the events that differ in this way. All of them, and no others, must be in the list."""
    listed = [pattern for pattern, of_kind in differences() if of_kind == kind]
    unlisted = sorted(event for event in found if not any(fnmatchcase(event, pattern) for pattern in listed))
    obsolete = [pattern for pattern in listed if not any(fnmatchcase(event, pattern) for event in found)]
    assert not unlisted, f"{kind}, and not in {DIFFERENCES.name}: {unlisted}"
    assert not obsolete, f"in {DIFFERENCES.name} as {kind}, but not true any more: {obsolete}"


def without_data(event, body):
    """The format as it is without the data that arguments of system calls point to: fields __NAME_val, which Linux 6.1 does not have."""
    if not event.startswith("syscalls:sys_enter_"):
        return body
    body = re.sub(r"\tfield:__data_loc char\[\] __\w+_val;.*\n", "", body)
    return re.sub(r' \(%s\)| \\"%s\\"|, __(?:get_str|print_dynamic_array)\(__\w+_val(?:, 1)?\)', "", body)


def test_each_format_is_identical_to_that_of_linux(formats):
    linux = linux_formats.load()
    assert len(formats) > 10
    compare("format", {event for event in formats if event in linux and
                       without_data(event, linux_formats.body(formats[event])) != linux[event]})


def test_each_event_of_these_systems_exists_or_has_a_reason(formats):
    compare("missing", set(linux_formats.load()) - set(formats))


def test_fields_ascend_and_fit_into_their_sizes(formats):
    integers = {"char": 1, "short": 2, "int": 4, "long": 8, "long long": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "bool": 1}
    for event, text in formats.items():
        end = 0
        fields = [FIELD.fullmatch(line) for line in text.splitlines() if line.startswith("\tfield:")]
        assert all(fields), text
        for c_type, name, array, offset, size, _ in (field.groups() for field in fields):
            assert int(offset) >= end, f"{event}: {name} overlaps the field before it"
            end = int(offset) + int(size)
            words = re.sub(r"\b(?:unsigned|signed|const)\b", "", c_type).strip() or "int"
            count = int(array[1:-1]) if re.fullmatch(r"\[\d+\]", array) else 1
            # An argument of a system call has the size of a register, whatever its type.
            argument = event.startswith("syscalls:sys_enter_") and int(offset) >= 16
            if words in integers and array != "[]" and not argument:
                assert int(size) == integers[words] * count, f"{event}: the size of {name}"
            if c_type.startswith("__data_loc"):
                assert int(size) == 4 and int(offset) % 4 == 0, f"{event}: {name}"


def test_each_event_has_a_number_of_its_own(formats):
    numbers = {event: int(re.search(r"^ID: (\d+)$", text, re.M).group(1)) for event, text in formats.items()}
    assert len(set(numbers.values())) == len(numbers)
    linux = {"function": 1, "kernel_stack": 4, "print": 5, "bprint": 6, "funcgraph_exit": 10, "funcgraph_entry": 11,
             "user_stack": 12, "bputs": 14, "raw_data": 18}
    assert {name: numbers[f"ftrace:{name}"] for name in linux} == linux
    assert all(number >= 20 for event, number in numbers.items() if not event.startswith("ftrace:"))
