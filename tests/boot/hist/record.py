#!/usr/bin/python3
"""Record what Linux 6.1 answers to the hist commands in commands.txt, and the histograms of events.txt.

    tests/boot/hist/record.py        writes commands.linux, histograms.linux and markers.linux, with
                                     /work/shared/tools/linux-ref or $LINUX_REF

Each line of events.txt is an event with the fields u64 a, s32 b, char[] c. On Linux, feed.c makes system calls with
these arguments, and a kprobe records them; on nop5, they are the synthetic event "feed". histograms.linux is the
hist file with all triggers of histograms.txt. markers.linux is the hist file of ftrace:print, the event of
trace_marker, for MARKER_HISTOGRAMS and MARKER_LINES.

The recording has, for each command: the command behind "@@ ", what the shell printed, the trigger
file, and error_log without its times. tests/boot/test_hist.py expects the same from nop5.
"""
import os
import re
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINUX_REF = os.environ.get("LINUX_REF", "/work/shared/tools/linux-ref")
EVENT = "events/sched/sched_switch"
PRINT = "events/ftrace/print"
# The address of the writer and the task differ between kernels, so keys and values are what does not.
MARKER_HISTOGRAMS = ["hist:keys=ip.log2", "hist:keys=common_preempt_count if buf ~ \"a*\"",
                     "hist:keys=common_preempt_count.hex,ip.log2:vals=common_preempt_count if buf ~ \"*b*\"",
                     "hist:keys=common_preempt_count if buf ~ \"*c\"", "hist:keys=ip.log2 if buf == \"a\"",
                     "hist:keys=ip.log2 if buf ~ \"*bc*\" || buf ~ \"c*\" && !(buf ~ \"*e*\")",
                     "hist:keys=ip.log2:x=common_preempt_count+3:onmax($x).save(common_preempt_count) if buf ~ \"*d*\"",
                     "hist:keys=buf", "hist:keys=ip.log2:vals=buf"]
MARKER_LINES = ["a", "ab", "abc", "b", "c", "cd", "ce", "a longer line with b and d", "d", "dd"]


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


def feed_script(event):
    """Shell lines that give the event the triggers of histograms.txt. Some are wrong, and refused."""
    for command in (HERE / "histograms.txt").read_text().splitlines():
        yield f"echo '{command}' >> events/{event}/trigger"


def marker_script():
    """Shell lines that count MARKER_LINES and print the histograms. Some commands are wrong, and refused."""
    for command in MARKER_HISTOGRAMS:
        yield f"echo '{command}' >> {PRINT}/trigger"
    for line in MARKER_LINES:
        yield f"echo '{line}' > trace_marker"
    yield f"cat {PRINT}/hist"


def linux(script, *options):
    return subprocess.run([LINUX_REF, *options], input="\n".join(script) + "\n", capture_output=True, text=True,
                          check=True).stdout


def record_histograms():
    events = (HERE / "events.txt").read_text()
    with tempfile.TemporaryDirectory() as directory:
        feed = Path(directory) / "feed"
        subprocess.run(["gcc", "-static", "-O1", "-o", feed, HERE / "feed.c"], check=True)
        script = ["echo 'p:s __x64_sys_getpriority a=+112(%di):u64 b=+104(%di):s32 c=+0(+96(%di)):ustring' > kprobe_events",
                  *feed_script("kprobes/s"), f"cat > /tmp/events <<'END'\n{events}END", "feed < /tmp/events",
                  "cat events/kprobes/s/hist"]
        printed = linux(script, "--add", str(feed)).replace("\r", "")
    (HERE / "histograms.linux").write_text(printed[printed.index("# event histogram"):])


def answers(text):
    """{command: its answer} from what the script printed."""
    text = re.sub(r"^\[ *\d+\.\d+\] ", "", text.replace("\r", ""), flags=re.M)
    parts = re.split(r"^@@ (.*)\n", text, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def recording():
    return answers((HERE / "commands.linux").read_text())


if __name__ == "__main__":
    record_histograms()
    printed = linux(marker_script()).replace("\r", "")
    (HERE / "markers.linux").write_text(printed[printed.index("# event histogram"):])
    printed = linux(script())
    with (HERE / "commands.linux").open("w") as file:
        for name, answer in answers(printed).items():
            file.write(f"@@ {name}\n{answer}")
