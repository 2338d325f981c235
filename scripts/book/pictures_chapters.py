"""The pictures of the chapters about probes, crashes, stacks, locks, users and debuggers."""
from drawing import Drawing


def draw_kprobe_event():
    d = Drawing("A kprobe event, from the command to the line")
    d.title_text(0, 10, "the command")
    d.row(0, 20, 205, 34, ["p:asked", "do_sys_openat2", "name=+0($arg2):ustring"], ["gray", "green", "yellow"])
    d.title_text(0, 100, "the programs of its arguments")
    d.row(0, 110, 205, 34, ["source: register si", "+0: read memory", "type: string of a user"], "yellow")
    d.arrow((512, 56), (512, 108))
    d.title_text(0, 190, "a hit")
    d.text(0, 222, "do_sys_openat2:")
    d.box(130, 202, 110, 34, "call, or int3", "green")
    d.arrow((242, 219), (308, 219))
    d.box(310, 202, 150, 34, "the handler", "blue")
    d.arrow((462, 219), (538, 219), words="reserves")
    d.box(540, 202, 240, 34, "room in the ring buffer", "yellow")
    d.arrow((385, 146), (385, 200))
    d.note(395, 180, "run now, and store the values")
    d.title_text(0, 284, "the record")
    d.row(0, 294, 205, 34, ["head: type, time, task", "address of the probe", "name: its bytes"], ["gray", "green", "yellow"])
    d.arrow((660, 238), (660, 311), (617, 311))
    d.title_text(0, 374, "the line, printed from the record alone, later")
    d.box(0, 384, 615, 34, 'asked: (do_sys_openat2+0x0/0xf0) name="/etc/hostname"')
    d.arrow((500, 330), (500, 382))
    return d


def draw_fprobe_event():
    d = Drawing("An fprobe event at both ends of a function")
    d.note(0, 10, "time ↓")
    for x, title in ((60, "the function"), (330, "the trampoline of the probe"), (640, "the shadow stack of the task")):
        d.title_text(x, 10, title)
    d.box(60, 24, 190, 210, "", "plain")
    d.text(72, 46, "call site")
    d.arrow((252, 42), (328, 42))
    d.box(330, 24, 230, 44, "entry handler:\nalone at the site, no table", "blue")
    d.arrow((562, 46), (638, 46))
    d.box(640, 24, 250, 64, "a frame: the return address,\nand the arguments that the\nevent at the return wants", "yellow")
    d.arrow((445, 70), (445, 96), (252, 96))
    d.note(330, 90, "f:in vfs_read", "start")
    d.text(72, 140, "its work:\nregisters change")
    d.text(72, 216, "ret")
    d.arrow((252, 212), (328, 212))
    d.box(330, 190, 230, 44, "return handler:\n$retval, kept arguments", "blue")
    d.arrow((765, 90), (765, 212), (562, 212))
    d.note(775, 160, "as they were\nat the entry")
    d.arrow((445, 236), (445, 268))
    d.box(320, 270, 250, 34, "one record in the ring buffer", "yellow")
    d.note(582, 292, "f:out vfs_read%return count=$arg3 got=$retval")
    return d


def draw_synthetic_event():
    d = Drawing("A synthetic event, made of two events")
    d.title_text(0, 10, "event 1")
    d.box(0, 20, 230, 44, "sched_waking\npid, time", "green")
    d.arrow((232, 42), (298, 42), words="hist")
    d.title_text(300, 10, "the table of a histogram")
    d.box(300, 20, 260, 44, "key pid=7:   ts0 = 1000 us", "yellow")
    d.title_text(0, 124, "event 2")
    d.box(0, 134, 230, 44, "sched_switch\nnext_pid, time", "green")
    d.arrow((232, 156), (298, 156), words="hist")
    d.box(300, 134, 260, 44, "key next_pid=7:\nlat = now - ts0 = 12 us", "yellow")
    d.arrow((430, 66), (430, 132))
    d.note(440, 104, "onmatch: an entry with this key")
    d.arrow((562, 156), (628, 156))
    d.title_text(630, 124, "the synthetic event")
    d.box(630, 134, 220, 44, "delay: ns=12000 pid=7", "blue")
    d.arrow((740, 180), (740, 212))
    d.box(560, 214, 290, 60, "files as of any event: enable,\nfilter, trigger, hist, format;\na record in the ring buffer")
    d.box(0, 214, 260, 34, "you: inject", "gray")
    d.arrow((262, 231), (558, 231))
    return d


def draw_profiler():
    d = Drawing("What the function profiler keeps")
    d.title_text(0, 10, "at the entry of a function")
    d.box(0, 22, 250, 44, "the call site → the function's\nnumber, in a hash table", "green")
    d.arrow((252, 44), (318, 44))
    d.title_text(320, 10, "its frame on the shadow stack")
    d.box(320, 22, 250, 82, "number, time of the call,\ntime of its callees,\ntime asleep until now", "yellow")
    d.title_text(0, 164, "at its return")
    d.box(0, 176, 250, 44, "the time that went by,\nwithout sleep or callees", "green")
    d.arrow((340, 106), (340, 198), (252, 198))
    d.note(350, 170, "as the options say")
    d.title_text(640, 10, "counters: one array for each CPU")
    for cpu in range(2):
        y = 22 + cpu * 118
        d.text(640, y + 16, f"CPU {cpu}")
        for row, name in enumerate(("function 0", "function 1", "…")):
            d.row(700, y + row * 28, 95, 28, [name, "hits", "time, t²"], ["gray", "plain", "plain"])
    d.arrow((252, 56), (300, 56), (300, 130), (600, 130), (600, 64), (698, 64))
    d.note(470, 125, "hits + 1, on the CPU of the call", "middle")
    d.arrow((252, 210), (680, 210), (680, 182), (698, 182))
    d.note(470, 226, "time, on the CPU of the return", "middle")
    d.note(0, 272, "No lock and no buffer: each CPU writes its own array. A reader of trace_stat/functionN sorts a copy.")
    return d


def draw_lock_order():
    d = Drawing("The order of locks, and why there is one")
    floors = [("an open file", "f_pos_lock, seq_file.lock", "plain"), ("tracing", "event_mutex … text_patch_mutex", "blue"),
              ("exec, file systems", "exec_update_lock, i_mutex, …", "blue"), ("memory of a process", "mmap_lock, fault_lock", "green"),
              ("slow paths", "vm_mapping.lock, …", "green"), ("spinlocks", "interrupts off: runqueue.lock last", "red")]
    for number, (name, locks, color) in enumerate(floors):
        y = 16 + number * 44
        d.box(0, y, 470, 36, "", color)
        d.text(12, y + 23, name)
        d.text(190, y + 23, locks)
    d.arrow((492, 20), (492, 276))
    d.note(502, 40, "take downwards only")
    d.note(502, 268, "release in any order")
    x = 720
    d.title_text(x, 10, "against the order")
    d.box(x, 24, 110, 36, "task 1", "gray")
    d.box(x + 200, 24, 110, 36, "task 2", "gray")
    d.box(x, 170, 110, 36, "lock A", "yellow")
    d.box(x + 200, 170, 110, 36, "lock B", "yellow")
    d.arrow((x + 40, 168), (x + 40, 62))
    d.arrow((x + 270, 168), (x + 270, 62))
    d.line((x + 80, 62), (x + 214, 166), dashed=True, arrow=True, color="#cc0000")
    d.line((x + 226, 62), (x + 96, 166), dashed=True, arrow=True, color="#cc0000")
    d.note(x - 2, 130, "has", "end")
    d.note(x + 318, 130, "has")
    d.note(x + 155, 84, "wants", "middle")
    d.note(x, 240, "Each waits for the other, for ever.\nWith one order no such circle can close.")
    return d


def draw_persistent_trace():
    d = Drawing("A trace that the next boot reads")
    d.title_text(0, 10, "memory that no boot uses for other things: reserve_mem=1M:4096:trace")
    d.row(0, 22, 150, 44, ["header, twice", "slots of CPU 0", "sub-buffers", "sub-buffers", "slots of CPU 1", "…"], ["gray", "yellow", "green", "green", "yellow", "plain"])
    d.title_text(0, 112, "boot 1")
    d.box(0, 122, 250, 64, "the tracer writes; a full\nsub-buffer gets its length\nand its sum", "blue")
    d.arrow((375, 120), (375, 68))
    d.line((252, 154), (375, 154), (375, 120))
    d.box(420, 122, 120, 64, "panic:\nrecording\nstops", "red")
    d.arrow((252, 174), (418, 174))
    d.arrow((542, 154), (618, 154), words="reset")
    d.title_text(620, 112, "boot 2")
    d.box(620, 122, 280, 64, "same kernel, same sizes?\nelse the trace is left out,\nand last_boot_info says so", "blue")
    d.arrow((760, 188), (760, 214))
    d.box(620, 216, 280, 64, "each sub-buffer: sum right,\nlength plausible, entries end\nwhere it ends, numbers go on?", "yellow")
    d.arrow((618, 248), (552, 248), words="no")
    d.box(400, 230, 150, 36, "damaged: left out", "red")
    d.arrow((760, 282), (760, 308))
    d.box(620, 310, 280, 36, "kept: the ring of the instance", "green")
    d.note(0, 220, "The last sub-buffer has no sum yet:\nthe crash came while it was written.\nIts events are looked at one by one.")
    d.note(0, 306, "Printing hides an entry of an event that this boot\ndoes not have, or whose lengths lead out of it.")
    return d


def draw_pstore():
    d = Drawing("The zones of pstore, who writes them, and the files of the next boot")
    zones = [("dump 0", "yellow", "an oops, a panic: the end of the log", "dmesg-ramoops-0"), ("dump 1 …", "yellow", "the next one", "dmesg-ramoops-1"),
             ("console", "green", "each line that the console prints", "console-ramoops-0"),
             ("calls", "blue", "record_ftrace: each call of a function", "ftrace-ramoops-0"), ("pmsg", "gray", "programs: /dev/pmsg0", "pmsg-ramoops-0")]
    d.title_text(0, 10, "this boot writes")
    d.title_text(380, 10, "the area")
    d.title_text(640, 10, "the next boot shows")
    for number, (name, color, writer, file) in enumerate(zones):
        y = 24 + number * 52
        d.text(0, y + 25, writer)
        d.arrow((322, y + 20), (378, y + 20))
        d.box(380, y, 150, 40, name, color)
        d.arrow((532, y + 20), (638, y + 20), words="if it fits" if number == 0 else "")
        d.text(650, y + 25, file)
    d.note(0, 304, "Each zone has a header with its numbers. A zone whose numbers do not fit is left out, so what memory\nhas lost in a reset costs one file and never the boot. Removing a file frees its record.")
    return d


def draw_stack_depth():
    d = Drawing("A kernel stack as the stack tracer measures it")
    d.title_text(0, 10, "the stack of a task: 16 KiB")
    rows = [("entry_SYSCALL_64_after_hwframe", 184, 34, "gray"), ("vfs_write and its callers", 112, 34, "plain"), ("…", 592, 40, "plain"),
            ("ftrace_change_commit", 720, 90, "red"), ("text_alias_write, …", 608, 50, "plain"), ("ktime_get", 8, 26, "yellow")]
    y, depth = 24, 0
    for name, size, height, color in rows:
        d.box(150, y, 280, height, name, color)
        d.note(440, y + height / 2 + 4, f"{size} bytes")
        depth += size
        y += height
        if name in ("ftrace_change_commit", "ktime_get"):
            d.line((90, y), (150, y), dashed=True)
            d.text(82, y + 4, str(depth), "end")
    d.box(150, y, 280, 60, "free", "plain", dashed=True)
    d.box(150, y + 60, 280, 26, "guard page: a fault, not damage", "red")
    d.text(82, 28, "top: 0", "end")
    d.line((90, 24), (150, 24), dashed=True)
    d.arrow((540, 200), (540, 290))
    d.note(550, 230, "it grows")
    d.title_text(640, 10, "at each function")
    d.box(640, 24, 280, 44, "distance to the top\n> stack_max_size?", "blue")
    d.arrow((780, 70), (780, 106))
    d.note(790, 92, "yes, which is rare")
    d.box(640, 108, 280, 62, "unwind, and keep the return\naddresses with their distances:\nstack_trace", "green")
    d.note(640, 206, "Depth of a row: from its return\naddress to the top. Size: to the\nreturn address of the next row.")
    return d


def draw_credentials():
    d = Drawing("Why commit_creds() takes dumpable away before it publishes the ids")
    d.note(0, 10, "time →")
    for number, (title, first, second, ok) in enumerate((("right", "dumpable = false", "ids = 1000", True), ("wrong", "ids = 1000", "dumpable = false", False))):
        y = 26 + number * 150
        d.title_text(0, y + 22, title)
        d.text(80, y + 22, "daemon")
        d.box(160, y, 190, 34, first, "green" if ok else "red")
        d.box(520, y, 190, 34, second, "green")
        d.text(80, y + 82, "user 1000")
        d.box(360, y + 60, 150, 34, "same ids?", "blue")
        d.box(520, y + 60, 190, 34, "dumpable?", "blue")
        d.arrow((352, y + 17), (518, y + 17))
        d.text(725, y + 82, "no: not yet 1000" if ok else "yes, and yes:")
        if not ok:
            d.text(725, y + 99, "reads the key")
    d.note(0, 326, "The reader asks in the other order: the ids first, then dumpable. When it sees the new ids, dumpable is gone already.\n"
                   "In the wrong order there is a moment between the two stores in which both answers are yes.")
    return d


def draw_export():
    d = Drawing("A transfer: frames of the machine, answers of the receiver")
    d.title_text(0, 10, "trace-export, in the machine")
    d.title_text(470, 10, "trace-record, outside")
    d.line((120, 24), (120, 420), color="#bbb")
    d.line((560, 24), (560, 420), color="#bbb")
    steps = [("→", "0 HELLO: page size, CPUs"), ("←", "ready 0"), ("→", "1 FILE: formats, kallsyms, …"), ("→", "2 PAGES of CPU 0"),
             ("x", "3 PAGES of CPU 1"), ("→", "4 PAGES of CPU 0"), ("←", "ready 3: there is a gap"), ("→", "3, 4: again"), ("→", "5 FILE: names, stats"),
             ("→", "6 END: complete"), ("←", "ack 7"), ("→", "BYE")]
    for number, (way, words) in enumerate(steps):
        y = 46 + number * 32
        if way == "←":
            d.arrow((558, y), (122, y), words=words)
        elif way == "x":
            d.line((122, y), (380, y), dashed=True)
            d.note(250, y - 5, words, "middle")
            d.text(386, y + 5, "× damaged on the line")
        else:
            d.arrow((122, y), (558, y), words=words)
    d.note(600, 46, "At most 32 frames are on the way.")
    d.note(600, 174, "A wrong sum, or a missing\nnumber: the receiver asks\nfor the rest once more.")
    d.note(600, 366, "ack 7: every frame before\n7 has arrived and is safe.")
    return d


def draw_debuggers():
    d = Drawing("What debuggers ask the kernel for")
    tools = [("strace", "yellow"), ("gdb, gdbserver", "green"), ("ltrace", "blue")]
    for number, (name, color) in enumerate(tools):
        d.box(number * 215, 0, 200, 36, name, color)
    asks = [("ptrace(2): attach, stop,\nstep, registers", (0, 1, 2)), ("wait4(2): why has\na task stopped?", (0, 1, 2)), ("/proc/PID/mem:\nmemory, breakpoints", (1,)),
            ("process_vm_readv(2):\nmemory", (0,))]
    for number, (words, users) in enumerate(asks):
        x = number * 215
        d.box(x, 130, 200, 48, words, "gray")
        for user in users:
            d.arrow((user * 215 + 40 + number * 40, 38), (x + 60 + user * 40, 128))
    d.box(0, 230, 845, 40, "the kernel, at attach, at open() and at each read: ptrace_may_access()", "red")
    for number in (0, 2, 3):
        d.arrow((number * 215 + 100, 180), (number * 215 + 100, 228))
    d.arrow((315, 228), (315, 180))
    d.note(325, 208, "a stop")
    d.box(0, 310, 845, 40, "the program: its threads, its memory, its registers", "plain")
    d.arrow((422, 272), (422, 308))
    d.note(432, 295, "after a crash, without a program: a core file, which gdb reads alone")
    return d
