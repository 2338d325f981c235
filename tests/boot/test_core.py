"""The kernel that a student reads: `make FEATURES="core ftrace"`, without programs, with the monitor as its prompt (docs/shell.md).
And other sets of features: each builds, boots, traces and verifies."""
import re
import subprocess
import sys
from collections import defaultdict
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

from conftest import build_in, each_once
from nop5 import BUILD, ROOT, eventually, gdb, gdb_port, host
from test_ftrace import ENTRY
from test_selftests import BRIEF, SHORT, run_selftests

sys.path.append(str(ROOT / "tests"))
from elf import Elf  # noqa: E402

TRACING = "/sys/kernel/tracing"
VERIFIED = re.compile(r"\d+ sites, 0 mismatches\n")
GRAPH = re.compile(r"^ *\d+\) +\| +do_filp_open\(\) \{$.*?^ *\d+\) +\| +vfs_open\(\) \{$.*?^ *\d+\) +[+!#*$@]? *\d+\.\d+ us +\| +\}$", re.M | re.S)

# The budgets, in lines of code as scripts/features counts them.
CORE_LINES = 40_000  # core and ftrace
PROGRAMS_LINES = 63_000  # the same, programs and what they need
MONITOR_LINES = 600
BOOT_INSTRUCTIONS = 3_000_000  # from the kernel's entry to the prompt, on one CPU
PROMPT = 6  # the index in boot_stage_tsc


@pytest.fixture(scope="session")
def core_with_tests(core):
    """The same directory, with nop5-test.elf."""
    return build_in(core, str(core.relative_to(ROOT) / "nop5-test.elf"), "FEATURES=core ftrace")


@pytest.fixture
def monitor(boot, core):
    """monitor(cpus=8) returns a machine at the monitor's prompt, in the directory of tracing."""
    def start(boot_with="elf", **arguments):
        machine = boot(boot=boot_with, build=core, **({"initrd": ""} if boot_with == "elf" else {}), **arguments)
        machine.check(f"cd {TRACING}")
        return machine
    return start


def load_script(name):
    loader = SourceFileLoader(name, str(ROOT / "scripts" / name))
    module = module_from_spec(spec_from_loader(name, loader))
    sys.modules[name] = module  # its dataclasses look there
    loader.exec_module(module)
    return module


def verify(machine):
    assert VERIFIED.fullmatch(machine.check("cat /sys/kernel/debug/ftrace_verify"))


def entries(text):
    """The entries of a trace of the function tracer."""
    lines = [line for line in text.splitlines() if line and not re.match(r"#|CPU:\d+ \[LOST", line)]
    found = [ENTRY.match(line) for line in lines]
    assert all(found), [line for line, match in zip(lines, found) if not match][:5]
    return found


def trace_functions(machine):
    """Boot and grep: the function tracer, with a filter. Returns the names of the tasks."""
    machine.check("echo 'vfs_*' do_filp_open > set_ftrace_filter; echo function > current_tracer")
    chosen = machine.check("cat set_ftrace_filter").split()
    machine.check("echo > trace; echo a > /a; cat /a; echo 0 > tracing_on")
    found = entries(machine.check("cat trace"))
    assert {"vfs_open", "do_filp_open"} <= {entry["function"] for entry in found} <= set(chosen)
    verify(machine)
    machine.check("echo nop > current_tracer; echo > set_ftrace_filter; echo 1 > tracing_on")
    return {entry["task"].strip() for entry in found}


def trace_graph(machine):
    """Boot and grep: the graph of the calls inside one function."""
    machine.check("echo do_filp_open > set_graph_function; echo function_graph > current_tracer; echo > trace; cat /a; echo 0 > tracing_on")
    assert GRAPH.search(machine.check("cat trace"))
    verify(machine)
    machine.check("echo nop > current_tracer; echo > set_graph_function; echo 1 > tracing_on")


@pytest.mark.parametrize("loader, cpus", each_once(["elf", "bios", "uefi"], [8, 1]))
def test_the_core_boots_and_traces(monitor, loader, cpus):
    machine = monitor(loader, cpus=cpus)
    assert f"smp: Brought up {cpus} CPU" in machine.text
    assert trace_functions(machine) == {"sh"}
    trace_graph(machine)
    machine.check("echo function > current_tracer; sleep 0.1; echo nop > current_tracer")
    verify(machine)
    machine.poweroff()


def test_a_grader_boots_the_core_by_script(core):
    result = host([ROOT / "scripts/boot", "--build", core, "--cpus", "2", f"cd {TRACING}; echo function > current_tracer", "head -n 1 trace",
                   "echo x > current_tracer", "cat /sys/kernel/debug/ftrace_verify"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert re.fullmatch(r"# tracer: function\nsh: write error: Invalid argument\n" + VERIFIED.pattern, result.stdout)
    assert (result.returncode, result.stderr) == (1, "scripts/boot: 'echo x > current_tracer' ended with status 1\n")


def test_instances_come_and_go_while_all_functions_are_traced(monitor):
    machine = monitor(cpus=4)
    machine.check("mkdir instances/a instances/b; echo function > instances/a/current_tracer")
    assert machine.check("ls instances").split() == ["a", "b"]
    for name in "xyz":
        machine.check(f"mkdir instances/{name}; echo function > instances/{name}/current_tracer; echo nop > instances/{name}/current_tracer")
        machine.check(f"rmdir instances/{name}")
    result = machine.run("mkdir instances/a")
    assert (result.output, result.status) == ("mkdir: can't create directory 'instances/a': File exists\n", 1)
    assert len(entries(machine.check("head -n 50 instances/a/trace"))) > 30
    assert not entries(machine.check("cat instances/b/trace"))
    machine.check("echo nop > instances/a/current_tracer; rmdir instances/a instances/b")
    assert machine.check("ls instances") == ""
    verify(machine)


def test_interrupt_ends_a_command(monitor):
    machine = monitor(cpus=2)
    machine.check("echo kernel_write > set_ftrace_filter; echo function > current_tracer")
    machine.send("cat trace_pipe; echo no\n")
    machine.expect(r"kernel_write <-\w+")
    machine.type_interrupts()
    assert machine.check("echo $?") == "130\n"
    machine.check("echo nop > current_tracer; echo > trace")
    for command in ("cat trace_pipe trace_pipe", "cat", "sleep 100000; echo no", "sleep 100000 & wait"):
        machine.send(f"{command}\n")
        machine.expect(re.escape(command))
        machine.type_interrupts()
        assert machine.check("echo $?; echo on") == "130\non\n"
    verify(machine)


def test_interrupt_ends_a_line_whose_command_has_not_noticed_it(monitor, core, tmp_path):
    """A debugger sets what ^C sets, USER_WORK_SIGPENDING, inside a command that waits for nothing."""
    machine = monitor(cpus=2, extra=gdb_port(tmp_path))
    session = gdb(tmp_path, "hbreak do_mkdirat", "continue", "set shell->user_work |= 1", build=core)
    machine.send("mkdir /d; mkdir /e\n")
    session.communicate()
    machine.wait_prompt()
    assert machine.check("echo $?") == "130\n"
    assert machine.run("mkdir /d /e").output == "mkdir: can't create directory '/d': File exists\n"


def test_a_job_runs_beside_the_shell(monitor):
    machine = monitor(cpus=2)
    machine.check("echo do_mkdirat > set_ftrace_filter; echo function > current_tracer; cat trace_pipe > /log & echo $! > /pid")
    job = machine.check("cat /pid").strip()
    assert job.isdigit() and job != machine.check("echo $$").strip()
    machine.check("mkdir /d")
    eventually(lambda: "do_mkdirat <-" in machine.check("cat /log"))
    assert machine.run("kill 1").output == "sh: can't kill pid 1: No such process\n"
    machine.check("echo nop > current_tracer; kill $!; wait")
    assert machine.run(f"kill {job}").status == 1
    result = machine.run("cat & wait")
    assert (result.output, result.status) == ("cat: read error: Input/output error\n", 0)
    assert machine.check("cd / & wait; pwd") == f"{TRACING}\n"


# What the monitor answers, and its status: that of busybox, wherever the line means something to both.
LINES = {
    "echo": ("\n", 0),
    "echo one  two": ("one two\n", 0),
    "echo -n one; echo two": ("onetwo\n", 0),
    r"""echo 'a  "b" $?' "c  'd' \"\$" e\ f # g""": ("a  \"b\" $? c  'd' \"$ e f\n", 0),
    "echo a > /t; echo b >> /t; cat /t": ("a\nb\n", 0),
    "echo c > /t; cat /t /t; rm /t; cat /t": ("c\nc\ncat: can't open '/t': No such file or directory\n", 1),
    "> /t; cat /t; ls /t": ("/t\n", 0),
    "mkdir /d /d/e; ls /d; rmdir /d": ("e\nrmdir: '/d': Directory not empty\n", 1),
    "rmdir /d/e /d; ls /d": ("ls: /d: No such file or directory\n", 1),
    "mkdir /x/y": ("mkdir: can't create directory '/x/y': No such file or directory\n", 1),
    "cd /sys/kernel/../kernel/./debug/tracing//; pwd": ("/sys/kernel/debug/tracing\n", 0),
    "cd ../..; pwd; cd; pwd; cd ..; pwd": ("/sys\n/\n/\n", 0),
    "cd /nowhere": ("sh: cd: can't cd to /nowhere: No such file or directory\n", 1),
    "cd /proc/version": ("sh: cd: can't cd to /proc/version: Not a directory\n", 1),
    "echo a > /nowhere/b": ("sh: can't create /nowhere/b: No such file or directory\n", 1),
    "echo nonsense > current_tracer": ("sh: write error: Invalid argument\n", 1),
    "cat /proc": ("cat: read error: Is a directory\n", 1),
    "frobnicate now; echo $?": ("sh: frobnicate: not found\n127\n", 0),
    "frobnicate": ("sh: frobnicate: not found\n", 127),
    "sleep 0.01 0; sleep x": ("sleep: 'x': Invalid argument\n", 1),
    "echo a; ; echo b": ('a\nsh: syntax error: unexpected ";"\n', 2),
    "echo a | cat": ('sh: syntax error: unexpected "|"\n', 2),
    "echo >": ("sh: syntax error: unexpected newline\n", 2),
    "echo 'a": ("sh: syntax error: unterminated quoted string\n", 2),
    "echo " + "w" * 4000: ("w" * 4000 + "\n", 0),
    "echo " + "w " * 300: ("sh: line too long\n", 2),
}


def test_the_monitor_answers_as_busybox_does(monitor):
    machine = monitor(cpus=2)
    for line, expected in LINES.items():
        machine.check(f"cd {TRACING}")
        result = machine.run(line)
        assert (result.output, result.status) == expected, line
        assert machine.run(line + " & wait").status in (0, 2) and machine.check("wait") == ""


def test_an_oops_ends_a_command_of_the_monitor(monitor, core, tmp_path):
    """With panic=0 an oops ends the task only: here at a jump to address 0, which a debugger makes."""
    machine = monitor(cpus=2, append="panic=0", extra=gdb_port(tmp_path))
    for line in ("mkdir /d", "mkdir /d & wait"):  # the shell comes back; `wait` sees that the job has ended
        before = machine.check("echo $$")
        session = gdb(tmp_path, "hbreak do_mkdirat", "continue", "set $rip = 0", build=core)
        machine.send(f"{line}\n")
        machine.expect("Oops: 0010")
        session.communicate()
        machine.wait_prompt()
        assert (machine.check("echo $$") != before) == (line == "mkdir /d")
    assert machine.check("mkdir /d; ls /d; echo on") == "on\n"
    verify(machine)


def test_wait_ends_when_a_job_has_an_oops_while_it_ends(monitor, core, tmp_path):
    machine = monitor(cpus=2, append="panic=0", extra=gdb_port(tmp_path))
    session = gdb(tmp_path, "hbreak do_mkdirat", "continue", "delete", "hbreak task_is_ending", "continue", "set $rip = 0", build=core)
    machine.send("mkdir /d & wait\n")
    machine.expect("Fixing recursive fault but reboot is needed!")
    session.communicate()
    machine.wait_prompt()
    assert machine.check("ls /d; echo on") == "on\n"


@pytest.mark.parametrize("cpus, append", [(1, SHORT), pytest.param(2, BRIEF, marks=pytest.mark.soak)], ids=["1", "2"])
def test_the_core_passes_its_self_tests(boot, core_with_tests, cpus, append):
    run_selftests(boot, build=core_with_tests, cpus=cpus, append=append, at_least=220)


def linked_with_only_what_they_need(features):
    """{name: features}: each feature with only what it needs, and the features of each line `together`."""
    sets = [row[0].split() for row in features.table() if len(row) in (2, 4)]
    return {" ".join(names): set().union({"core"}, *map(features.with_needs, names)) for names in sets if "debug" not in names}


# What an object does not refer to when it is compiled without a feature.
NOT_WITHOUT = {"events": re.compile("__(tracepoint|traceiter)_"), "ftrace": re.compile("__fentry__$")}


def objects_for_sets(features, images, core_with_tests):
    """Of the core, and of the whole kernel but `debug`, which is of another build: {source: object}. Sets are made of these objects."""
    found = []
    for directory, linked in (core_with_tests, {"core", "ftrace"}), (images, set(features.features()) - {"debug"}):
        chosen = features.sources(linked, features.ROOMS + ("selftest",))
        found.append({source: directory / "obj" / (source.removesuffix(".c") + ".o") for source in chosen})
        assert {str(path.relative_to(ROOT)) for path in found[-1].values()} == set(re.findall(r"\S+\.o", (directory / "sources").read_text()))
    return found


def test_each_feature_finds_all_symbols_in_what_it_needs(images, core_with_tests):
    """By the symbols of the objects; the next test links them."""
    features = load_script("features")
    places, wanted = defaultdict(set), {}
    for objects in objects_for_sets(features, images, core_with_tests):
        defined, refers = features.symbols(objects.values())
        wanted |= refers
        for name, source in defined.items():
            places[name].add(source)
    missing = {}
    for name, linked in linked_with_only_what_they_need(features).items():
        for rooms in features.ROOMS, features.ROOMS + ("selftest",):
            chosen = set(features.sources(linked, rooms))
            absent = {symbol: source for source in chosen for symbol in wanted.get(source, ()) if places[symbol] and not places[symbol] & chosen and
                      not any(pattern.match(symbol) for feature, pattern in NOT_WITHOUT.items() if feature not in linked)}
            if absent:
                missing[name, rooms[-1]] = absent
    assert not missing


@pytest.mark.soak
def test_each_feature_links_with_only_what_it_needs(images, core_with_tests, tmp_path):
    features = load_script("features")
    core_objects, all_objects = objects_for_sets(features, images, core_with_tests)
    objects = core_objects | all_objects
    _, wanted = features.symbols(objects.values())
    for feature, pattern in NOT_WITHOUT.items():
        names = {name for names in wanted.values() for name in names if pattern.match(name)}
        (tmp_path / feature).write_text("".join(f"PROVIDE({name} = 0);\n" for name in names))
    failed = {}
    for name, linked in linked_with_only_what_they_need(features).items():
        for rooms in features.ROOMS, features.ROOMS + ("selftest",):
            done = subprocess.run(["ld", "-S", "-nostdlib", "-static", "-z", "noexecstack", "--fatal-warnings", "--orphan-handling=error",
                                   "-L", ROOT / "arch/x86_64", "-T", ROOT / "linker.ld", "-o", tmp_path / "nop5.elf", images / "symvers.ld",
                                   *(tmp_path / feature for feature in ("events", "ftrace") if feature not in linked),
                                   *(objects[source] for source in features.sources(linked, rooms))], stderr=subprocess.PIPE, text=True)
            if done.returncode:
                failed[name, rooms[-1]] = done.stderr[-1000:]
    assert not failed


def test_budgets_of_lines():
    features = load_script("features")
    lines = features.lines()
    assert lines["core"] + lines["ftrace"] <= CORE_LINES
    assert sum(lines[name] for name in features.with_needs("programs") | {"ftrace"}) <= PROGRAMS_LINES
    assert sum(features.lines_of_code(path) for path in (ROOT / "kernel/monitor").iterdir()) <= MONITOR_LINES


def test_the_elf_of_the_core_is_a_third_of_the_whole(core, images):
    assert (core / "nop5.elf").stat().st_size * 3 <= (images / "nop5.elf").stat().st_size


def test_the_core_boots_in_three_million_instructions(boot, core):
    machine = boot(build=core, initrd="", cpus=1, icount=True)
    address, = (symbol.value for symbol in Elf(core / "nop5.elf").symbols() if symbol.name == "boot_stage_tsc")
    answer = machine.ask_qemu(f"x /{PROMPT + 1}gd {address:#x}")
    stamps = [int(number) for row in re.findall(r"^[0-9a-f]{16}:(.*)", answer, re.M) for number in row.split()]
    assert len(stamps) == PROMPT + 1 and sorted(stamps) == stamps
    assert 0 < stamps[PROMPT] - stamps[0] <= BOOT_INSTRUCTIONS


# Sets of features, as arguments of make.
SETS = {
    "core": ["WITHOUT=ftrace", "FEATURES=core"],
    "events": ["FEATURES=events"],
    "hist": ["FEATURES=hist latency"],
    "tracers": ["FEATURES=latency profiler stack commands"],
    "files": ["FEATURES=sysfiles persist btf watchdog"],
    "programs": ["FEATURES=programs"],
    "threads": ["FEATURES=fdevents locks ptys"],
    "sockets": ["FEATURES=sockets events"],
    "probes": ["FEATURES=probes commands"],
    "livepatch": ["FEATURES=livepatch"],
    "modules": ["FEATURES=modules"],  # and no events: set_current_state() in a module has no tracepoint
    "debug": ["DEBUG=1", "FEATURES=core ftrace"],
}


@pytest.mark.variant
@pytest.mark.parametrize("name", SETS)
def test_a_set_of_features_builds_boots_and_traces(boot, images, name):
    directory = BUILD / "test/features" / name
    build_in(directory, str(directory.relative_to(ROOT) / "nop5.elf"), *SETS[name])
    if name == "modules":
        build_in(directory, str(directory.relative_to(ROOT) / "modroot.stamp"), *SETS[name])
    has_programs = "kernel/monitor/" not in (directory / "sources").read_text()
    machine = boot(build=directory, cpus=4, initrd=str(images / "rootfs.cpio") if has_programs else "")
    machine.check(f"cd {TRACING}; echo a mark > trace_marker")
    assert re.search(r"tracing_mark_write: a mark$", machine.check("cat trace"), re.M)
    if has_programs:  # without `threads`, too
        assert machine.check("trap 'echo taken' ALRM; kill -ALRM $$") == "taken\n"
        before, after = machine.check("cat /proc/uptime; sleep 1; cat /proc/uptime").splitlines()
        assert float(after.split()[0]) - float(before.split()[0]) >= 1
    if name != "core":
        trace_functions(machine)
        trace_graph(machine)
    machine.poweroff()
