#!/usr/bin/python3
"""perf's commands, and what each of them prints on Linux and has to print on nop5 (test_perf.py).

    tests/boot/perf_commands.py LINUX-REF     runs all of them, and `perf test`, on Linux 6.1

That prints the commands whose pattern Linux's output does not have, and writes Linux's column of data/perf_test.txt.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/boot/data"
TABLE = DATA / "perf_test.txt"
NOT_YET = DATA / "perf_not_yet.txt"

PERF = ("linux-perf", "binutils", "binutils-x86-64-linux-gnu", "bash", "tar", "bzip2")  # the last three for perf-archive
# What perf's own tests call: one of them wants a sleep that is a program of its own, with a C library that is loaded.
FOR_TESTS = ("python3-minimal", "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "coreutils")

# perf's own tests 1 to 78. Those behind them are shell scripts, which want a compiler, bash and more.
PERF_TESTS = 78
# So many at once: each lot must end before a machine counts as hung.
LOT = 13
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
RESULT = re.compile(r"^ *(\d+(?:\.\d+)?): (.*?) *: *(Ok|Skip|FAILED!)(?: .*)?$", re.M)

RECORDED = r"perf record: Captured and wrote [\d.]+ MB \S+ \([1-9]\d* samples\)"
# Records a file d, and says only whether that went well.
RECORD = "perf record -o d"
# A task that runs: of one that only sleeps perf says <not counted>, because its time enabled is 0.
BUSY = "(while :; do :; done)"
# A program that uses the CPU in user mode.
SPIN = "dd if=/dev/zero of=/dev/null bs=1 count=100000"
# Two writers of one pipe, which wait for its lock.
CONTEND = "sh -c '(dd if=/dev/zero bs=1 count=20000 & dd if=/dev/zero bs=1 count=20000) | cat > /dev/null'"
# More than 0 ms of CPU time.
SOME_MS = r"[\d.]*[1-9][\d.]* msec"

# name: (command for the shell, pattern of its output). A pattern wants what only a kernel that has done the work can give: no header, and no 0.
# Commands that would start a pager get `| cat`. A command writes into its directory and puts back what it changes. busybox's cat
# calls sendfile(2), which does not pass by vfs_read(), and its md5sum calls read(2).
COMMANDS = {
    # What worked before there was perf_event_open(2).
    "list": ("perf list tracepoint", r"^  sched:sched_switch +\[Tracepoint event\]$"),
    # A name is saved at a task switch, and perf reads meanwhile: so the shell sleeps before the call that counts.
    "ftrace_function": ("perf ftrace trace -T vfs_open -- sh -c 'sleep 0.1; read line < /etc/passwd'", r"sh-\d+ .* vfs_open <-\w+"),
    "ftrace_graph": ("perf ftrace -G 'kmem*' --graph-opts noirqs -- cat /etc/passwd", r"\d\) .*\| +kmem_cache_alloc\w*\("),
    "ftrace_latency": ("perf ftrace latency -T vfs_open -- cat /etc/passwd", r"DURATION +\| +COUNT \| GRAPH(?s:.*)us \| +[1-9]\d* \|"),
    "probe_function": ("perf probe --add vfs_read; perf probe -l; perf probe -d vfs_read",
                       r"Added new event:\n  probe:vfs_read +\(on vfs_read\)(?s:.*)^  probe:vfs_read +\(on vfs_read\S*\)$(?s:.*)Removed event: probe:vfs_read"),
    "probe_return": ("perf probe --add 'vfs_read%return ret=$retval'; perf probe -d '*'",
                     r"probe:vfs_read__return +\(on vfs_read%return with ret=\$retval\)"),
    "probe_program": ("perf probe -x /lib/x86_64-linux-gnu/libc.so.6 --add getenv; perf probe -d '*'", r"probe_libc:getenv +\(on getenv in \S*libc.so.6\)"),
    "probe_functions": ("perf probe --funcs | grep -x vfs_read", r"^vfs_read$"),
    "bench_pipe": ("perf bench sched pipe -l 1000", r"usecs/op"),
    "bench_messaging": ("perf bench sched messaging -g 1 -l 10", r"Total time: +[\d.]+ \[sec\]"),
    "bench_syscall": ("perf bench syscall basic -l 1000", r"usecs/op"),
    "bench_memcpy": ("perf bench mem memcpy -s 1MB", r"[KMG]B/sec"),
    "bench_futex": ("perf bench futex hash -t 2 -r 1", r"Averaged \d+ operations/sec"),
    "bench_epoll": ("perf bench epoll wait -t 2 -r 1", r"Averaged \d+ operations/sec"),
    "mem": ("perf mem record true", r"memory events not supported"),
    "c2c": ("perf c2c record true", r"memory events not supported"),
    # Counting.
    "list_software": ("perf list sw", r"page-faults OR faults +\[Software event\]"),
    "stat": ("perf stat true", rf"^ +{SOME_MS} task-clock(?s:.*)^ +[1-9]\d* +page-faults(?s:.*)<not supported> +cycles"),
    "stat_interval": ("perf stat -e syscalls:sys_enter_mmap -I 100 -a sh -c 'perf version; sleep 0.5'",
                      r"^ +\d+\.\d+ +[1-9]\d* +syscalls:sys_enter_mmap *$(?s:.*)^ +\d+\.\d+ +0 +syscalls:sys_enter_mmap *$"),
    "stat_timers": ("perf stat -e 'timer:hrtimer*' -e cs -e page-faults sleep 0.1",
                    r"^ +[1-9]\d* +timer:hrtimer_start(?s:.*)^ +[1-9]\d* +cs(?s:.*)^ +[1-9]\d* +page-faults"),
    "stat_cpus": ("perf stat -a -A -e task-clock,cs sleep 0.1", rf"^CPU0 +{SOME_MS} task-clock(?s:.*)^CPU1 +{SOME_MS} task-clock(?s:.*)^CPU[01] +[1-9]\d* +cs"),
    "stat_repeated": ("perf stat -r 3 -e page-faults true", r"^ +[1-9]\d* +page-faults(?s:.*)seconds time elapsed +\( \+- +[\d.]+% \)"),
    "stat_threads": (f"{BUSY} & a=$!; {BUSY} & perf stat --per-thread -e task-clock -p $a,$! sleep 0.1; kill $a $!",
                     rf"(?:^ +sh-\d+ +{SOME_MS} task-clock.*\n){{2}}"),
    "stat_pid": (f"{BUSY} & perf stat -e task-clock -p $! sleep 0.1; kill $!", rf"stats for process id '\d+':\n\n +{SOME_MS} task-clock"),
    "stat_group": ("perf stat -e '{cs,page-faults}' true", r"^ +\d+ +cs *\n +[1-9]\d* +page-faults"),
    "stat_software": ("perf stat -e task-clock,cpu-clock,cs,migrations,faults,minor-faults,major-faults,alignment-faults,emulation-faults,dummy,bpf-output,cgroup-switches true",
                      rf"^ +{SOME_MS} task-clock +(?s:.*)^ +{SOME_MS} cpu-clock +(?s:.*)^ +[1-9]\d* +minor-faults(?s:.*)^ +0 +alignment-faults +(?s:.*)^ +0 +emulation-faults +(?s:.*)"
                      r"^ +0 +dummy +(?s:.*)^ +0 +bpf-output +(?s:.*)^ +0 +cgroup-switches +"),
    "stat_modes": ("perf stat -e faults:u,faults:k,cs:u,cs:k,migrations:u sh -c 'true | cat'",
                   r"^ +[1-9]\d* +faults:u +(?s:.*)^ +[1-9]\d* +faults:k +(?s:.*)^ +0 +cs:u +(?s:.*)^ +[1-9]\d* +cs:k +(?s:.*)^ +0 +migrations:u +"),
    "stat_cpu": ("perf stat -C 1 -e task-clock,cs sleep 0.1", rf"stats for 'CPU\(s\) 1':\n\n +{SOME_MS} task-clock +(?s:.*)^ +\d+ +cs +"),
    "stat_system": ("perf stat -a sleep 0.1", rf"stats for 'system wide':\n\n +{SOME_MS} cpu-clock +(?s:.*)^ +[1-9]\d* +context-switches +(?s:.*)^ +\d+ +cpu-migrations +(?s:.*)"
                    r"^ +[1-9]\d* +page-faults +(?s:.*)^ +<not supported> +cycles"),
    "stat_delay": ("perf stat -D 1 -e task-clock sleep 0.3", rf"^Events disabled\nEvents enabled(?s:.*)^ +{SOME_MS} task-clock"),
    "stat_csv": ("perf stat -x, -e faults,task-clock true", r"^[1-9]\d*,,faults,\d+,100\.00,(?s:.*)^[\d.]+,msec,task-clock,\d+,100\.00,"),
    "stat_json": ("perf stat -j -e faults true", r'^\{"counter-value" : "[1-9]\d*\.0+", "unit" : "", "event" : "faults", "event-runtime" : \d+, "pcnt-running" : 100\.00'),
    "stat_record": ("perf stat record -o d -e faults true; perf stat report -i d", r"perf stat record -o d -e faults true':\n\n +[1-9]\d* +faults "),
    "stat_timeout": ("perf stat -e faults --timeout 100 sleep 1000", r"^ +[1-9]\d* +faults +"),
    "stat_intervals": ("perf stat --interval-print 50 --interval-count 2 -e cs -a sleep 1", r"^ +\d+\.\d+ +[1-9]\d* +cs +\n +\d+\.\d+ +[1-9]\d* +cs +$"),
    "stat_cores": ("perf stat -a --per-core -e task-clock sleep 0.1", rf"^S0-D0-C0 +1 +{SOME_MS} task-clock .*\nS0-D0-C1 +1 +{SOME_MS} task-clock "),
    "stat_sockets": ("perf stat -a --per-socket -e cs sleep 0.1", r"^S0 +2 +[1-9]\d* +cs +$"),
    "stat_node": ("perf stat -a --per-node -e cs sleep 0.1", r"^N0 +2 +[1-9]\d* +cs +$"),
    "stat_members": ("perf stat -e '{cs,page-faults,task-clock}' -e '{faults:u,faults:k}' true",
                     rf"^ +[1-9]\d* +page-faults +(?s:.*)^ +{SOME_MS} task-clock +(?s:.*)^ +[1-9]\d* +faults:u +"),
    "stat_no_task": ("perf stat -e faults -p 99999 true", r"Problems finding threads of monitor"),
    "stat_user": ("echo 2 > /proc/sys/kernel/perf_event_paranoid; su -s /bin/sh nobody -c 'perf stat true'",
                  rf"^ +{SOME_MS} task-clock:u +(?s:.*)^ +0 +context-switches:u +(?s:.*)^ +0 +cpu-migrations:u +(?s:.*)^ +[1-9]\d* +page-faults:u +(?s:.*)^ +<not supported> +cycles:u"),
    "stat_user_cpus": ("echo 2 > /proc/sys/kernel/perf_event_paranoid; su -s /bin/sh nobody -c 'perf stat -a true'", r"perf_event_paranoid setting is 2:(?s:.*)Disallow CPU event access"),
    "stat_user_task": ("echo 2 > /proc/sys/kernel/perf_event_paranoid; su -s /bin/sh nobody -c 'perf stat -e cs -p 1 true'", r"^Access to performance monitoring and observability operations is limited"),
    "stat_pipe": ("perf stat -e cs:k perf bench sched pipe -l 100", r"usecs/op(?s:.*)^ +[1-9]\d+ +cs:k +"),
    "stat_calls": ("perf stat -e raw_syscalls:sys_enter --filter 'id == 1' dd if=/dev/zero of=/dev/null bs=1 count=1000 2>&1 | grep -v records", r"^ +100[0-9] +raw_syscalls:sys_enter +$"),
    "stat_filter": ("perf stat -e syscalls:sys_enter_openat --filter 'flags == 12345' true", r"^ +0 +syscalls:sys_enter_openat"),
    "stat_probe": ("perf probe -q --add vfs_read; perf stat -a -e probe:vfs_read md5sum /etc/passwd; perf probe -q -d vfs_read", r"^ +[1-9]\d* +probe:vfs_read"),
    "stat_watch": ("perf stat -a -e mem:0x1000:w true", r"^ +0 +mem:0x1000:w"),
    # Sampling.
    "record_clock": (f"{RECORD} -e cpu-clock -g {SPIN}; perf script -i d",
                     RECORDED + r"(?s:.*)\t[0-9a-f]{16} vfs_read\+.*\n\t[0-9a-f]{16} ksys_read\+.*\n(?:\t[0-9a-f]{16} .*\n)*"
                     r"\t[0-9a-f]{16} entry_SYSCALL_64_after_hwframe\+.*\n\t +[0-9a-f]+ \[unknown\] \(/usr/bin/busybox\)"),
    "record_default": (f"{RECORD} -a -F 99 {SPIN}", RECORDED),
    "record_period": (f"{RECORD} -e page-faults -c 1 true", RECORDED),
    "record_dwarf": (f"{RECORD} -e cpu-clock --call-graph dwarf perf bench syscall basic -l 100000; perf script -i d",
                     RECORDED + r"(?s:.*)\t +[0-9a-f]+ getppid\+\w+ \(\S+libc.so.6\)\n(?:\t +[0-9a-f]+ .* \(/usr/bin/perf\)\n){4}\t.*\n\t +[0-9a-f]+ __libc_start_main\+"),
    "record_pid": (f"{BUSY} & {RECORD} -e cpu-clock -p $! sleep 0.1; kill $!; perf script -i d -F pid | sort -u | wc -l", RECORDED + r" \]\n1$"),
    "record_overwrite": (f"{RECORD} --overwrite -e cpu-clock -a sleep 0.2", RECORDED),
    "record_switch_output": (f"{RECORD} -e cpu-clock --switch-output=1s -a sleep 2.5; for f in d.2*; do perf script -i $f | wc -l; done; rm d.*",
                             r"\[ perf record: Dump d\.\d+ \](?s:.*)^[1-9]\d*$"),
    "record_switch_events": (f"{RECORD} -e dummy --switch-events sleep 0.1; perf script -i d --show-switch-events", r"PERF_RECORD_SWITCH +OUT"),
    "script_tracepoint": (f"{RECORD} -e sched:sched_switch -a sleep 0.1; perf script -i d", r"sched:sched_switch: prev_comm=\S+ prev_pid=\d+"),
    "script_filter": (f"{RECORD} -e sched:sched_switch --filter 'next_pid == 0' -a sleep 0.1; perf script -i d > out; grep -c ' next_pid=0 ' out; grep -vc ' next_pid=0 ' out",
                      r"^[1-9]\d*\n0$"),
    "script_probe": (f"perf probe -q --add vfs_read; {RECORD} -e probe:vfs_read md5sum /etc/passwd; perf script -i d; perf probe -q -d vfs_read", r"probe:vfs_read: \(\w+\)"),
    "script_uprobe": (f"perf probe -q -x /lib/x86_64-linux-gnu/libc.so.6 --add getenv; {RECORD} -e probe_libc:getenv -a perf version; perf script -i d; perf probe -q -d '*'",
                      r"probe_libc:getenv: \(\w+\)"),
    "script_tasks": (f"{RECORD} -e cpu-clock true; perf script -i d --show-task-events --show-mmap-events", r"PERF_RECORD_COMM exec: true(?s:.*)PERF_RECORD_MMAP2 .* r-xp "),
    "script_text_poke": (f"{RECORD} --kcore -e dummy -a sh -c 'cd /sys/kernel/tracing/events/sched/sched_switch; echo 1 > enable; echo 0 > enable'; perf script -i d --show-text-poke-events; rm -r d",
                         r"PERF_RECORD_TEXT_POKE [0-9a-f]{16} \w+\+0x\w+ old len [25] new len [25]\n +Old bytes: (?:0f 1f 44 00 00|66 90)\n +New bytes: e[89b] "),
    "script_ksymbol": (f"{RECORD} -e dummy -a sh -c 'cd /sys/kernel/tracing; echo vfs_read > set_ftrace_filter; echo function > current_tracer; echo nop > current_tracer; "
                       "echo > set_ftrace_filter'; perf script -i d --show-bpf-events",
                       r"PERF_RECORD_KSYMBOL addr [0-9a-f]{16} len \d+ type 2 flags 0x0 name ftrace_trampoline"),
    "script_registers": (f"{RECORD} --intr-regs=ip,sp,cs,flags,ax -e sched:sched_switch -a sleep 0.1; perf script -i d -F ip,iregs",
                         r"^ +([0-9a-f]{16}) ABI:2 +AX:0x0 +SP:0xff[0-9a-f]{14} +IP:0x\1 +FLAGS:0x0 +CS:0x10 *$"),
    "report": (f"{RECORD} -q -e cpu-clock -g {SPIN}; perf report -i d --stdio | cat",
               r"^ +\d+\.\d+% +\d+\.\d+% +dd +\[kernel\.kallsyms\] +\[k\] entry_SYSCALL_64_after_hwframe *\n(?s:.*)-ksys_read *\n(?s:.*)[- ]vfs_read *\n"),
    "annotate": (f"{RECORD} -q -e cpu-clock {SPIN}; perf annotate -i d --stdio vfs_read | cat",
                 r"Disassembly of kcore for cpu-clock \([1-9]\d* samples(?s:.*)^ +[1-9]\d*\.\d\d : +ffffffff[0-9a-f]{8}: +\w+"),
    "evlist": (f"{RECORD} -q -e cpu-clock {SPIN}; perf evlist -i d", r"^cpu-clock"),
    "buildid_list": (f"{RECORD} -q -e cpu-clock {SPIN}; perf buildid-list -i d", r"^[0-9a-f]{40} \[kernel.kallsyms\]"),
    "diff": (f"perf record -q -o d1 -e cpu-clock {SPIN}; perf record -q -o d2 -e cpu-clock {SPIN}; perf diff d1 d2 | cat",
             r"Baseline +Delta(?s:.*)^ +\d+\.\d+% +[+-]\d+\.\d+% +\[kernel\.kallsyms\] +\[k\] \w+"),
    "archive": (f"{RECORD} -q -e cpu-clock {SPIN}; perf archive d; tar tjf d.tar.bz2",
                r"Now please run:(?s:.*)^\.build-id/\w\w/\w{38}\n\[kernel\.kallsyms\](?s:.*)^usr/bin/busybox/\w{40}/elf$"),
    "top": ("rm -f out; (until grep -qs '\\[k\\]' out; do sleep 1; done; echo q) | perf top --stdio -e cpu-clock -d 1 > out; cat out",
            r"PerfTop: +[1-9]\d* irqs/sec(?s:.*)^ +[1-9]\d*\.\d+% +\[kernel\] +\[k\] \w+"),
    # What stands on them.
    "trace": ("perf trace true", r"^ +\d+\.\d+ \( *[\d.]+ ms\): true/\d+ \w+\("),
    "trace_summary": ("perf trace -s true", r"Summary of events:(?s:.*) true \(\d+\), [1-9]\d* events(?s:.*)^   brk +[1-9]"),
    "trace_one": ("perf trace -e openat cat /etc/passwd", r"cat/\d+ openat\(dfd: CWD, filename: "),
    "sched_latency": ("perf sched record -o d sleep 0.1; perf sched latency -i d | cat", r"^  sleep:\d+ +\| +[\d.]*[1-9][\d.]* ms \| +[1-9]\d* \|"),
    "sched_map": ("perf sched record -o d sleep 0.1; perf sched map -i d | cat", r"\*(\w+) .* secs \1 => (?:sleep|perf-exec):\d+"),
    "sched_timehist": ("perf sched record -o d sleep 0.1; perf sched timehist -i d | cat", r"^ +\d+\.\d+ \[\d{4}\] +sleep\[\d+\] +[1-9]\d{2}\.\d+ +\d+\.\d+ +\d+\.\d+ *$"),
    # In a pipe it would write its recording into the pipe.
    "kmem": ("perf kmem record sleep 0.1 > out 2>&1; perf kmem stat | cat", r"SUMMARY \(SLAB allocator\)(?s:.*)^Total bytes requested: [1-9]"),
    "lock": (f"perf lock record -o d {CONTEND}; perf lock report -i d | cat", r"Name +acquired +contended(?s:.*)^ *\w+\+0x\w+ +[1-9]\d* +[1-9]\d* +\d+\.\d+ [mun]?s"),
    "lock_contention": (f"perf lock record -o d {CONTEND}; perf lock contention -i d | cat", r"contended +total wait(?s:.*)^ *[1-9]\d* +\d+\.\d+ [mun]?s .* (?:mutex|spinlock) +\w+\+0x\w+"),
}


def results_of(text):
    """Returns {number: result} from the output of `perf test`."""
    return {match[1]: match[3].rstrip("!") for match in RESULT.finditer(ESCAPE.sub("", text))}


def table():
    """Returns {number: (Linux's result, nop5's, description)} from data/perf_test.txt."""
    rows = (line.split(None, 3) for line in TABLE.read_text().splitlines() if line and not line.startswith("#"))
    return {number: (linux, nop5, what) for number, linux, nop5, what in rows}


def not_yet():
    """Returns {name of a command: what it waits for} from data/perf_not_yet.txt."""
    lines = NOT_YET.read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def lots():
    """The numbers of perf's tests, as arguments for some runs of `perf test`."""
    return [" ".join(map(str, range(first, min(first + LOT, PERF_TESTS + 1)))) for first in range(1, PERF_TESTS + 1, LOT)]


INTO_ROOT = """
mkdir -p /r && cd /r && cpio -id < /bin/perf.cpio 2> /dev/null
for fs in proc sysfs devtmpfs; do d=${fs%fs}; d=${d%tmp}; mount -t $fs $fs /r/$d; done
mount -t tmpfs tmpfs /r/tmp; mount -t tracefs tracefs /r/sys/kernel/tracing; mount -t debugfs debugfs /r/sys/kernel/debug
ifconfig lo up
"""


def on_linux(linux_ref, packages, commands, *options):
    """Runs commands on Linux, in a root file system with packages, and returns their output. The options are for LINUX-REF."""
    image = ROOT / "build/perf.cpio"
    subprocess.run([ROOT / "scripts/rootfs", image, *packages], check=True)
    script = INTO_ROOT + "cat > /r/run.sh << 'END'\ncd /root; export HOME=/root TERM=dumb\n" + "\n".join(commands) + "\nEND\nchroot /r /bin/sh /run.sh < /dev/null\n"
    done = subprocess.run([linux_ref, "--cpus", "2", "--mem", "2G", "--timeout", "3000", *options, "--add", image], input=script, text=True,
                          errors="replace", stdout=subprocess.PIPE, check=True)
    return ESCAPE.sub("", done.stdout.replace("\r\n", "\n"))


def main():
    text = on_linux(sys.argv[1], PERF, [f"echo '## {name}'; (\n{command}\n) > /tmp/out 2>&1; cat /tmp/out" for name, (command, _) in COMMANDS.items()])
    parts = dict(re.findall(r"^## (\w+)\n((?:(?!## ).*\n)*)", text, re.M))
    for name, (command, pattern) in COMMANDS.items():
        if not re.search(pattern, parts.get(name, ""), re.M):
            print(f"{name}: {command}\nhas on Linux no {pattern!r}:\n{parts.get(name)}")
    text = on_linux(sys.argv[1], PERF + FOR_TESTS, [f"perf test {lot} 2>&1" for lot in lots()])
    results, rows = results_of(text), []
    for line in TABLE.read_text().splitlines():
        fields = line.split(None, 3)
        if not line.startswith("#") and fields[1] != results.get(fields[0]):
            print(f"perf test {fields[0]}: {fields[1]} before, now {results.get(fields[0])}")
            line = f"{fields[0]:<5} {results.get(fields[0], 'none'):<7} {fields[2]:<7} {fields[3]}"
        rows.append(line)
    TABLE.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
