"""Events of kprobes: kprobe_events, kprobe_profile, dynamic_events, their files and entries, kprobe_event=.

What commands say, formats and entries are compared with Linux 6.1 (data/linux_kprobes.txt), which
`tests/boot/test_kprobe_events.py tools/linux-ref` records. data/kprobe_commands.txt has the commands that are checked one by
one, data/kprobes.sh the sequences.
"""
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from nop5 import ROOT, Nop5  # noqa: E402

DATA = Path(__file__).parent / "data"
RECORDED = DATA / "linux_kprobes.txt"
RUN = "probe_commands < /kprobe_commands.txt; sh /kprobes.sh"
BAD = re.compile(r"BUG|WARNING|Oops|Call Trace|preempt_count is")


def build(directory):
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / "probe_commands"
    subprocess.run(["gcc", "-O2", "-static", "-Wall", "-Wextra", "-Werror", "-o", program, DATA / "probe_commands.c"], check=True)
    return program


def normal(output):
    """Without what differs from one image, shell or machine to the next."""
    output = re.sub(r"vfs_read\+(0x[05])/0x[0-9a-f]+", r"vfs_read+\1/?", output)
    output = re.sub(r"\((\w+)\+0x[0-9a-f]+/0x[0-9a-f]+ <- ", r"(? <- ", output)
    output = re.sub(r"^.*(can't create|write error|ls:|No such file)", r"\1", output, flags=re.M)
    return [line.rstrip() for line in output.splitlines()]


@pytest.fixture(scope="module")
def machine(images):
    directory = images / "test/kprobe_events"
    program, archive = build(directory), directory / "root.cpio"
    subprocess.run([ROOT / "scripts/rootfs", archive, program,
                    *(f"{DATA / name}:/{name}" for name in ("kprobe_commands.txt", "kprobes.sh"))], check=True)
    append = "kprobe_event=p:boot,vfs_open,$arg1:u8;r:boot/ret,vfs_open,$retval:s32"
    machine = Nop5(build=images, cpus=2, initrd=str(archive), append=append).wait_prompt()
    machine.check("echo 1 > /proc/sys/kernel/printk; stty cols 4000; cd /sys/kernel/tracing")
    yield machine
    assert not BAD.search(machine.text), machine.says
    machine.close()


def lines(machine, name):
    return re.findall(rf"\d+\.\d+: ({name}: .*)", machine.check("cat trace"))


def hits(machine):
    return {name: (int(count), int(missed)) for name, count, missed in
            (line.split() for line in machine.check("cat kprobe_profile").splitlines())}


def test_events_of_the_command_line_are_enabled(machine):
    assert machine.check("cat kprobe_events").splitlines() == ["p:kprobes/boot vfs_open arg1=$arg1:u8",
                                                               "r10:boot/ret vfs_open arg1=$retval:s32"]
    assert machine.check("cat events/kprobes/boot/enable events/boot/ret/enable").split() == ["1", "1"]
    assert re.fullmatch(r"boot: \(vfs_open\+0x0/0x\w+\) arg1=\d+", lines(machine, "boot")[0])
    assert re.fullmatch(r"ret: \(\w+\+0x\w+/0x\w+ <- vfs_open\) arg1=0", lines(machine, "ret")[0])
    machine.check("echo 0 > events/enable; echo > kprobe_events; echo > trace")


def test_commands_errors_formats_and_entries_are_those_of_linux(machine):
    output = machine.check("probe_commands < /kprobe_commands.txt 2>&1; sh /kprobes.sh 2>&1")
    assert normal(output) == RECORDED.read_text().splitlines()


def test_hits_are_calls(machine):
    machine.check("echo 'p:in vfs_read size=$arg3:u32' > kprobe_events; echo 'r:out vfs_read $retval:s32' >> kprobe_events; "
                  "echo 'p:inside vfs_read+5' >> kprobe_events; echo > trace; for e in in out inside; do "
                  "echo 'common_pid != 0' > events/kprobes/$e/filter; done; echo 1 > events/kprobes/enable; "
                  "dd if=/dev/zero of=/dev/null bs=77 count=500 2> /dev/null; echo 0 > events/kprobes/enable")
    found = hits(machine)
    assert found["in"][0] == found["inside"][0] >= 500 and found["out"][0] >= 500
    assert all(missed == 0 for _, missed in found.values())
    text = machine.check("cat trace")
    assert len(re.findall(r" in: \(vfs_read\+0x0/0x\w+\) size=77$", text, re.M)) == 500
    assert len(re.findall(r" out: \(\w+\+0x\w+/0x\w+ <- vfs_read\) arg1=77$", text, re.M)) == 500
    machine.check("echo > kprobe_events; echo > trace")


def test_strings_of_programs_and_of_the_kernel(machine):
    machine.check("echo 'p:o do_sys_openat2 u=+0($arg2):ustring k=+0($arg2):string uu=+u0($arg2):string b=+0($arg2):x8[3] "
                  "bad=+u0(%sp):string' > kprobe_events; echo 'p:m tracefs_create_dir name=+0($arg1):string user=+0($arg1):ustring' "
                  ">> kprobe_events; echo > trace; echo 1 > events/kprobes/enable; cat /proc/uptime; mkdir instances/made; "
                  "rmdir instances/made; echo 0 > events/kprobes/enable")
    path = "/proc/uptime"
    found = [line for line in lines(machine, "o") if path in line]
    assert found and found[0].endswith(
        f'u="{path}" k="{path}" uu="{path}" b={{0x2f,0x70,0x72}} bad=(fault)'), found
    assert any(line.endswith('name="made" user=(fault)') for line in lines(machine, "m"))
    machine.check("echo > kprobe_events; echo > trace")


def test_the_names_of_a_dentry_and_of_a_file(machine):
    machine.check("echo 'p:d dput name=$arg1:%pd' > kprobe_events; echo 'p:f vfs_read $arg1:%pD size=$arg3:u64' >> kprobe_events; "
                  "echo > trace; echo 1 > events/kprobes/enable; head -c 1 /proc/uptime; echo 0 > events/kprobes/enable")
    assert machine.check("cat kprobe_events") == "p:kprobes/d dput name=$arg1:%pd\np:kprobes/f vfs_read arg1=$arg1:%pD size=$arg3:u64\n"
    assert any(line.endswith('name="uptime"') for line in lines(machine, "d"))
    assert any(re.search(r'arg1="uptime" size=\d+$', line) for line in lines(machine, "f"))
    for command in ("p:bad vfs_read $arg1:%pd[2]", "p:bad vfs_read $comm:%pd", "p:bad vfs_read $arg1:%pe"):
        assert "Invalid argument" in machine.run(f"echo '{command}' >> kprobe_events").output
    for argument in ("$stack0:symstr", "%ax:%pd"):  # of the kernel's memory
        assert "Invalid argument" in machine.run(f"echo 'p:bad /bin/sh:0x1000 {argument}' >> uprobe_events").output
        assert "error: Unknown type is specified" in machine.check("tail -n 3 error_log")
    machine.check("echo > kprobe_events; echo > trace; echo > error_log")


@pytest.mark.parametrize("tracer", ["nop", "function", "function_graph"])
def test_a_stack_begins_with_the_probed_function_or_its_caller(machine, tracer):
    machine.check(f"echo vfs_read > set_ftrace_filter; echo {tracer} > current_tracer")
    for place, first in (("p:s vfs_read", "vfs_read"), ("p:s vfs_read+5", "vfs_read"), ("r:s vfs_read", "sys_read")):
        machine.check(f"echo '{place}' > kprobe_events; echo > trace; echo 1 > options/stacktrace; "
                      "echo 1 > events/kprobes/s/enable; head /proc/uptime; echo 0 > events/kprobes/s/enable; echo 0 > options/stacktrace")
        trace = machine.check("cat trace")
        stacks = re.findall(r" s: \(.*\n(?:.*<stack trace>|.*/\*.*<stack trace>.*)\n => (\w+)\n", trace)
        assert stacks and set(stacks) == {first}, (place, trace[-3000:])
    machine.check("echo > kprobe_events; echo nop > current_tracer; echo > set_ftrace_filter; echo > trace")


if __name__ == "__main__":
    where = ROOT / "build/test/kprobe_events"
    script = "".join(f"cat > /{name} <<'END'\n{(DATA / name).read_text()}END\n" for name in ("kprobe_commands.txt", "kprobes.sh"))
    said = subprocess.run([sys.argv[1], "--timeout", "900", "--add", build(where)], input=script + "(" + RUN + ") 2>&1\n", text=True,
                          check=True, stdout=subprocess.PIPE).stdout
    RECORDED.write_text("\n".join(normal(said)) + "\n")
