#!/usr/bin/env python3
"""The recordings of Linux's answers to filters (data/linux_filters.txt) and triggers (data/linux_triggers.txt), which
test_event_filters.py and test_event_triggers.py compare with ours.

The recording holds commands, in lines that begin with `$`, and what Linux 6.1 prints for each: the shell's error, the
filter file after the write, and error_log. To record again, or to add commands: edit the lines with `$`, run

    tests/boot/linux_filters.py [RECORDING] > commands

on the host, and `sh commands` on Linux 6.1 as root, in /sys/kernel/tracing. Its output, with [TIME] for the times, is
the recording.
"""
import re
import sys
from pathlib import Path

RECORDING = Path(__file__).parent / "data" / "linux_filters.txt"
TIME = re.compile(r"^\[ *\d+\.\d+\]", re.M)


def load(recording=RECORDING):
    """[(the command, the answer)]"""
    parts = re.split(r"^\$ (.*)\n", recording.read_text(), flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def with_answer(command):
    """The command, and those that print the answer."""
    file = command.rpartition("> ")[2]
    return f"{command}; cat {file}; cat error_log; echo > error_log"


def without_times(answer):
    return TIME.sub("[TIME]", answer)


def compare(machine, recording):
    """Fail with the commands of [(the command, the answer)] to which the machine answers something else."""
    differences = []
    for command, answer in recording:
        # The shell completes a name at a tab that is typed. All texts are in single quotes.
        typed = with_answer(command).replace("\t", "'\"$(printf '\\011')\"'")
        ours = without_times(machine.run(typed).output).replace(" set_wprobe clear_wprobe", "")  # newer than Linux 6.1
        if ours != answer:
            differences.append(f"$ {command}\nLinux:\n{answer}nop5:\n{ours}")
    assert not differences, f"{len(differences)} differences\n" + "\n".join(differences[:10])


if __name__ == "__main__":
    for command, _ in load(Path(sys.argv[1]) if sys.argv[1:] else RECORDING):
        print("echo '$ " + command.replace("'", r"'\''") + "'")
        print(with_answer(command))
