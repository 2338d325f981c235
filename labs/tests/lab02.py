"""The tests of lab 2: the calls of __fentry__ become nops at boot, and the records of init functions go."""
import re
import shutil

from lab01 import sites_in, TRACING
from lab_test import expect, quoted
from elf import Elf

RECORDS_PER_PAGE = 512


def sites(lab):
    """(functions that stay, init functions), each by address, of the image before it runs."""
    lab.need_kernel()
    elf = Elf(lab.build / "nop5.elf")
    end = next(s.value for s in elf.symbols() if s.name == "_etext")
    found = sorted(sites_in(elf).items())
    return [name for address, name in found if address < end], [name for address, name in found if address >= end]


def test_boots(lab):
    version, = lab.boot("cat /proc/version")
    expect(version.text.startswith("nop5 "), "/proc/version to name nop5", version.text)


def expect_nops(lab, names, build=None):
    """A tracer patches a site only if it holds the nop, and else says what it holds. Init functions have gone when the prompt comes, so it starts early."""
    log = lab.boot_log(append=f"ftrace=function ftrace_filter={','.join(names)}", build=build)
    refused = re.search(r"ftrace: cannot patch (\S+).*\n.*ftrace: (expected .*), wanted", log)
    expect(not refused, "nops at the sites of " + ", ".join(names), refused and f"at {refused[1]}: {refused[2]}")


def test_nops(lab):
    stay, init = sites(lab)
    names = [name for name in stay if "." not in name and stay.count(name) == 1]
    chosen = [names[0], names[-1], *lab.random.sample(names[1:-1], 12)]
    expect_nops(lab, chosen + [name for name in init[-5:] if "." not in name])
    _, _, start, enabled = lab.boot(f"cd {TRACING}", f"echo {' '.join(chosen)} > set_ftrace_filter", "echo function > current_tracer", "cat enabled_functions")
    expect(start.status == 0, "the function tracer to start", f"status {start.status}: {start.text}")
    missing = set(chosen) - {line.split(" ")[0] for line in enabled.lines}
    expect(not missing, "the chosen functions in enabled_functions", f"none of {quoted(sorted(missing))}")


def test_traced(lab):
    stay, _ = sites(lab)
    names = [name for name in stay if name.startswith("vfs_") and "." not in name]
    _, _, start, enabled, _, on, _, _, off, again = lab.boot(
        f"cd {TRACING}", "echo 'vfs_*' > set_ftrace_filter", "echo function > current_tracer", "cat enabled_functions",
        "cat /proc/uptime", "cat trace", "echo nop > current_tracer; echo > trace", "cat /proc/uptime", "cat trace",
        "echo function > current_tracer", cpus=4)
    expect(start.status == 0, "the function tracer to start", f"status {start.status}: {start.text}")
    seen = [line.split(" ")[0] for line in enabled.lines]
    expect(set(names) <= set(seen), f"{len(names)} functions vfs_* in enabled_functions", quoted(seen[:5]) or "none")
    expect("vfs_open <-" in on.text, "vfs_open in the trace while it is traced", on.lines[-1:] or "nothing")
    expect("<-" not in off.text, "no call in the trace of the tracer nop", off.lines[-1:])
    expect(again.status == 0, "the function tracer to start again: nops have come back", f"status {again.status}: {again.text}")


def damaged_kernel(lab, elf, address, damage):
    """A build directory whose kernel has another instruction at one site: damage(the call there)."""
    offset = next(s.offset + address - s.addr for s in elf.sections if s.type == 1 and s.addr <= address < s.addr + s.size)
    directory = lab.build / "lab02"
    directory.mkdir(exist_ok=True)
    image = directory / "nop5.elf"
    shutil.copy(lab.build / "nop5.elf", image)
    with open(image, "r+b") as file:
        file.seek(offset)
        code = damage(file.read(5))
        file.seek(offset)
        file.write(code)
    return directory


def test_refuses(lab):
    lab.need_kernel()
    elf = Elf(lab.build / "nop5.elf")
    symbols = {symbol.name: symbol.value for symbol in elf.symbols()}
    distance = symbols["ftrace_stub"] - symbols["__fentry__"]
    mov, far = lambda call: b"\xb8\x01\x02\x03\x04", lambda call: call[:4] + bytes([call[4] ^ 1])  # calls 16 MiB away
    # ftrace_stub() only returns, as __fentry__ does: the boot may call any function before ftrace looks at its site.
    stub = lambda call: call[:1] + (int.from_bytes(call[1:], "little", signed=True) + distance).to_bytes(4, "little", signed=True)
    found = sorted(sites_in(elf).items())
    first, *others, last = [(address, name) for address, name in found if "." not in name]
    for (address, name), damage in zip((first, last, *lab.random.sample(others, 2)), (mov, far, mov, stub)):
        report = lab.crash(build=damaged_kernel(lab, elf, address, damage))
        says = report.split("Kernel panic", 1)[-1].splitlines()[0]
        expect(re.search(rf"\b{name}\b", says), f"a panic that names {name}, which does not begin with a call of __fentry__", says)


def test_init(lab):
    stay, init = sites(lab)
    functions, verify = lab.boot(f"cat {TRACING}/available_filter_functions", "cat /sys/kernel/debug/ftrace_verify")
    seen = functions.text.split("\n")[:-1]
    left = [name for name in init if name in set(seen) - set(stay)]
    expect(not left, "no init function in available_filter_functions", f"{quoted(left[:3])}")
    expect(len(seen) == len(stay), f"{len(stay)} functions in available_filter_functions", len(seen))
    expect(verify.text.startswith(f"{len(stay)} sites, 0 "), f"{len(stay)} sites and no mismatch in ftrace_verify", verify.text)


def test_pages(lab):
    """A kernel with so many functions more that those which stay fill their pages, and the init functions have one of their own."""
    stay, init = sites(lab)
    more = -len(stay) % RECORDS_PER_PAGE
    # Between these two functions nothing else frees a page of its own.
    begin, end = "free_initmem", "unmap_kernel_range"
    build = lab.rebuild(f"BALLAST={more}")
    log = lab.boot_log(build=build)
    pages = (len(stay) + more) // RECORDS_PER_PAGE
    made = f"allocating {len(stay) + len(init) + more} entries in {pages + 1} pages"
    expect(made in log, f"`{made}` at boot", re.findall("ftrace: allocating.*", log) or "nothing of it")
    total, trace = lab.boot(f"cat {TRACING}/dyn_ftrace_total_info", f"cat {TRACING}/trace",
                            append=f"ftrace=function ftrace_filter={begin},{end},free_pages", build=build)
    expect(total.text.startswith(f"{len(stay) + more} pages:{pages} "), f"{len(stay) + more} records in {pages} pages at the prompt", total.text)
    expect(f" {begin} <-" in trace.text and f" {end} <-" in trace.text, f"{begin}() and {end}() in the trace of the boot", trace.lines[-2:])
    freed = trace.text.partition(f" {begin} <-")[2].partition(f" {end} <-")[0].count(" free_pages <-")
    expect(freed == 1, "one call of free_pages() before init memory is unmapped", f"{freed}")
