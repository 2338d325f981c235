"""Programs of Debian as witnesses: stress-ng with --verify, rt-tests' cyclictest, bash and dash, and a C compiler.

All of it is in `make soak` only, because it downloads some fifty packages.
"""
import re
import subprocess

import pytest

from nop5 import BUILD, ROOT, Nop5

pytestmark = pytest.mark.soak
BAD = re.compile(r"BUG|WARNING|Oops|lockup|LOCKUP|Call Trace")
# The C library's parts that tcc links a program with.
LIBC = "/usr/lib/x86_64-linux-gnu"
LINKED = [f"{LIBC}/{name}:{LIBC}/{name}" for name in ("crt1.o", "crti.o", "crtn.o", "libc.so", "libc_nonshared.a")]
# Every stressor of stress-ng that needs nothing but the system calls of nop5.
ALL = """access affinity alarm bad-altstack bigheap branch brk chdir chmod chown clock clone close context copy-file cpu daemon dentry
    dir dirdeep dirmany dup enosys env epoll eventfd fallocate fault fcntl fifo filename flock fork fp-error fpunch fsize fstat full
    futex getdent getrandom hdd hrtimers inotify itimer kcmp kill link locka lockf longjmp madvise malloc matrix mcontend
    membarrier memcpy memfd mincore mknod mlock mmap mmapaddr mmapfixed mmapfork mmapmany mremap msync nanosleep nice null open
    personality pidfd pipe pipeherd poll prctl procfs pthread pty qsort rename resched resources revio rlimit schedpolicy seal seek sem
    sendfile session set sigabrt sigchld sigfd sigfpe sigio signal signest sigpending sigpipe sigq sigrt sigsegv sigsuspend sigtrap
    sleep splice stack stackmmap switch symlink sysbadaddr sysinfo tee timer timerfd tmpfs urandom utime vdso vfork vm vm-addr
    vm-splice wait yield zero zlib zombie""".split()


@pytest.fixture(scope="module")
def machine(images):
    """A machine with the programs. Its files are kept in build/: Debian's packages are downloaded once."""
    image = BUILD / "debian.cpio"
    subprocess.run([ROOT / "scripts/rootfs", image, "stress-ng", "rt-tests", "tcc", "bash", "dash", *LINKED], check=True)
    machine = Nop5(build=images, cpus=4, mem="1G", initrd=str(image)).wait_prompt()
    machine.check("stty cols 1000; cd /root")
    yield machine
    assert not BAD.search(machine.text), machine.says
    machine.close()


def stress(machine, stressor, seconds):
    """Runs four workers of a stressor. It must verify what it sees, and find no fault."""
    result = machine.run(f"stress-ng --{stressor} 4 -t {seconds} --verify > /tmp/stress.log 2>&1; status=$?; "
                         "grep -v -e 'no CPUs found' -e 'O_DIRECT failed but' /tmp/stress.log | grep -i -e fail -e error: -e skip; (exit $status)")
    assert (result.status, result.output) == (0, ""), f"{stressor}: {result.output}"


@pytest.mark.parametrize("stressor", ALL)
def test_a_stressor_of_stress_ng_verifies_for_ten_seconds_on_four_cpus(machine, stressor):
    stress(machine, stressor, 10)


def type_file(machine, name, text):
    machine.check(f"rm -f {name}")
    for line in text.splitlines():
        quoted = line.replace("'", "'\\''")
        machine.check(f"printf '%s\\n' '{quoted}' >> {name}")


def test_cyclictest_measures_the_latency_of_timers(machine):
    output = machine.check("cyclictest -q -l 1000 -t 2 2>/dev/null")  # until one of the two has that many
    assert len(re.findall(r"^T: \d \( *\d+\) P: 0 I:\d+ C: +[1-9]\d* Min: +\d+ Act: +\d+ Avg: +\d+ Max: +\d+$", output, re.M)) == 2


def test_pi_stress_inverts_no_priority(machine):
    """Three threads of different priorities; the watchdog of pi_stress ends it with an error when the middle one starves the low one."""
    event = "/sys/kernel/tracing/events/sched/sched_pi_setprio/enable"
    machine.check(f"echo 1 > {event}")
    assert int(re.search(r"Total inversion performed: (\d+)", machine.check("pi_stress --groups 1 --inversions 50"))[1]) >= 50
    changes = re.findall(r"comm=pi_stress pid=\d+ oldprio=(\d+) newprio=(\d+)", machine.check("cat /sys/kernel/tracing/trace"))
    machine.check(f"echo 0 > {event}; echo > /sys/kernel/tracing/trace")
    assert len(changes) >= 100 and set(changes) == {("98", "96"), ("96", "98")}


PROGRAM = r"""int printf(const char *, ...); int puts(const char *); void *malloc(unsigned long);
struct list { struct list *next; int n; };
int main(int argc, char **argv)
{
	struct list *head = 0; long sum = 0;
	for (int i = 0; i < 1000; i++) { struct list *l = malloc(sizeof(*l)); l->next = head; l->n = i; head = l; }
	for (; head; head = head->next) sum += head->n;
	printf("%ld %s %.3f\n", sum, argv[1], 1.0 / 8);
	return 7;
}
"""


def test_a_c_compiler_compiles_a_program_and_the_program_runs(machine):
    type_file(machine, "p.c", PROGRAM.replace("\t", " "))  # the shell would complete at a tab
    machine.check("tcc -L/lib64 -o p p.c")
    result = machine.run("./p hello")
    assert (result.status, result.output) == (7, "499500 hello 0.125\n")


SCRIPT = ('f() { local x=$1; [ $x -le 1 ] && echo 1 || echo $((x * $(f $((x - 1))))); }; f 10; '
          'for i in a b c; do echo $i; done | while read -r x; do printf "<%s>" "$x"; done; echo; '
          'trap "echo trapped" USR1; kill -USR1 $$; (exit 3); echo $?; '
          'cat <<END | tr a-z A-Z\nhere document\nEND\n'
          'x=$(seq 1 100 | sort -rn | head -n 1); echo ${x%0} ${#x}; sleep 1 & wait $!; echo done')
EXPECTED = "3628800\n<a><b><c>\ntrapped\n3\nHERE DOCUMENT\n10 3\ndone\n"


@pytest.mark.parametrize("shell", ["bash", "dash", "busybox sh"])
def test_a_script_gives_the_same_with_each_shell(machine, shell):
    type_file(machine, "s", SCRIPT)
    assert machine.check(f"{shell} s") == EXPECTED


def test_bash_has_arrays_arithmetic_and_patterns(machine):
    script = ('a=(one two three); echo ${a[1]} ${#a[@]}; [[ nop5 =~ ^n.p([0-9]) ]] && echo ${BASH_REMATCH[1]}; '
              'echo $((2**10)); declare -A m=([k]=v); echo ${m[k]}; shopt -s extglob; x=aaab; echo ${x##+(a)}')
    assert machine.check(f"bash -c '{script}'") == "two 3\n5\n1024\nv\nb\n"
