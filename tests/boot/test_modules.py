"""Loadable modules: insmod, modprobe, rmmod, lsmod and modinfo of busybox, and what tracing knows of a module."""
import re
import subprocess
import sys

import pytest

from conftest import build_in, make
from nop5 import BUILD, ROOT, Nop5, eventually, resources, resources_return_to
from seed import seed

sys.path.insert(0, str(ROOT / "tests"))
from elf import Elf  # noqa: E402

TRACING = "/sys/kernel/tracing"
MODULES = BUILD / "modules" / "tests" / "modules"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The root file system with the modules of tests/modules in /root."""
    build_in(BUILD, "all")
    build_in(BUILD, "modules", "M=tests/modules")
    directory = tmp_path_factory.mktemp("modules")
    names = []
    for module in sorted(MODULES.glob("*.ko")):
        subprocess.run(["objcopy", "--strip-debug", module, directory / module.name], check=True)
        names.append(f"{directory / module.name}:root/{module.name}")
    (directory / "short.ko").write_bytes((directory / "test_hello.ko").read_bytes()[:3000])
    other = (directory / "test_hello.ko").read_bytes().replace(b"6.1.0-nop5 SMP", b"6.2.0-nop5 SMP")
    (directory / "other.ko").write_bytes(other)
    names.append(f"{hello_of_the_manual(directory)}:root/hello.ko")
    names += [f"{path}:root/clang/{path.name}" for path in built_by_clang(directory)]
    crc = symvers()["printk"].to_bytes(8, "little") + b"printk\0"
    data = (directory / "test_hello.ko").read_bytes()
    assert data.count(crc) == 1
    (directory / "version.ko").write_bytes(data.replace(crc, b"\1\2\3\4\0\0\0\0printk\0"))
    names += [f"{directory / name}:root/{name}" for name in ("short.ko", "other.ko", "version.ko")]
    subprocess.run(["musl-gcc", "-static", "-O2", "-o", directory / "mutate", ROOT / "tests/modules/mutate.c"], check=True)
    subprocess.run(["musl-gcc", "-static", "-O2", "-o", directory / "refuse", ROOT / "tests/modules/refuse.c"], check=True)
    names += [f"{directory / program}:root/{program}" for program in ("mutate", "refuse")]
    names.append(f"{ROOT / 'tests/modules/storm.sh'}:root/storm.sh")
    subprocess.run([ROOT / "scripts/rootfs", directory / "rootfs.cpio", *sorted((BUILD / "user").iterdir()),
                    BUILD / "modroot", *names], check=True)
    return directory / "rootfs.cpio"


def hello_of_the_manual(directory):
    """Builds the module that docs/modules.md shows, as it says: outside the tree."""
    page = (ROOT / "docs/modules.md").read_text()
    outside = directory / "hello"
    outside.mkdir()
    for language, file in (("c", "hello.c"), ("make", "Kbuild")):
        (outside / file).write_text(re.search(rf"^```{language}\n(.*?)^```$", page, re.M | re.S).group(1))
    make("modules", f"M={outside}")
    return outside / "hello.ko"


def built_by_clang(directory):
    """Builds modules with clang, outside the tree, for the kernel that gcc has built. The kernel's build does not notice."""
    outside = directory / "clang"
    outside.mkdir()
    before = [(BUILD / file).stat().st_mtime_ns for file in ("flags", "Module.symvers")]
    names = ("test_hello", "test_traced", "test_probes", "test_percpu")
    for name in names:
        (outside / f"{name}.c").write_text((ROOT / f"tests/modules/{name}.c").read_text())
    (outside / "Kbuild").write_text("".join(f"obj-m += {name}.o\n" for name in names))
    make("modules", f"M={outside}", "CC=clang")
    assert before == [(BUILD / file).stat().st_mtime_ns for file in ("flags", "Module.symvers")]
    return [outside / f"{name}.ko" for name in names]


def symvers():
    lines = (BUILD / "Module.symvers").read_text().splitlines()
    return {line.split("\t")[1]: int(line.split("\t")[0], 16) for line in lines}


@pytest.fixture(scope="module")
def shared(archive):
    machine = Nop5(build=BUILD, cpus=4, initrd=str(archive)).wait_prompt()
    machine.check("echo 1 > /proc/sys/kernel/printk; cd /root")
    yield machine
    machine.close()


@pytest.fixture
def machine(shared):
    """Afterwards nothing of a module is left, and all text is as it was."""
    shared.check("dmesg -c > /dev/null")
    yield shared
    assert shared.check("cat /proc/modules") == ""
    assert shared.check("ls /sys/module") == ""
    assert "\t[" not in re.sub(r".*\[__builtin__ftrace\]\n", "", shared.check("cat /proc/kallsyms | grep '\\[' ; true"))
    assert re.fullmatch(r"\d+ sites, 0 mismatches\n", shared.check("cat /sys/kernel/debug/ftrace_verify"))


def refused(machine, command, text):
    result = machine.run(command)
    assert result.status != 0 and text in result.output, result


def log(machine):
    return re.sub(r"(?m)^\[ *\d+\.\d+\] ", "", machine.check("dmesg -c"))


def test_a_module_comes_and_goes(machine):
    machine.check("insmod test_hello.ko count=2")
    assert log(machine).endswith("test_hello: hello 0\ntest_hello: hello 1\n")
    assert re.fullmatch(r"test_hello \d+ 0 - Live 0xffffffffc[0-9a-f]{7}\n", machine.check("cat /proc/modules"))
    assert "test_hello" in machine.check("lsmod")
    sysfs = "/sys/module/test_hello"
    assert machine.check(f"cat {sysfs}/initstate {sysfs}/refcnt {sysfs}/parameters/count") == "live\n0\n2\n"
    address = machine.check(f"cat {sysfs}/sections/.text").strip()
    assert f"{address[2:]} T test_hello_greet" in machine.check("grep test_hello_greet /proc/kallsyms")
    note = "".join(machine.check(f"xxd -p {sysfs}/notes/.note.gnu.build-id").split())
    assert note == Elf(MODULES / "test_hello.ko").build_id_note().hex() and len(note) == 2 * 36
    refused(machine, "insmod test_hello.ko", "File exists")
    machine.check("rmmod test_hello")
    assert log(machine) == "test_hello: bye\n"
    refused(machine, "rmmod test_hello", "No such file or directory")


def test_a_gcc_kernel_takes_modules_of_clang(machine):
    """Their call sites, which scripts/recordmcount lists, are traced from init on, patched back and probed."""
    machine.check(f"cd {TRACING}; echo > trace; echo ':mod:test_hello' > set_ftrace_filter; echo function > current_tracer")
    machine.check("insmod /root/clang/test_hello.ko count=2")
    trace = [line.split(": ", 1)[1] for line in machine.check("grep -v '^#' trace").splitlines()]
    assert re.fullmatch(r"(test_hello_init|init_module) <-load_module", trace[0]), trace
    assert [line.split(" <-")[0] for line in trace[1:]] == ["test_hello_greet"] * 2, trace
    machine.check("echo nop > current_tracer; echo > set_ftrace_filter; cd /root; rmmod test_hello")
    assert log(machine).endswith("test_hello: hello 0\ntest_hello: hello 1\ntest_hello: bye\n")
    counts_agree(machine, "clang/")


def counts_agree(machine, directory=""):
    """Callbacks of test_probes at functions of test_traced: each entry has its return; nothing of test_percpu is lost."""
    for module in ("test_traced", "test_percpu", "test_probes"):
        machine.check(f"insmod {directory}{module}.ko {'tasks=1' * (module != 'test_probes')}")
    machine.check("until [ $(cat /sys/module/test_probes/parameters/returned) != 0 ]; do :; done")
    machine.check("rmmod test_probes; rmmod test_percpu; rmmod test_traced")
    text = log(machine)
    counted = re.search(r"test_probes: (\d+) calls, (\d+) entries, (\d+) returns, 0 lost, (\d+) hits, (\d+) returned\n$", text)
    assert counted, text
    calls, entries, returns, hits, returned = map(int, counted.groups())
    assert calls and hits and returned and entries - 4 <= returns <= entries, text  # at most one call of each task has not returned


@pytest.mark.parametrize("tracer", ["nop", "function_graph"])
def test_callbacks_in_a_module_do_not_call_themselves(machine, tracer):
    """They are traced functions, and call traced functions, also when a tracer traces them."""
    machine.check(f"echo ':mod:test_*' > {TRACING}/set_ftrace_filter; echo {tracer} > {TRACING}/current_tracer")
    counts_agree(machine)
    machine.check(f"echo nop > {TRACING}/current_tracer; echo > {TRACING}/set_ftrace_filter")


def test_the_module_of_the_manual(machine):
    machine.check("insmod hello.ko count=2; rmmod hello")
    assert log(machine).endswith("hello 0\nhello 1\nbye\n")


def test_modinfo_shows_what_the_module_says(machine):
    info = machine.check("modinfo ./test_hello.ko")
    for line in ("author: *nop5", "description: *says hello", "license: *GPL", "vermagic: *6.1.0-nop5 SMP preempt .*",
                 "parm: *count:how often it says hello", "version: *1.2"):
        assert re.search(rf"(?m)^{line}$", info), line


def test_modprobe_finds_modules_by_name(machine):
    machine.check("modprobe trace-printk")
    assert machine.check("cat /proc/modules").startswith("trace_printk ")
    machine.check("modprobe -r trace-printk")


def test_probe_events_wait_for_their_module_and_stay_when_it_goes(machine):
    place = "trace_printk:trace_printk_irq_work"
    machine.check("cd /sys/kernel/tracing")
    machine.check(f"echo 'p:begins {place}' > kprobe_events; echo 'r:ends {place}' >> kprobe_events; dmesg -c > /tmp/log")
    assert machine.check("tail -n 2 /tmp/log").count("trace_kprobe: This probe might be able to register after target module is loaded") == 2
    machine.check("echo 1 > events/kprobes/enable; cat /sys/kernel/debug/kprobes/list > /tmp/none")
    assert place.split(":")[1] not in machine.check("cat /tmp/none")
    for hits in 1, 2:
        machine.check("modprobe trace-printk")
        assert re.fullmatch(rf" +begins +{hits} +0\n +ends +{hits} +0\n", machine.check("cat kprobe_profile"))
        assert machine.check("grep -c trace_printk_irq_work+ /sys/kernel/debug/kprobes/list") == "2\n"
        machine.check("rmmod trace-printk")
        gone = re.findall(r"\[GONE\]", machine.check("cat /sys/kernel/debug/kprobes/list"))
        assert len(gone) == 2
    refused(machine, f"modprobe trace-printk; echo 'p:wrong {place}_no' >> kprobe_events", "No such file or directory")
    assert re.findall(r"(begins|ends): \(", machine.check("cat trace")) == ["begins", "ends"] * 3
    machine.check("echo 0 > events/kprobes/enable; echo > kprobe_events; rmmod trace-printk; echo > trace; cd /root")


def test_a_function_probe_whose_module_has_gone_can_be_removed(machine):
    """What its command holds, the module of an event, can go then."""
    machine.check(f"cd {TRACING}; modprobe sample-event")
    for count in "", ":5":
        command = f"enable_event:sample:sample_call{count}"
        machine.check(f"insmod /root/test_traced.ko tasks=0; echo 'test_traced_l*:{command}' > set_ftrace_filter; "
                      "rmmod test_traced")
        refused(machine, "rmmod sample-event", "Resource temporarily unavailable")
        refused(machine, f"echo '!vfs_nosuch:{command}' >> set_ftrace_filter", "Invalid argument")
        machine.check(f"echo '!*:{command}' >> set_ftrace_filter")
        refused(machine, f"echo '!*:{command}' >> set_ftrace_filter", "No such device")
    machine.check("rmmod sample-event; cd /root")


def test_the_counts_of_function_probes_are_freed_when_their_module_has_gone(machine):
    def probed_and_removed():
        machine.check("mkdir instances/a; insmod /root/test_many.ko; echo 'test_many_*:traceoff:100' > instances/a/set_ftrace_filter; rmmod test_many")
        machine.check("echo panic:traceoff:100 >> instances/a/set_ftrace_filter")  # copies the table of counts
        assert machine.check("grep -v '^#' instances/a/set_ftrace_filter; rmdir instances/a") == "panic:traceoff:count=100\n"

    machine.check(f"cd {TRACING}")
    probed_and_removed()
    before = resources(machine)
    probed_and_removed()
    resources_return_to(machine, before)
    machine.check("cd /root")


def test_the_profiler_knows_the_functions_of_modules_that_come_and_go(machine):
    """A module that comes after the profiler's first use is counted, and the counts of one that has gone are those of no other."""
    def profiled():
        lines = machine.check("cat trace_stat/function* | grep '^  test_'; true").splitlines()
        return {line.split()[0]: int(line.split()[1]) for line in lines}

    machine.check("cd /sys/kernel/tracing; insmod /root/test_provider.ko; echo 1 > function_profile_enabled")
    machine.check("insmod /root/test_user.ko")
    assert profiled()["test_provided"] == 1
    machine.check("rmmod test_user test_provider; insmod /root/test_hello.ko count=3")
    assert profiled()["test_hello_greet"] == 3 and "test_provided" not in profiled()
    machine.check("echo 0 > function_profile_enabled; rmmod test_hello; insmod /root/test_provider.ko")
    assert profiled() == {}
    machine.check("rmmod test_provider; cd /root")


def test_a_module_that_is_used_stays(machine):
    refused(machine, "insmod test_user.ko", "unknown symbol in module")
    assert "test_user: Unknown symbol test_provided (err -2)\n" in log(machine)
    machine.check("insmod test_provider.ko; insmod test_user.ko")
    assert "test_user: 42\n" in log(machine)
    assert re.search(r"(?m)^test_provider \d+ 1 test_user, Live", machine.check("cat /proc/modules"))
    refused(machine, "rmmod test_provider", "Resource temporarily unavailable")
    assert machine.check("cd /sys/module/test_provider/holders; ls; cat test_user/initstate; readlink test_user; cd /root") == \
        "test_user\nlive\n../../test_user\n"
    machine.check("rmmod test_user")
    assert machine.check("ls /sys/module/test_provider/holders") == ""
    machine.check("rmmod test_provider")


def test_modules_that_do_not_fit_are_refused(machine):
    refused(machine, "insmod short.ko", "invalid module format")
    refused(machine, "insmod other.ko", "invalid module format")
    assert re.search(r"test_hello: version magic '6.2.0-nop5 SMP .*' should be '6.1.0-nop5 SMP .*'", log(machine))
    refused(machine, "insmod version.ko", "Invalid argument")
    assert "test_hello: disagrees about version of symbol printk\n" \
           "test_hello: Unknown symbol printk (err -22)\n" in log(machine)
    refused(machine, "insmod test_gpl.ko", "unknown symbol in module")
    text = log(machine)
    assert "test_gpl: module license 'Proprietary' taints kernel.\n" in text
    assert "test_gpl: Unknown symbol synchronize_rcu (err -2)\n" in text


def test_a_module_whose_init_fails_leaves_nothing(machine):
    refused(machine, "insmod test_init_fails.ko", "No such device")


def test_a_module_whose_init_does_not_return_stays_and_stops_nobody(machine):
    sysfs = "/sys/module/test_waits"
    machine.check("insmod test_waits.ko &")
    eventually(lambda: machine.run(f"cat {sysfs}/initstate").output == "coming\n")
    assert " Loading 0xffffffffc" in machine.check("cat /proc/modules")
    refused(machine, "rmmod test_waits", "Device or resource busy")
    machine.check("insmod test_hello.ko; rmmod test_hello")
    machine.check(f"echo 1 > {sysfs}/parameters/stop; wait")
    assert machine.check(f"cat {sysfs}/initstate") == "live\n"
    machine.check("rmmod test_waits")


def test_parameters_of_each_type(machine):
    machine.check("insmod test_params.ko byte=255 short=-32768 int=0x10 bool buffer=1234567 text='\"a b\"' p_array=5,6,7 "
                  "hidden=3")
    shown = machine.check("cd /sys/module/test_params/parameters; for f in *; do echo $f $(cat $f); done; cd /root")
    assert dict(line.split(" ", 1) for line in shown.splitlines()) == {
        "byte": "255", "short": "-32768", "ushort": "3", "int": "16", "uint": "5", "long": "-6", "ulong": "7", "ullong": "8",
        "hex": "0x00001f", "text": "a b", "bool": "Y", "invbool": "Y", "buffer": "1234567", "p_array": "5,6,7"}
    machine.check("echo 12 > /sys/module/test_params/parameters/int")
    assert machine.check("cat /sys/module/test_params/parameters/int") == "12\n"
    refused(machine, "echo x > /sys/module/test_params/parameters/int", "Invalid argument")
    refused(machine, "echo 12345678 > /sys/module/test_params/parameters/buffer", "No space left on device")
    machine.check("rmmod test_params; dmesg -c > /dev/null")
    for wrong, error, text in (("byte=256", "Numerical result out of range", "test_params: `256' invalid for parameter `byte'"),
                               ("p_array=1,2,3,4,5", "Invalid argument", "p_array: can only take 4 arguments"),
                               ("int", "Invalid argument", "test_params: `' invalid for parameter `int'")):
        refused(machine, f"insmod test_params.ko {wrong}", error)
        assert text in log(machine)
    machine.check("insmod test_params.ko nosuch=1; rmmod test_params")
    assert "test_params: unknown parameter 'nosuch' ignored\n" in log(machine)


def test_filters_wait_for_a_module_and_trace_its_init(machine):
    machine.check(f"cd {TRACING}; echo ':mod:test_hello' > set_ftrace_filter")
    assert machine.check("cat set_ftrace_filter") == ":mod:test_hello\n"
    machine.check("echo function > current_tracer; insmod /root/test_hello.ko")
    assert "test_hello_greet [test_hello]\n" in machine.check("cat set_ftrace_filter")
    assert "test_hello_greet [test_hello]\n" in machine.check("cat available_filter_functions")
    trace = [line.split(": ", 1)[1] for line in machine.check("grep -v '^#' trace").splitlines()]
    assert re.fullmatch(r"(test_hello_init|init_module) <-load_module", trace[0]), trace
    assert trace[1].startswith("test_hello_greet <-"), trace
    assert machine.check("grep -c . enabled_functions") == "2\n"
    machine.check("rmmod test_hello")
    # The functions have gone. The filter does not become one of all functions.
    assert machine.check("cat set_ftrace_filter enabled_functions") == ""
    machine.check("echo nop > current_tracer; echo > set_ftrace_filter; cd /root")
    assert machine.check(f"cat {TRACING}/set_ftrace_filter") == "#### all functions enabled ####\n"


def test_a_filter_for_a_module_can_be_taken_back(machine):
    machine.check(f"cd {TRACING}; echo 'a*:mod:nosuch' > set_ftrace_notrace; echo 'b:mod:nosuch' >> set_ftrace_notrace")
    none = "#### no functions disabled ####\n"  # the words disable nothing yet
    assert machine.check("cat set_ftrace_notrace") == none + "b:mod:nosuch\na*:mod:nosuch\n"
    machine.check("echo '!a*:mod:nosuch' >> set_ftrace_notrace")
    assert machine.check("cat set_ftrace_notrace") == none + "b:mod:nosuch\n"
    machine.check("echo > set_ftrace_notrace; echo 'a*:mod:nosuch' > set_ftrace_filter")
    assert machine.check("cat set_ftrace_filter") == "a*:mod:nosuch\n"
    machine.check("echo '!*:mod:nosuch' >> set_ftrace_filter")
    machine.check("echo 'a*:mod:b:c' > set_ftrace_filter")  # Linux takes all behind :mod: as the name, too
    assert machine.check("cat set_ftrace_filter; echo '!a*:mod:b:c' >> set_ftrace_filter") == "a*:mod:b:c\n"
    assert machine.check("cat set_ftrace_filter; cd /root") == "#### all functions enabled ####\n"


def test_events_of_a_module_come_and_go(machine):
    machine.check(f"cd {TRACING}; modprobe trace-events-sample; echo 1 > events/sample-trace/foo_bar/enable")
    eventually(lambda: re.search(r"foo_bar: foo plain \d", machine.check("cat trace")))
    machine.check("echo traceoff > events/sample-trace/foo_bar_with_cond/trigger")
    refused(machine, "rmmod trace-events-sample", "Resource temporarily unavailable")
    machine.check("echo '!traceoff' > events/sample-trace/foo_bar_with_cond/trigger")
    machine.check("exec 3< events/sample-trace/foo_bar/format")
    refused(machine, "rmmod trace-events-sample", "Resource temporarily unavailable")
    machine.check("exec 3<&-")
    # A histogram that another event shares keeps the event that it was made for.
    event, other = "events/sample-trace/foo_bar/trigger", "events/sched/sched_switch/trigger"
    machine.check(f"for t in {event} {other}; do echo hist:name=shared:keys=common_pid > $t; done; echo '!hist:name=shared:keys=common_pid' > {event}")
    refused(machine, "rmmod trace-events-sample", "Resource temporarily unavailable")
    machine.check(f"echo '!hist:name=shared:keys=common_pid' > {other}; rmmod trace-events-sample")
    assert "sample-trace" not in machine.check("ls events")
    assert "foo_bar" not in machine.check("cat trace")
    machine.check("echo 1 > tracing_on; cd /root")


def test_the_system_of_a_module_stays_for_a_probe_event_without_the_module(machine):
    machine.check(f"cd {TRACING}; mkdir instances/a; modprobe sample-event; echo 'p:sample/x vfs_read' > kprobe_events; rmmod sample-event")
    for sample in ("events/sample", "instances/a/events/sample"):
        assert machine.check(f"ls {sample}").split() == ["enable", "filter", "x"]
        machine.check(f"echo 1 > {sample}/enable; echo common_pid==0 > {sample}/filter")
        assert machine.check(f"cat {sample}/enable {sample}/x/filter; echo 0 > {sample}/enable") == "1\ncommon_pid==0\n"
        machine.check(f"cat {sample}/filter")
    machine.check("rmdir instances/a; echo > kprobe_events; test ! -e events/sample; cd /root")


def test_module_events_name_the_module(machine):
    machine.check(f"cd {TRACING}; echo > trace; echo 1 > events/module/enable; insmod /root/test_hello.ko; rmmod test_hello; "
                  "echo 0 > events/module/enable")
    trace = machine.check("grep test_hello trace")
    assert re.search(r"module_load: test_hello \n.*module_put: test_hello call_site=load_module refcnt=1\n"
                     r".*module_free: test_hello\n", trace), trace
    machine.check("cd /root")


def test_entries_of_trace_printk_stay_readable(machine):
    machine.check(f"echo > {TRACING}/trace; modprobe trace-printk; rmmod trace-printk")
    trace = machine.check(f"cat {TRACING}/trace")
    assert "numbers and a text: 42 beef modprobe, 100%\n" in trace and ": (irq) This is a constant format" in trace
    assert ' : "This is a %s that will use trace_bprintk\\n"\n' in machine.check(f"cat {TRACING}/printk_formats")


def test_a_tracer_in_a_module(machine):
    """What has the tracer, and what prints with it, keeps the module."""
    machine.check(f"cd {TRACING}; modprobe sample-tracer")
    assert machine.check("cat available_tracers").startswith("sample ")
    refused(machine, "mkdir instances/a; echo sample > instances/a/current_tracer; s=$?; rmdir instances/a; (exit $s)", "Invalid argument")
    machine.check("echo sample > current_tracer; cat /proc/version")
    refused(machine, "rmmod sample-tracer", "Resource temporarily unavailable")
    trace = machine.check("cat trace")
    assert "# the calls of vfs_open\n#\n" in trace and re.search(r"\] \.{5} +\d+\.\d+: vfs_open <-", trace), trace
    machine.check("echo 0 > options/sample-heading")
    assert "# the calls of" not in machine.check("cat trace") and "nosample-heading\n" in machine.check("cat trace_options")
    machine.check("exec 3< trace; echo nop > current_tracer")
    refused(machine, "rmmod sample-tracer", "Resource temporarily unavailable")
    machine.check("exec 3<&-; exec 3< options/sample-heading")
    refused(machine, "rmmod sample-tracer", "Resource temporarily unavailable")
    machine.check("exec 3<&-; rmmod sample-tracer; test ! -e options/sample-heading")
    machine.check("modprobe sample-tracer; cat options/sample-heading; rmmod sample-tracer; cd /root")
    assert "sample" not in machine.check(f"cat {TRACING}/available_tracers")


def test_a_tracer_in_a_module_with_lines_of_its_own(machine):
    """Where the host seldom runs a CPU, other tasks sleep for long, too."""
    sleeps = "sh -c 'echo $$; exec usleep 90000'"
    machine.check(f"cd {TRACING}; modprobe sample-slow function=__x64_sys_clock_nanosleep min_us=60000; echo slow > current_tracer")
    output = machine.check(f"{sleeps}; echo 30000000 > /sys/module/sample_slow/parameters/min_us; {sleeps}; cat trace; echo nop > current_tracer; "
                           "rmmod sample-slow; cd /root")
    first, second, trace = output.split("\n", 2)
    lines = re.findall(r"^ +(\d+) +\d +(\d+)  __x64_sys_clock_nanosleep$", trace.partition("FUNCTION\n")[2], re.M)
    slept = {pid: int(us) for pid, us in lines}
    assert slept.get(first, 0) >= 90000 and second not in slept, output


def test_a_patch_keeps_its_module(machine):
    machine.check("modprobe livepatch-sample")
    patch = "/sys/kernel/livepatch/livepatch_sample"
    eventually(lambda: machine.check(f"cat {patch}/transition") == "0\n")
    assert machine.check("cat /proc/cmdline") == "this has been live patched\n"
    refused(machine, "rmmod livepatch-sample", "Resource temporarily unavailable")
    machine.check(f"echo 0 > {patch}/enabled")
    eventually(lambda: machine.run("rmmod livepatch-sample").status == 0)
    assert "patched" not in machine.check("cat /proc/cmdline")


def test_a_patch_replaces_functions_of_modules_that_are_loaded_and_that_come_later(machine):
    patch = "/sys/kernel/livepatch/test_klp"
    machine.check("insmod test_hello.ko; dmesg -c > /dev/null; insmod test_klp.ko")
    eventually(lambda: machine.check(f"cat {patch}/transition {patch}/test_hello/patched {patch}/nosuch/patched") == "0\n1\n0\n")
    assert machine.check(f"ls {patch}/test_hello; cat /proc/cmdline") == \
        "patched             test_hello_exit,1   test_hello_greet,1\npatched, too\n"
    machine.check("rmmod test_hello")
    text = log(machine)
    assert "test_klp: patched bye\n" in text and "livepatch: reverting patch 'test_klp' on unloading module 'test_hello'\n" in text
    assert machine.check(f"cat {patch}/test_hello/patched") == "0\n"
    machine.check("insmod test_hello.ko count=2")
    text = log(machine)
    assert text.endswith("test_klp: patched hello 0\ntest_klp: patched hello 1\n"), text
    assert "livepatch: applying patch 'test_klp' to loading module 'test_hello'\n" in text
    machine.check(f"echo 0 > {patch}/enabled")
    eventually(lambda: machine.run("rmmod test_klp").status == 0)
    machine.check("dmesg -c > /dev/null; rmmod test_hello")
    assert log(machine) == "test_hello: bye\n"


def test_a_module_that_a_patch_does_not_fit_is_refused(machine):
    """As in Linux: the patch names a function that the module does not have."""
    machine.check("insmod test_klp.ko")
    refused(machine, "insmod test_plain.ko", "Invalid argument")
    assert "livepatch: symbol 'nosuch_function' not found in symbol table\n" \
        "livepatch: patch 'test_klp' failed for module 'test_plain', refusing to load module 'test_plain'\n" in log(machine)
    machine.check("echo 0 > /sys/kernel/livepatch/test_klp/enabled")
    eventually(lambda: machine.run("rmmod test_klp").status == 0)


@pytest.mark.parametrize("name, function, letters", [("ftrace-direct", "wake_up_process", "R   D M"), ("ftrace-direct-too", "handle_mm_fault", "  I D M")])
def test_a_direct_call_goes_to_a_module(machine, name, function, letters):
    machine.check(f"echo > {TRACING}/trace; modprobe {name}; ls / > /dev/null")
    assert f"{function} (1) {letters}\n\tdirect-->direct_tramp+0x0/" in machine.check(f"cat {TRACING}/enabled_functions")
    machine.check(f"rmmod {name}")
    assert re.search("waking up|handle mm fault", machine.check(f"cat {TRACING}/trace"))


def test_a_backtrace_in_code_in_front_of_a_function_has_the_caller_of_the_function(machine):
    machine.check(f"cd {TRACING}; echo > trace; echo 1 > options/stacktrace; modprobe ftrace-direct; sleep 0.1; echo 0 > options/stacktrace; cd /root")
    trace = machine.check(f"cat {TRACING}/trace; rmmod ftrace-direct")
    stacks = re.findall(r"<stack trace>\n((?: => .*\n)+)", trace)
    assert stacks and all(re.match(r" => my_direct_func\n => direct_tramp\n => wake_up_process\n => \w+\n", stack) for stack in stacks), trace


def test_interrupts_and_preemption_are_off_as_long_as_asked(machine):
    """The events preemptirq see the sites of a module that was loaded before them, and of one that comes later."""
    on, off = (f"echo {value} > {TRACING}/events/preemptirq/enable" for value in (1, 0))
    again = "echo 1 > /sys/kernel/preemptirq_delay_test/trigger"
    parameters = "test_mode=alternate delay=300 burst_size=3"
    for commands in (f"modprobe preemptirq_delay_test {parameters}; {on}; {again}; {off}", f"{on}; modprobe preemptirq_delay_test {parameters}; {off}"):
        machine.check(f"echo > {TRACING}/trace; {commands}")
        trace = machine.check(f"grep preemptirq_delay_test {TRACING}/trace")
        machine.check("rmmod preemptirq_delay_test")
        for kind, parent, turns in (("irq", "irq", 2), ("preempt", "preempt", 1)):
            times = {state: [float(time) for time in re.findall(
                rf" ([0-9.]+): {kind}_{state}: caller=execute\+\S+ \[preemptirq_delay_test\] parent=preemptirqtest_\d", trace)]
                for state in ("disable", "enable")}
            assert len(times["disable"]) == len(times["enable"]) == turns, trace
            for begin, end in zip(times["disable"], times["enable"]):
                assert round((end - begin) * 1e6) >= 300  # in whole microseconds, as they are printed


@pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.soak)])
def test_a_module_goes_while_its_functions_are_preempted(machine, times):
    """Tasks call traced functions of the module until its exit stops them, on all CPUs and with each tracer."""
    for tracer in ("function", "function_graph"):
        machine.check(f"echo {tracer} > {TRACING}/current_tracer")
        for _ in range(times):
            machine.check("insmod test_traced.ko tasks=8; rmmod test_traced")
        machine.check(f"echo nop > {TRACING}/current_tracer")


def test_no_page_of_a_module_is_writable_and_executable(machine):
    def read_only():
        """Bytes of the direct map that are read-only."""
        tables = machine.check("sed -n '/Direct/,/vmalloc/p' /sys/kernel/debug/page_tables")
        return sum(int(end, 16) - int(start, 16) for start, end in re.findall(r"0x(\w+)-0x(\w+) .* ro ", tables))

    before = read_only()
    machine.check("insmod test_many.ko")
    tables = machine.check("sed -n '/Modules/,$p' /sys/kernel/debug/page_tables")
    rights = [line.split() for line in tables.splitlines() if line.startswith("0xffffffffc")]
    assert [line for line in rights if "x" in line] and not [line for line in rights if "RW" in line and "x" in line], tables
    constant = sum(int(end, 16) - int(start, 16) for start, end in re.findall(r"0x(\w+)-0x(\w+) .* ro .*(?:x|NX) ", tables))
    assert read_only() - before == constant > 0, tables  # its pages cannot be written through the direct map either
    machine.check("rmmod test_many")
    assert read_only() == before


def test_the_code_of_a_module_is_in_kcore(machine):
    machine.check("insmod test_hello.ko")
    assert re.match(r"ffffffffc[0-9a-f]{7} <test_hello_greet>:\n  0f 1f 44 00 00 .*\n  nop", machine.check("dis test_hello_greet"))
    machine.check("rmmod test_hello")


@pytest.mark.parametrize("number, files", [(1, 200), *(pytest.param(number, 1000, marks=pytest.mark.soak) for number in range(1, 11))])
def test_changed_files_are_refused_or_loaded(machine, number, files):
    result = machine.run(f"./mutate test_plain.ko {files} {seed(0) + number}")
    assert result.status == 0 and re.fullmatch(r"\d+ refused\n", result.output), result
    machine.check("dmesg -c > /dev/null")


def test_a_load_without_memory_leaves_nothing(boot, archive):
    """Each allocation of the loader and of all that is told about the module fails once."""
    machine = boot(kernel="nop5-test", initrd=str(archive), cpus=2)
    machine.check("echo 1 > /proc/sys/kernel/printk; cd /root; insmod test_provider.ko")
    machine.check("cp /lib/modules/*/kernel/sample-event.ko .")
    machine.check("./refuse test_plain.ko")  # what is made once and kept
    for module, arguments in (("test_user", ""), ("test_params", "text=abc"), ("sample-event", "")):
        machine.check(f"insmod {module}.ko; rmmod {module}")
        before = resources(machine)
        result = machine.run(f"./refuse {module}.ko '{arguments}'")
        refused, made = map(int, re.fullmatch(r"(\d+) of (\d+) allocations gave ENOMEM\n", result.output).groups())
        assert result.status == 0 and 10 < made and made - refused < 4, result
        resources_return_to(machine, before)
    assert machine.check("cat /proc/modules").startswith("test_provider ")
    assert re.fullmatch(r"\d+ sites, 0 mismatches\n", machine.check("cat /sys/kernel/debug/ftrace_verify"))


def test_an_oops_names_the_module(boot, archive):
    machine = boot(initrd=str(archive), wait=True)
    machine.check("echo 0 > /proc/sys/kernel/panic_on_oops")
    machine.send("insmod /root/test_oops.ko\n")
    machine.expect(r"Modules linked in: test_oops\(\+\)\r?\n")
    machine.expect(r"RIP: 0010:test_oops_read[^\r\n]*\+0x[0-9a-f]+/0x[0-9a-f]+ \[test_oops\]\r?\n")
    machine.expect(r"test_oops_init\+0x[0-9a-f]+/0x[0-9a-f]+ \[test_oops\]|init_module\+0x[0-9a-f]+/0x[0-9a-f]+ \[test_oops\]")
    # As in Linux, the module stays for ever: nobody knows what its init has done.
    machine.wait_prompt()
    assert re.fullmatch(r"test_oops \d+ 1 \[permanent\], Loading 0xffffffffc[0-9a-f]{7}\n", machine.check("cat /proc/modules"))
    assert machine.check("cat /sys/module/test_oops/initstate /sys/module/test_oops/refcnt") == "coming\n1\n"
    refused(machine, "rmmod test_oops", "Device or resource busy")
    refused(machine, "timeout 1 insmod /root/test_oops.ko", "")
    machine.check("insmod /root/test_hello.ko; grep -q 'test_oops_init.*test_oops' /proc/kallsyms; rmmod test_hello")


def test_a_module_is_built_outside_the_tree(machine, tmp_path):
    (tmp_path / "Kbuild").write_text("obj-m += outside.o\noutside-objs := first.o second.o\n")
    (tmp_path / "first.c").write_text('#include "kernel/module/module.h"\nint second(void);\n'
                                      'static int __init outside_init(void)\n{\n\treturn second();\n}\n'
                                      'module_init(outside_init);\nMODULE_LICENSE("GPL");\n')
    (tmp_path / "second.c").write_text("int second(void);\nint second(void)\n{\n\treturn 0;\n}\n")
    make("modules", f"M={tmp_path}")
    assert (tmp_path / "outside.ko").exists()
    (tmp_path / "second.c").write_text("int second(void);\nint missing(void);\nint second(void)\n{\n\treturn missing();\n}\n")
    result = subprocess.run(["make", "-s", "modules", f"M={tmp_path}"], cwd=ROOT, text=True, capture_output=True, check=False)
    assert result.returncode and 'modpost: "missing" [outside.ko] undefined!' in result.stderr


def test_a_probe_waits_until_ftrace_knows_the_module(machine):
    """Between the module's symbols and its call sites: a breakpoint there would be in a site that ftrace is about to patch."""
    machine.check("insmod test_holds.ko; cd /sys/kernel/tracing; echo function > current_tracer")
    machine.check("insmod /root/test_traced.ko tasks=1 & while ! grep -q '^test_traced .* Loading ' /proc/modules; do :; done")
    machine.check("echo p:m/leaf test_traced:test_traced_leaf > kprobe_events; echo 1 > events/m/enable")
    assert machine.run("grep test_traced /sys/kernel/debug/kprobes/list").output == ""
    machine.check("echo 0 > /sys/module/test_holds/parameters/hold; wait; rmmod test_holds")
    assert re.fullmatch(r"[0-9a-f]{16}  k  test_traced_leaf\+0x0  test_traced \[FTRACE\]\n", machine.check("cat /sys/kernel/debug/kprobes/list"))
    assert re.fullmatch(r"\d+ sites, 0 mismatches\n", machine.check("cat /sys/kernel/debug/ftrace_verify"))
    machine.check("echo nop > current_tracer; echo 0 > events/m/enable; echo > kprobe_events; rmmod test_traced; cd /root")


def storm(archive, seconds, tasks, cpus):
    """While tracers, filters, probes, patches and events change, and all files that name functions are read."""
    result = subprocess.run([ROOT / "scripts/boot", "--elf", "--cpus", str(cpus), "--timeout", str(300 + 5 * seconds), "--initrd", archive,
                             f"echo 1 > /proc/sys/kernel/printk; sh /root/storm.sh {seconds} {tasks}; dmesg | grep -v ' livepatch: '"],
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert result.returncode == 0, result.stdout
    found = re.fullmatch(r"(\d+) rounds\n\d+ sites, 0 mismatches\n((?:\[ *[0-9.]+\] .*\n)*)", result.stdout)
    assert found and int(found[1]), result.stdout
    assert not re.search(r"test_percpu:|returns as|WARNING|BUG", found[2]), found[2]


def test_modules_come_and_go_in_a_short_storm(archive):
    storm(archive, seconds=1, tasks=1, cpus=2)


@pytest.mark.soak
def test_modules_come_and_go_in_a_storm(archive):
    storm(archive, seconds=600, tasks=2, cpus=8)
