"""Each global function has a caller."""
import re
import sys

from nop5 import ROOT

sys.path.insert(0, str(ROOT / "tests"))
from elf import Elf  # noqa: E402

PRODUCT = ("boot", "arch", "kernel", "fs", "net", "trace")
STB_GLOBAL, SHN_UNDEF = 1, 0
PROTOTYPE = re.compile(r"^(?!static\b)\w[\w \t*]*[ *][a-z_]\w*\([^;{}=]*\);", re.M)
# Functions for user programs: a table of system calls will refer to them.
SYSTEM_CALLS = re.compile(r"__x64_sys_\w+")
KEPT = {
    "tracing_on",  # the counterpart of tracing_off(), for code that is being debugged
    "bpf_skb_load_bytes",  # BPF_HELPER() makes its name of two parts
    # Programs name an iterator by such a function in the kernel's types; none is called.
    "bpf_iter_bpf_map", "bpf_iter_bpf_map_elem", "bpf_iter_bpf_prog", "bpf_iter_task", "bpf_iter_task_file",
    "__traceiter_sched_stat_iowait",  # an event that perf wants to exist: sched_events.h
}
# Functions of the product that only self-tests call.
FOR_SELFTESTS = {
    # They complete an interface, of which the product uses the rest.
    "cancel_delayed_work_sync", "ioremap", "iounmap", "kernel_thread", "kernel_wait4", "kill_pid", "klp_disable_patch", "klp_release_patch",
    "klp_wait_for_transition", "kthread_unuse_mm", "kthread_use_mm", "rcu_barrier", "rcu_barrier_tasks", "synth_event_create", "vfs_stat",
    # They show what has happened inside, and clean up.
    "files_count_open", "flush_signals", "pending_signal", "printk_dropped", "slab_objects_in_use", "text_area_stats_read",
    "wait_for_kprobe_optimizer", "workqueue_nr_workers",
}


def words_of(path):
    """Return the identifiers of a C file, an assembly file or a linker script, without comments, strings and prototypes."""
    text = path.read_text()
    if path.suffix == ".asm":
        return re.findall(r"\w+", re.sub(r";.*", "", text))
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.S)
    return re.findall(r"\w+", PROTOTYPE.sub("", text))


def occurrences(folder_names):
    """Return how often each identifier occurs in the sources, except in declarations."""
    count = {}
    for name in folder_names:
        for path in (ROOT / name).rglob("*"):
            if path.suffix in (".c", ".asm", ".ld"):
                for word in words_of(path):
                    count[word] = count.get(word, 0) + 1
    return count


def macro_words(folder_names):
    """Return the identifiers in the bodies of macros and inline functions of headers, which are not declarations."""
    words = set()
    for name in folder_names:
        for path in (ROOT / name).rglob("*.h"):
            text = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", path.read_text(), flags=re.S)
            for body in re.findall(r"#define\s+(?:[^\n]*\\\n)*[^\n]*|^\{.*?^\}", text, flags=re.S | re.M):
                words.update(re.findall(r"\w+", body))
    return words


def tracepoints_without_site(folder_names):
    """Return the tracepoints that TRACEPOINT_WITHOUT_SITE() names."""
    return {name for folder in folder_names for path in (ROOT / folder).rglob("*.[ch]")
            for name in re.findall(r"TRACEPOINT_WITHOUT_SITE\((\w+)", path.read_text())}


def monitors(folder_names):
    """Return the names of the monitors of runtime verification: a struct refers to the functions of their two events."""
    return {name for folder in folder_names for path in (ROOT / folder).rglob("*.c")
            for name in re.findall(r"^RV_MONITOR_PER_\w+\((?:sched, )?(\w+), \"", path.read_text(), re.M)}


def unused_functions(build, users):
    """Return {name: object} of the global functions that neither another object of these folders nor their own file uses."""
    defined, wanted = {}, set()
    # Not all files in obj/, because sources of old objects may no longer exist.
    for path in re.findall(r"\S+\.o\b", (build / "sources").read_text()):
        path = (ROOT / path).relative_to(build / "obj")
        elf = Elf(build / "obj" / path)
        if path.parts[0] in PRODUCT:
            defined |= {s.name: path for s in elf.functions() if s.info >> 4 == STB_GLOBAL}
        if path.parts[0] in users:
            wanted |= {s.name for s in elf.symbols() if s.shndx == SHN_UNDEF}
    assert len(defined) > 500
    count, inline = occurrences(users), macro_words(users)
    # A site in a header's function: tracepoint.iter of __tracepoint_NAME is __traceiter_NAME().
    wanted |= {f"__traceiter_{name[len('__tracepoint_'):]}" for name in wanted if name.startswith("__tracepoint_")}
    # trace_NAME() calls __traceiter_NAME(), by a macro that the build writes, and TRACEPOINT_WITHOUT_SITE(NAME) does.
    wanted |= {f"__traceiter_{word[len('trace_'):]}" for word in count if word.startswith("trace_")}
    wanted |= {f"__traceiter_{name}" for name in tracepoints_without_site(PRODUCT)}
    wanted |= {f"__traceiter_{kind}_{name}" for name in monitors(PRODUCT) for kind in ("event", "error")}
    return {name: path for name, path in defined.items()
            if name not in wanted and name not in inline and count.get(name, 0) < 2 and not SYSTEM_CALLS.fullmatch(name) and name not in KEPT}


def test_each_global_function_has_a_caller(images):
    unused = unused_functions(images, (*PRODUCT, "selftest"))
    assert not unused, f"remove them, or write the caller: {unused}"


def test_a_function_is_not_there_for_self_tests_alone(images):
    unused = {name: path for name, path in unused_functions(images, PRODUCT).items() if name not in FOR_SELFTESTS}
    assert not unused, f"only self-tests call them: {unused}"
