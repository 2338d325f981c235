"""The tests of lab 2: the calls of __fentry__ become nops at boot, and the records of init functions go."""
import re
import shutil

from lab01 import sites_in, TRACING
from lab_test import expect, quoted
from elf import Elf

NOP = "0f 1f 44 00 00"
RECORDS_PER_PAGE = 512


def sites(lab):
    """(functions that stay, init functions), each by address, of the image before it runs."""
    lab.need_kernel()
    elf = Elf(lab.build / "nop5.elf")
    end = next(s.value for s in elf.symbols() if s.name == "_etext")
    found = sorted(sites_in(elf).items())
    return [name for address, name in found if address < end], [name for address, name in found if address >= end]


def test_boots(lab):
    release, = lab.boot("uname -s")
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def test_nops(lab):
    stay, init = sites(lab)
    names = [name for name in stay if "." not in name and stay.count(name) == 1]
    chosen = [names[0], names[-1], *lab.random.sample(names[1:-1], 12)]
    answers = lab.boot(*(f"dis {name}" for name in chosen))
    for name, answer in zip(chosen, answers):
        expect(answer.lines and NOP in answer.text.split(":", 1)[-1][:20], f"{NOP} at the beginning of {name}()",
               (answer.lines + ["", "nothing"])[1])
    # Init functions have gone when the prompt comes. A tracer that starts early checks their sites.
    filters = ",".join(name for name in init[-5:] if "." not in name)
    log, = lab.boot("dmesg | grep -A 1 'ftrace: cannot patch'", append=f"ftrace=function ftrace_filter={filters}")
    expect(not log.text, f"nops at the last sites of the list, {filters}", log.text)


def test_traced(lab):
    stay, _ = sites(lab)
    names = [name for name in stay if name.startswith("vfs_") and "." not in name]
    answers = lab.boot(f"cd {TRACING}", "echo 'vfs_*' > set_ftrace_filter", "echo function > current_tracer", "cut -d' ' -f1 enabled_functions",
                       "dis vfs_read", "echo nop > current_tracer", "dis vfs_read", cpus=4)
    expect(answers[2].status == 0, "the function tracer to start", f"status {answers[2].status}: {answers[2].text}")
    expect(set(names) <= set(answers[3].lines), f"{len(names)} functions vfs_* in enabled_functions", quoted(answers[3].lines[:5]) or "none")
    expect(re.search(r"^  e8 ", answers[4].text, re.M), "a call at vfs_read while it is traced", answers[4].text)
    expect(NOP in answers[6].text, "a nop at vfs_read again", answers[6].text)


def damaged_kernel(lab, name, code):
    """A build directory whose kernel has another instruction at the site of one function."""
    elf = Elf(lab.build / "nop5.elf")
    address = next(address for address, site in sites_in(elf).items() if site == name)
    offset = next(s.offset + address - s.addr for s in elf.sections if s.type == 1 and s.addr <= address < s.addr + s.size)
    directory = lab.build / "lab02"
    directory.mkdir(exist_ok=True)
    image = directory / "nop5.elf"
    shutil.copy(lab.build / "nop5.elf", image)
    with open(image, "r+b") as file:
        file.seek(offset)
        file.write(code)
    return directory


def test_refuses(lab):
    stay, _ = sites(lab)
    names = lab.random.sample([name for name in stay if name.startswith("vfs_") and "." not in name], 2)
    # mov eax, 0x04030201, and a call of another place than __fentry__
    for name, code in zip(names, (b"\xb8\x01\x02\x03\x04", b"\xe8\x10\x00\x00\x00")):
        report = lab.crash(build=damaged_kernel(lab, name, code))
        first = report.split("Kernel panic", 1)[-1].splitlines()[0]
        expect(re.search(rf"\b{name}\b", first), f"a panic that names {name}, which does not begin with a call of __fentry__", first)


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
    # Until init memory is freed, nothing else in the boot frees a page of its own.
    total, log, freed = lab.boot(f"cat {TRACING}/dyn_ftrace_total_info", "dmesg | grep 'ftrace: allocating'",
                                 f"sed '/Freeing unused kernel image/q' {TRACING}/trace | grep -c mm_page_free:",
                                 append="trace_event=kmem:mm_page_free,printk:console", build=lab.rebuild(f"BALLAST={more}"))
    pages = (len(stay) + more) // RECORDS_PER_PAGE
    made = f"allocating {len(stay) + len(init) + more} entries in {pages + 1} pages"
    expect(made in log.text, f"`{made}` at boot", log.text)
    expect(total.text.startswith(f"{len(stay) + more} pages:{pages} "), f"{len(stay) + more} records in {pages} pages at the prompt", total.text)
    expect(freed.text == "1\n", "one mm_page_free before `Freeing unused kernel image`", freed.text)
