#!/usr/bin/python3
"""Record what Linux 6.1 answers to the hist commands in commands.txt.

    tests/boot/hist/record.py        writes commands.linux, with /work/shared/tools/linux-ref or $LINUX_REF

The recording has, for each command: the command behind "@@ ", what the shell printed, the trigger
file, and error_log without its times. tests/boot/test_hist.py expects the same from nop5.
"""
import os
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINUX_REF = os.environ.get("LINUX_REF", "/work/shared/tools/linux-ref")
EVENT = "events/sched/sched_switch"


def commands():
    return (HERE / "commands.txt").read_text().splitlines()


def script():
    """Shell lines that apply each command to an event without triggers, and print the answer."""
    for command in commands():
        yield f"echo '@@ {command}'"
        yield f"echo '{command}' > {EVENT}/trigger"
        yield "echo status $?"
        yield f"cat {EVENT}/trigger"
        yield "cat error_log"
        yield "echo > error_log"


def answers(text):
    """{command: its answer} from what the script printed."""
    text = re.sub(r"^\[ *\d+\.\d+\] ", "", text.replace("\r", ""), flags=re.M)
    parts = re.split(r"^@@ (.*)\n", text, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def recording():
    return answers((HERE / "commands.linux").read_text())


if __name__ == "__main__":
    shell = "\n".join(script()) + "\n"
    printed = subprocess.run([LINUX_REF], input=shell, capture_output=True, text=True, check=True).stdout
    with (HERE / "commands.linux").open("w") as file:
        for name, answer in answers(printed).items():
            file.write(f"@@ {name}\n{answer}")
