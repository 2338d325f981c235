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


# Linux 6.1 does not know the parameters of functions. A kernel with BTF, as later Linux, refuses these for another reason,
# or refuses what has no meaning, and keeps arguments until the return; test_a_wrong_name_is_refused_with_its_place has its answers.
BY_NAME = re.compile(r"p:foo vfs_read \\1 if x|r:a vfs_read \$arg1 => |p:a vfs_read (\$arg1 .*|\$arg(6|7|16|17|128|129)|foo|\+0\(foo\)|a=b=%ax|a) => ")


def without_names(lines):
    """Without the commands that are about parameters, and what kprobe_events shows after them."""
    result, skip = [], False
    for line in lines:
        skip = bool(BY_NAME.match(line)) or (skip and line.startswith("\t"))
        if not skip:
            result.append(line)
    return result


@pytest.fixture(scope="module")
def machine(images):
    directory = images / "test/kprobe_events"
    program, archive = build(directory), directory / "root.cpio"
    subprocess.run([ROOT / "scripts/rootfs", archive, program,
                    *(f"{DATA / name}:/{name}" for name in ("kprobe_commands.txt", "kprobes.sh"))], check=True)
    append = ("kprobe_event=p:boot,vfs_open,$arg1:u8;r:boot/ret,vfs_open,$retval:s32;"
              "t:boot/fork,sched_process_fork;f:boot/exit,do_exit;e:boot/switch,sched/sched_switch,p=$prev_prio;p:nope,/bin/nope:0")
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
    # The other kinds of dynamic events. A program does not exist yet.
    assert [line[:2] for line in machine.check("cat dynamic_events").splitlines()] == ["p:", "r1", "t:", "f:", "e:"]
    assert machine.check("cat events/boot/fork/enable events/boot/exit/enable events/boot/switch/enable").split() == ["1"] * 3
    assert "Failed to add event(-" in machine.check("dmesg | grep /bin/nope")
    for name in ("fork", "exit", "switch"):
        assert lines(machine, name), name
    machine.check("cd /sys/kernel/tracing; echo 0 > events/enable; echo > dynamic_events; echo > trace")


def test_commands_errors_formats_and_entries_are_those_of_linux(machine):
    output = machine.check("probe_commands < /kprobe_commands.txt 2>&1; sh /kprobes.sh 2>&1")
    assert without_names(normal(output)) == without_names(RECORDED.read_text().splitlines())


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


def test_parameters_are_recorded_by_their_names(machine):
    machine.check("echo 'p:all vfs_read $arg*' > kprobe_events; echo 'p:field vfs_read file->f_path.dentry->d_name.name:string count:x16' "
                  ">> kprobe_events; echo 'p:open do_filp_open dfd path:string' >> kprobe_events; "
                  "echo 'r:result getname $retval->name:string' >> kprobe_events; echo 'p:file vfs_read file:%pD' >> kprobe_events")
    assert machine.check("cat kprobe_events").splitlines() == [
        "p:kprobes/all vfs_read file=file buf=buf count=count pos=pos",
        "p:kprobes/field vfs_read arg1=file->f_path.dentry->d_name.name:string count=count:x16",
        "p:kprobes/open do_filp_open dfd=dfd path=path:string", "r10:kprobes/result getname arg1=$retval->name:string", "p:kprobes/file vfs_read file=file:%pD"]
    assert machine.check("tail -n 1 events/kprobes/all/format") == (
        'print fmt: "(%lx) file=0x%Lx buf=0x%Lx count=%Lu pos=0x%Lx", REC->__probe_ip, REC->file, REC->buf, REC->count, REC->pos\n')
    machine.check("echo > trace; echo 1 > events/kprobes/enable; dd if=/proc/uptime of=/dev/null bs=77 count=1; "
                  "echo 0 > events/kprobes/enable")
    text = machine.check("cat trace")
    assert re.search(r" all: \(vfs_read\+0x0/0x\w+\) file=0xffff\w+ buf=0x\w+ count=77 pos=0xffff\w+$", text, re.M), text
    assert re.search(r' field: \(vfs_read\+0x0/0x\w+\) arg1="uptime" count=0x4d$', text, re.M), text
    assert re.search(r' file: \(vfs_read\+0x0/0x\w+\) file="uptime"$', text, re.M), text
    assert re.search(r' open: \(do_filp_open\+0x0/0x\w+\) dfd=-100 path="/proc/uptime"$', text, re.M), text
    assert re.search(r' result: \(\w+\+0x\w+/0x\w+ <- getname\) arg1="/proc/uptime"$', text, re.M), text
    machine.check("echo > kprobe_events; echo > trace")


# A caret before the place of the error, as in Linux's kprobe_syntax_errors.tc; the last ones are our own.
WRONG_NAMES = {
    "p vfs_read args=^$arg*": "$arg* must be an independent parameter without name etc.",
    "p vfs_read +0(^$arg*)": "$arg* must be an independent parameter without name etc.",
    "p vfs_read $arg* ^$arg*": "$arg* can be used only once in the parameters",
    "r vfs_read $arg* ^$arg*": "$arg* can be used only once in the parameters",
    "p vfs_read+20 ^$arg*": "$arg* can be used only on function entry",
    "p vfs_read ^hoge": "This variable is not found at this probe point",
    "p vfs_read +0(^hoge)": "This variable is not found at this probe point",
    "p vfs_read a=^b=%ax": "This variable is not found at this probe point",
    "p kfree ^$arg10": "This variable is not found at this probe point",
    "r kfree ^$retval": "This function returns 'void' type",
    "p vfs_read+20 ^file": "BTF is not available or not supported",
    "p vfs_read $arg* x=^%zz": "Invalid register name",
    "p vfs_read $arg* ^file": "This argument name is already used",
    "p vfs_read file->^nix": "This field is not found.",
    "p vfs_read file^-f_inode": "Failed to parse single hyphen. Forgot '>'?",
    "p vfs_read file^.f_inode": "Non pointer structure/union argument is not supported.",
    "p vfs_read count->^f_inode": "This is not a pointer to union/structure.",
    "p vfs_read x=^file:string": "This type does not fit for string.",
}


def test_a_wrong_name_is_refused_with_its_place(machine):
    for command, error in WRONG_NAMES.items():
        place = command.index("^")
        command = command.replace("^", "")
        assert machine.run(f"echo > error_log; echo '{command}' > kprobe_events").status == 1
        said = machine.check("cat error_log")
        assert re.fullmatch(rf"\[ *\d+\.\d+\] trace_kprobe: error: {re.escape(error)}\n  Command: {re.escape(command)}\n"
                            rf" {{{len('  Command: ') + place}}}\^\n", said), (command, said)


@pytest.mark.parametrize("tracer", ["nop", "function", "function_graph"])
def test_a_stack_begins_with_the_probed_function_or_its_caller(machine, tracer):
    machine.check(f"echo vfs_read > set_ftrace_filter; echo {tracer} > current_tracer")
    for place, first in (("p:s vfs_read", "vfs_read"), ("p:s vfs_read+5", "vfs_read"), ("r:s vfs_read", "ksys_read")):
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
