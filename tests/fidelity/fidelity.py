#!/usr/bin/python3
"""Type the same commands on Linux and on nop5, and count the equal answers: `make fidelity`.

    tests/fidelity/fidelity.py [SCENARIO…]                     boots nop5, compares with what Linux 6.1 has answered
    tests/fidelity/fidelity.py --record LINUX_REF [SCENARIO…]  writes Linux's answers, with shared/tools/linux-ref

A scenario is a file here, NAME.txt: lines "$ COMMAND" with Linux's answer below each. The commands of a scenario follow one
another in /sys/kernel/tracing, each in a shell of its own, so that one does not see the variables of another; all scenarios
run in one boot. A first line "recorded on: KERNEL" says that another kernel has answered: --record then wants the
scenario's name. A line "differs: REASON" before a command says why its answer differs here: it is counted apart, and must differ.

The exit status is 1 if an answer differs without a reason, or is equal although a reason is given.
"""
import argparse
import base64
import gzip
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CHUNK = 800  # characters: busybox edits lines of at most 1,023
MARK = "@@ command {}\n"
NEWER = " set_wprobe clear_wprobe"  # in the list of triggers: those that Linux 6.1 does not have


class Command:
    def __init__(self, reason, text, answer):
        self.reason, self.text, self.answer = reason, text, answer

    def __str__(self):
        return f"{'differs: ' + self.reason + chr(10) if self.reason else ''}$ {self.text}\n{self.answer}"


def scenario(path):
    """The commands of a file."""
    found = re.findall(r"^(?:differs: (.*)\n)?\$ (.*)\n((?:(?!\$ |differs: ).*\n)*)", path.read_text(), re.M)
    return [Command(*one) for one in found]


def recorded_on(path):
    """The line that names another kernel than the usual one, or an empty string."""
    return re.match(r"(recorded on: .*\n)?", path.read_text())[0]


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def answers(boot, commands):
    """Runs the commands in one boot of a kernel, and returns what each printed."""
    lines = ["cd /sys/kernel/tracing", "dmesg -n 1"]
    for number, command in enumerate(commands):
        lines += [f"echo '{MARK.format(number)[:-1]}'", f"sh -c {quoted(command.text)} 2>&1"]
    packed = base64.b64encode(gzip.compress("\n".join(lines).encode(), mtime=0)).decode()
    typed = [f"echo {packed[at:at + CHUNK]} >> /tmp/packed" for at in range(0, len(packed), CHUNK)]
    typed.append(f"base64 -d /tmp/packed | gunzip > /tmp/script; sh /tmp/script; echo '{MARK.format(len(commands))[:-1]}'")
    run = subprocess.run([*boot, *typed], stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    result = []
    for number in range(len(commands)):
        between = re.search(f"{MARK.format(number)}(.*?){MARK.format(number + 1)}", run.stdout, re.S)
        if not between:
            sys.exit(f"fidelity: no answer to: {commands[number].text}\n{run.stdout[-1000:]}")
        result.append(between[1].replace(NEWER, ""))
    return result


def compare(scenarios, found):
    """Prints the table and the differences. Returns whether all differences have a reason, and all reasons a difference."""
    at, equal, known, good = 0, 0, 0, True
    for name, commands in scenarios.items():
        same = 0
        for command in commands:
            answer, at = found[at], at + 1
            same += answer == command.answer
            known += answer != command.answer and bool(command.reason)
            if (answer == command.answer) == bool(command.reason):
                good = False
                print(f"{name}: {command.text}\n  Linux: {command.answer!r}\n  nop5:  {answer!r}"
                      f"{chr(10) + '  equal, although: ' + command.reason if command.reason else ''}")
        equal += same
        print(f"{name:20} {same:4} of {len(commands):4} answers are equal")
    print(f"fidelity: {equal} of {at} answers are equal to those of Linux 6.1, {known} differ for a reason")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", metavar="LINUX_REF")
    parser.add_argument("names", nargs="*", metavar="SCENARIO")
    args = parser.parse_args()
    scenarios = {path.stem: scenario(path) for path in sorted(HERE.glob("*.txt"))
                 if (path.stem in args.names if args.names else not args.record or not recorded_on(path))}
    commands = [command for one in scenarios.values() for command in one]
    if args.record:
        for command, answer in zip(commands, answers([args.record], commands)):
            command.answer = answer
        for name, one in scenarios.items():
            path = HERE / f"{name}.txt"
            path.write_text(recorded_on(path) + "".join(map(str, one)))
        return 0
    boot = ["scripts/boot", "--cpus", "2", "--initrd", "build/rootfs.cpio"]
    return 0 if compare(scenarios, answers(boot, commands)) else 1


if __name__ == "__main__":
    sys.exit(main())
