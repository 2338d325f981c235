"""Event probes: an event that is made out of another one."""
import re

import pytest

TRACING = "/sys/kernel/tracing"


@pytest.fixture
def machine(nop5):
    """The shared machine in tracefs, without dynamic events, before and after."""
    def clean():
        nop5.check(f"cd {TRACING}; echo 0 > events/enable; echo > dynamic_events; echo > trace")

    clean()
    nop5.check("echo 'src u64 a; s32 b; char c[8]; char d[]; u8 e' > synthetic_events")
    yield nop5
    clean()


def define(machine, arguments, name="p"):
    machine.check(f"echo 'e:{name} synthetic.src {arguments}' >> dynamic_events; echo 1 > events/eprobes/{name}/enable")


def inject(machine, text):
    machine.check(f"echo '{text}' > events/synthetic/src/inject")


def lines(machine, trace="trace"):
    return re.findall(r"\d+\.\d+: (.*)", machine.check(f"cat {trace}"))


def test_each_type_of_argument(machine):
    define(machine, "$a x8=$a:x8 x16=$a:x16 x32=$a:x32 x64=$a:x64 u8=$a:u8 u16=$a:u16 u32=$a:u32 u64=$a:u64 s8=$b:s8 s16=$b:s16 s32=$b:s32 "
                    "s64=$b:s64 b=$b ch=$e:char bits=$a:b4@4/8 c=$c:string d=$d:string e=$e")
    inject(machine, 'a=0xfedcba9876543281 b=-2 c="stat" d="dynamic" e=65')
    assert lines(machine) == [
        "p: (synthetic.src) arg1=0xfedcba9876543281 x8=0x81 x16=0x3281 x32=0x76543281 x64=0xfedcba9876543281 u8=129 u16=12929 "
        "u32=1985229441 u64=18364758544493064833 s8=-2 s16=-2 s32=-2 s64=-2 b=0xfffffffffffffffe ch='A' bits=8 "
        'c="stat" d="dynamic" e=0x41']


def test_memory_is_read_and_a_fault_is_none(machine):
    address = int(machine.check("grep ' T schedule$' /proc/kallsyms").split()[0], 16)
    code = [int(byte, 16) for byte in re.findall(r"0x([0-9a-f]+)[,}]", read_code(machine))]
    inject(machine, f"a={address}")
    define(machine, "by=+0($a):x8[4] at=+1($a):x8 no=+0(+0($b)):u64 str=+0($b):string us=+0($b):ustring arr=+0($b):u8[2] sym=$a:symbol "
                    "st=$a:symstr neg=-4(\\20):x8")
    inject(machine, f"a={address} b=1")
    assert lines(machine)[-1] == (
        "p: (synthetic.src) by={" + ",".join(f"{byte:#x}" for byte in code) + f"}} at={code[1]:#x} no=0 str=(fault) us=(fault) arr={{0,0}} "
        'sym=' + symbol(machine) + ' st="' + symbol(machine) + '" neg=0x0')


def read_code(machine):
    machine.check("echo 'e:code synthetic.src c=@schedule:x8[4]' >> dynamic_events; echo 1 > events/eprobes/code/enable; "
                  "echo a=1 > events/synthetic/src/inject; echo 0 > events/eprobes/code/enable")
    return lines(machine)[-1]


def symbol(machine):
    return re.search(r"sym=(\S+)", machine.check("cat trace"))[1]


def test_constants_and_the_task(machine):
    define(machine, 'n=\\5:u8 m=\\-1:s16 t=\\"hello" comm=$comm up=$COMM:string')
    inject(machine, "a=1")
    text = lines(machine)
    assert re.fullmatch(r'p: \(synthetic\.src\) n=5 m=-1 t="hello" comm="(\S+)" up="\1"', text[0]), text


def test_the_filter_of_a_probe(machine):
    define(machine, 'a=$a:u64 if a > 5 && c == "yes"')
    for text in ('a=9 c="no"', 'a=5 c="yes"', 'a=6 c="yes"'):
        inject(machine, text)
    assert lines(machine) == ["p: (synthetic.src) a=6"]
    assert machine.check("cat events/synthetic/src/enable") == "0*\n"
    assert machine.check("cat events/synthetic/src/trigger").startswith("# Available triggers:")


def test_a_probe_records_in_the_instance_in_which_it_is_enabled(machine):
    machine.check("mkdir instances/i; echo 'e:p synthetic.src a=$a' >> dynamic_events; echo 1 > instances/i/events/eprobes/p/enable; "
                  "echo a=1 > events/synthetic/src/inject; echo a=2 > instances/i/events/synthetic/src/inject")
    assert lines(machine, "instances/i/trace") == ["p: (synthetic.src) a=0x2"]
    assert lines(machine) == ["src: a=1 b=0 c= d= e=0"]
    assert machine.run("echo -:p >> dynamic_events").output == "sh: write error: Device or resource busy\n"
    machine.check("rmdir instances/i; echo -:p >> dynamic_events")


def test_a_probe_of_a_tracepoint_sees_each_event_once(boot):
    machine = boot(cpus=4)
    machine.check(f"cd {TRACING}; echo 'e:p sched.sched_switch pid=$next_pid:s32 comm=$next_comm:string' > dynamic_events; "
                  "echo 4096 > buffer_size_kb; echo 0 > tracing_on; "
                  "echo 1 > events/sched/sched_switch/enable; echo 1 > events/eprobes/p/enable; "
                  "echo 1 > tracing_on; hackbench -g 1 -l 20; echo 0 > tracing_on; echo 0 > events/enable")
    text = machine.fetch("cat trace")
    events = re.findall(r"(\d+\.\d+): (sched_switch: .*next_comm=(.*) next_pid=(\d+) |p: .*pid=(\d+) comm=\"(.*)\")", text)
    switches = [(comm, pid) for _, _, comm, pid, _, _ in events if pid]
    probes = [(comm, pid) for _, _, _, _, pid, comm in events if pid]
    assert len(switches) > 100 and abs(len(switches) - len(probes)) <= 8  # one of each pair may be at the end
    counts = {pair: switches.count(pair) for pair in set(switches)}
    assert all(abs(counts.get(pair, 0) - probes.count(pair)) <= 8 for pair in set(probes))


def test_the_format_is_that_of_linux(machine):
    machine.check("echo 'e:e1 sched.sched_switch a=$next_pid b=$next_comm c=$next_comm:string d=$next_pid:s32 x8=$next_prio:x8 "
                  "x16=$next_prio:x16 x32=$next_pid:x32 u8=$next_prio:u8 s8=$next_prio:s8 bf=$next_prio:b4@2/32' >> dynamic_events")
    text = machine.check("cat events/eprobes/e1/format").split("common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n")[1]
    assert text == """\
\tfield:u64 a;\toffset:8;\tsize:8;\tsigned:0;
\tfield:u64 b;\toffset:16;\tsize:8;\tsigned:0;
\tfield:__data_loc char[] c;\toffset:24;\tsize:4;\tsigned:1;
\tfield:s32 d;\toffset:28;\tsize:4;\tsigned:1;
\tfield:u8 x8;\toffset:32;\tsize:1;\tsigned:0;
\tfield:u16 x16;\toffset:33;\tsize:2;\tsigned:0;
\tfield:u32 x32;\toffset:35;\tsize:4;\tsigned:0;
\tfield:u8 u8;\toffset:39;\tsize:1;\tsigned:0;
\tfield:s8 s8;\toffset:40;\tsize:1;\tsigned:1;
\tfield:u32 bf;\toffset:41;\tsize:4;\tsigned:0;

print fmt: " a=0x%Lx b=0x%Lx c=\\"%s\\" d=%d x8=0x%x x16=0x%x x32=0x%x u8=%u s8=%d bf=%u", REC->a, REC->b, __get_str(c), REC->d, \
REC->x8, REC->x16, REC->x32, REC->u8, REC->s8, REC->bf
"""


def test_an_event_probe_of_an_event_probe_is_refused(boot):
    """A chain of a hundred would fill the stack. Linux gives the same error."""
    machine = boot(cpus=1)
    machine.check("cd /sys/kernel/tracing; echo 'e:a sched/sched_switch n=$next_pid' >> dynamic_events")
    assert machine.run("echo 'e:b eprobes/a n=$n' >> dynamic_events").output == "sh: write error: No such device\n"
    assert machine.check("tail -n 3 error_log").endswith(
        "event_probe: error: Attached event does not exist\n  Command: e:b eprobes/a n=$n\n               ^\n")
    assert machine.check("cat dynamic_events") == "e:eprobes/a sched.sched_switch n=$next_pid\n"
