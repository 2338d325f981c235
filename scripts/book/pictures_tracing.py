"""The pictures of the chapters about tracing."""
from drawing import Drawing


def draw_text_patch():
    d = Drawing("The bytes of a site while it changes")
    steps = [("before", "0f 1f 44 00 00", "nop", "plain", "executes the nop"),
             ("1 write int3", "cc 1f 44 00 00", "int3", "red", "nop, or trap: emulates the call"),
             ("2 write tail", "cc 6b db eb 1f", "int3, new tail", "red", "trap: emulates the call"),
             ("3 write opcode", "e8 6b db eb 1f", "call", "green", "trap, or executes the call"),
             ("after", "e8 6b db eb 1f", "call", "green", "executes the call")]
    d.title_text(0, 10, "CPU 0 patches")
    d.title_text(175, 10, "the five bytes")
    d.title_text(480, 10, "CPU 1 comes by")
    y = 24
    for number, (step, data, what, color, other) in enumerate(steps):
        d.text(0, y + 22, step)
        for place, byte in enumerate(data.split()):
            changed = number and byte != steps[number - 1][1].split()[place]
            d.box(175 + place * 34, y, 34, 32, byte, "yellow" if changed else color)
        d.text(355, y + 20, what)
        d.text(480, y + 20, other)
        y += 32
        if 0 < number < 4:
            d.box(0, y + 8, 760, 24, "sync: every CPU executes a serializing instruction, and answers", "gray")
            y += 40
        else:
            y += 12
    d.note(0, y + 14, "yellow: the bytes that this step has written")
    return d


def draw_ops():
    d = Drawing("What a call site calls")
    for number, (title, insn, color) in enumerate((("no user", "nop", "plain"), ("one user", "call", "green"), ("two users", "call", "yellow"))):
        y = 20 + number * 110
        d.title_text(0, y, title)
        d.text(0, y + 32, "vfs_read:")
        d.box(90, y + 14, 70, 30, insn, color)
    d.arrow((162, 159), (228, 159))
    d.box(230, 134, 190, 50, "trampoline:\nsave, call, restore", "green")
    d.arrow((422, 159), (568, 159))
    d.box(570, 139, 130, 40, "callback", "blue")
    d.arrow((162, 269), (228, 269))
    d.box(230, 244, 190, 50, "ftrace_caller:\nsave, call, restore", "yellow")
    d.arrow((422, 269), (458, 269))
    d.box(460, 244, 210, 50, "ftrace_ops_list_func():\nfor each ops: its hashes?", "yellow")
    d.arrow((672, 262), (738, 246))
    d.arrow((672, 276), (738, 300))
    d.box(740, 226, 110, 40, "callback 1", "blue")
    d.box(740, 280, 110, 40, "callback 2", "blue")
    return d


def structure(d, x, y, width, name, fields, color):
    """Draws a structure with its fields, and returns {field: y of its middle}, with "" for its name."""
    d.box(x, y, width, 28, "", color)
    d.title_text(x + 8, y + 19, name)
    middle = {"": y + 14}
    for number, field in enumerate(fields):
        top = y + 28 + number * 24
        d.box(x, top, width, 24)
        d.text(x + 8, top + 17, field)
        middle[field.split("[")[0].split(" ")[0]] = top + 12
    return middle


def draw_objects():
    d = Drawing("The objects of the main road, and the fields that link them")
    d.title_text(0, 10, "the code")
    d.title_text(300, 10, "who wants which site")
    d.title_text(620, 10, "where events go")
    pages = structure(d, 0, 24, 210, "records.c", ["pages[]"], "gray")
    record = structure(d, 0, 120, 210, "dyn_ftrace", ["offset", "flags"], "yellow")
    site = structure(d, 0, 250, 210, "vfs_read:", ["call …"], "gray")
    code = structure(d, 0, 350, 210, "code of the trampoline", ["save registers", "mov rdx, [op]", "call func", "restore, ret"], "green")
    hash_ = structure(d, 300, 24, 230, "ftrace_hash", ["count, mask", "slots[]: offsets"], "yellow")
    ops = structure(d, 300, 144, 230, "ftrace_ops", ["list", "func", "filter_hash", "notrace_hash", "trampoline", "private"], "blue")
    trampoline = structure(d, 300, 350, 230, "ftrace_trampoline", ["address, size", "target"], "green")
    array = structure(d, 620, 24, 240, "trace_array", ["current_trace", "tracers[].private", "buffer, snapshot"], "blue")
    buffer = structure(d, 620, 164, 240, "trace_buffer", ["cpus[]"], "yellow")
    cpu = structure(d, 620, 260, 240, "ring_buffer_per_cpu", ["tail, commit", "slots[]: seq, page index", "pages[]"], "yellow")
    page = structure(d, 620, 400, 240, "buffer_page", ["data"], "yellow")
    data = structure(d, 620, 490, 240, "buffer_data_page", ["time_stamp, commit", "data[]: events"], "plain")
    d.arrow((105, pages["pages"] + 12), (105, record[""] - 16))
    d.arrow((60, record["flags"] + 12), (60, site[""] - 16))
    d.note(68, record["flags"] + 30, "image base + offset")
    d.arrow((105, site["call"] + 12), (105, code[""] - 16))
    d.arrow((302, hash_["slots"]), (256, hash_["slots"]), (256, record["offset"]), (212, record["offset"]))
    d.arrow((532, ops["filter_hash"]), (566, ops["filter_hash"]), (566, hash_[""]), (532, hash_[""]))
    d.arrow((298, ops["trampoline"]), (276, ops["trampoline"]), (276, trampoline[""]), (298, trampoline[""]))
    d.arrow((298, trampoline["address,"]), (212, code[""] - 2))
    d.arrow((212, code["mov"]), (244, code["mov"]), (244, ops[""]), (298, ops[""]))
    d.arrow((532, ops["private"]), (592, ops["private"]), (592, array[""]), (618, array[""]))
    d.arrow((862, array["buffer,"]), (884, array["buffer,"]), (884, buffer[""]), (862, buffer[""]))
    d.arrow((740, buffer["cpus"] + 12), (740, cpu[""] - 16))
    d.arrow((740, cpu["pages"] + 12), (740, page[""] - 16))
    d.arrow((740, page["data"] + 12), (740, data[""] - 16))
    d.arrow((618, array["tracers"]), (579, array["tracers"]), (579, 456), (532, 456))
    d.box(300, 442, 230, 28, "", "blue")
    d.title_text(308, 461, "function_tracer")
    d.box(300, 470, 230, 24)
    d.text(308, 487, "ops: the ftrace_ops above")
    d.text(0, 530, "func is function_trace_call(ip, parent_ip, op, fregs).\nIt finds the trace_array in op->private, and writes an event\n"
                   "into tr->buffer->cpus[this CPU].")
    return d


def draw_return_hijack():
    d = Drawing("Three pictures of a hijacked return")
    pictures = (("1. vfs_open() is called", [("open_found + 0x5c", "yellow")], ["top → bottom"],
                 "The call has pushed the return address.\nThe site calls the entry code."),
                ("2. the return is hijacked", [("return_to_handler", "red"), ("frame of vfs_open", "plain")], ["ret  open_found + 0x5c", "slot, func, depth, …"],
                 "fgraph_enter_call() has saved the address\nin a frame, and has written over it."),
                ("3. vfs_open() returns", [("open_found + 0x5c", "yellow")], ["top → bottom"],
                 "ret leads to return_to_handler, which calls\nfgraph_handle_return(): address back, pop."))
    for number, (title, stack, shadow, note) in enumerate(pictures):
        x = number * 370
        d.title_text(x, 10, title)
        d.note(x, 36, "the stack")
        d.box(x, 44, 150, 26, "…", "plain")
        for place, (what, color) in enumerate(stack):
            d.box(x, 70 + place * 32, 150, 32, what, color)
        d.note(x, 164, "the shadow stack of the task")
        for place, what in enumerate(shadow):
            d.box(x, 174 + place * 30, 190, 30, what, "yellow" if len(shadow) > 1 else "gray")
        d.text(x, 260, note)
        if number == 1:
            d.arrow((x + 192, 219), (x + 240, 219), (x + 240, 86), (x + 152, 86))
            d.note(x + 250, 150, "slot")
    return d


def draw_shadow_stack():
    d = Drawing("The shadow stack of a task")
    d.row(0, 30, 130, 44, ["bottom", "open_found", "vfs_open"], ["gray", "yellow", "yellow"])
    d.box(390, 30, 250, 44, "free", "plain")
    d.arrow((325, 110), (325, 78))
    d.text(300, 126, "top")
    d.arrow((392, 110), (392, 78))
    d.text(375, 126, "limit")
    d.arrow((520, 110), (520, 78))
    d.note(470, 126, "an interrupt pushes here,\nand pops before it ends")
    d.arrow((330, 28), (330, 12), (195, 12), (195, 28))
    d.note(262, 6, "prev", "middle")
    d.box(0, 150, 330, 90, "one frame, 32 bytes:\nret, slot, func, epoch, users,\ndepth, prev; then data of the users", "yellow")
    return d


def draw_ring_buffer():
    d = Drawing("The ring buffer of one CPU")
    d.title_text(0, 10, "slots: one word each, {seq, page index, spare}")
    labels = ["{8, P3}", "{9, P1}", "{10, P4}", "{7, P0, S}"]
    d.row(0, 22, 150, 36, labels, ["yellow", "yellow", "green", "gray"])
    for number, page in enumerate(("P3", "P1", "P4", "P0")):
        x = number * 150
        d.arrow((x + 75, 60), (x + 75, 98))
        fill = ["full of events", "full of events", "events", "spare, empty"][number]
        d.box(x + 8, 100, 134, 70, f"page {page}\n{fill}", ["yellow", "yellow", "green", "gray"][number])
    d.text(0, 196, "the oldest")
    d.arrow((400, 214), (400, 172))
    d.text(400, 230, "commit, tail", "middle")
    d.note(400, 248, "a writer owns the room between the two", "middle")
    d.box(660, 100, 134, 70, "page P2\nsub-buffer 7", "blue")
    d.text(660, 90, "the reader's page")
    d.note(640, 196, "out of the ring: no writer\ncan touch it")
    d.note(0, 284, "The reader has exchanged slot 3: it took page P2 with sub-buffer 7, and left its last page P0 as a spare.\n"
                   "The next full page makes the tail move on to slot 3: {7, P0, S} becomes {11, P0}, and no event is lost.\n"
                   "After that slot 0: {8, P3} becomes {12, P3}. Sub-buffer 8 is overwritten, and its events count as overrun.")
    return d


def draw_nested_writers():
    d = Drawing("Writers that nest: a task, an interrupt, an NMI")
    d.note(0, 10, "time →")
    for number, (name, x, width, color) in enumerate((("task", 90, 620, "blue"), ("interrupt", 210, 340, "yellow"), ("NMI", 330, 100, "red"))):
        y = 26 + number * 44
        d.title_text(0, y + 21, name)
        d.box(x, y, width, 32, "", color)
        d.text(x + 8, y + 21, "claims")
        d.text(x + width - 8, y + 21, "ends" if width > 120 else "", "end")
    d.title_text(0, 190, "the page")
    d.box(90, 170, 170, 34, "event of the task", "blue")
    d.box(260, 170, 190, 34, "of the interrupt", "yellow")
    d.box(450, 170, 120, 34, "of the NMI", "red")
    d.box(570, 170, 140, 34, "free", "plain")
    d.arrow((90, 240), (90, 208))
    d.text(70, 256, "commit until the task ends")
    d.arrow((570, 240), (570, 208))
    d.text(545, 256, "tail; commit after that")
    d.note(0, 288, "Each claims its room by one compare-and-exchange of tail. The outermost writer publishes all three at once.")
    return d


def draw_static_branch():
    d = Drawing("A static branch: the same function with the key false and true")
    for number, (title, insn, color) in enumerate((("key false", "nop", "plain"), ("key true", "jmp", "green"))):
        x = number * 340
        d.title_text(x, 10, title)
        d.box(x, 22, 170, 30, "code before", "gray")
        d.box(x, 52, 170, 30, insn, color)
        d.box(x, 82, 170, 30, "code behind", "gray")
        d.box(x, 112, 170, 30, "ret", "gray")
        d.box(x, 152, 170, 30, "trace_it(); jmp back", "yellow")
        if number:
            d.arrow((x + 172, 67), (x + 225, 67), (x + 225, 160), (x + 172, 160))
            d.arrow((x + 172, 174), (x + 205, 174), (x + 205, 90), (x + 172, 90))
    return d


def draw_kprobe_kinds():
    d = Drawing("Three ways to stop at an instruction")
    rows = (("at a call site", "e8 trampoline", "ftrace: the site calls the trampoline of the kprobes", "green"),
            ("anywhere, optimized", "e9 detour", "jmp to a detour: handlers, then the copies of the instructions, then back", "yellow"),
            ("anywhere", "cc", "int3: handlers in the exception, then emulate or step over the copy", "red"))
    d.title_text(0, 10, "where")
    d.title_text(200, 10, "bytes")
    d.title_text(370, 10, "what runs")
    for number, (where, data, what, color) in enumerate(rows):
        y = 24 + number * 46
        d.text(0, y + 22, where)
        d.box(200, y, 140, 34, data, color)
        d.text(370, y + 22, what)
    d.note(0, 180, "From top to bottom the price rises; the cheapest way that is right is taken.")
    return d


def draw_watchpoint():
    d = Drawing("A watchpoint: from the access to the record")
    d.title_text(0, 10, "an event that meets the object")
    d.box(0, 24, 190, 40, "vfs_truncate(inode)", "plain")
    d.arrow((192, 44), (268, 44))
    d.box(270, 24, 190, 40, "trigger set_wprobe", "yellow")
    d.arrow((462, 44), (538, 44), words="one word")
    d.box(540, 24, 200, 40, "address to be watched", "blue")
    d.title_text(0, 110, "each CPU")
    for cpu, how in enumerate(("this CPU: at once", "another CPU: a worker calls it")):
        y = 124 + cpu * 60
        d.box(0, y, 190, 40, f"CPU {cpu}: DR0 to DR3", "green")
        d.note(200, y + 25, how)
    d.line((640, 66), (640, 204))
    d.arrow((640, 144), (430, 144))
    d.arrow((640, 204), (500, 204))
    d.title_text(0, 274, "any code")
    d.box(0, 288, 190, 40, "mov [inode+80], rax", "plain")
    d.arrow((192, 308), (268, 308), words="#DB")
    d.box(270, 288, 190, 40, "still the address?", "yellow")
    d.arrow((462, 308), (538, 308), words="yes")
    d.box(540, 288, 200, 40, "record: place, value", "green")
    return d


def draw_error_injection():
    d = Drawing("Error injection: from the call site to the error")
    d.box(0, 20, 190, 50, "mkdir(2)\ncalls kmem_cache_alloc()", "plain")
    d.arrow((192, 45), (268, 45))
    d.box(270, 20, 190, 50, "call site:\nnop, or call", "green")
    d.arrow((462, 45), (538, 45), words="call")
    d.box(540, 20, 200, 50, "failslab_callback()\nshould_fail()?", "yellow")
    d.arrow((365, 72), (365, 148), words="nop")
    d.box(270, 150, 190, 50, "the allocator runs:\nan object", "plain")
    d.arrow((560, 72), (462, 158), words="no")
    d.arrow((640, 72), (640, 148), words="yes")
    d.box(540, 150, 200, 50, "event fault_inject\nresult = 0, address = ret", "blue")
    d.arrow((538, 190), (430, 230), (192, 230), (95, 72))
    d.note(120, 252, "NULL: the caller cleans up, and the trace shows how")
    return d


def draw_kmemleak():
    d = Drawing("kmemleak: what no pointer leads to")
    d.title_text(0, 10, "roots")
    d.box(0, 24, 170, 40, "data, bss, per-CPU", "plain")
    d.box(0, 84, 170, 40, "stacks of tasks", "plain")
    d.box(0, 144, 170, 40, "vmalloc, modules", "plain")
    d.title_text(270, 10, "reached: scanned, too")
    d.box(270, 24, 150, 40, "struct file", "green")
    d.box(270, 84, 150, 40, "path name", "green")
    d.box(520, 24, 150, 40, "dentry", "green")
    d.arrow((172, 44), (268, 44))
    d.arrow((172, 104), (268, 104))
    d.arrow((422, 44), (518, 44))
    d.title_text(270, 150, "not reached: leaks")
    d.box(270, 164, 150, 40, "first letter", "yellow")
    d.box(520, 164, 150, 40, "second letter", "yellow")
    d.arrow((422, 184), (518, 184))
    return d


def draw_event_path():
    d = Drawing("The way of one event")
    steps = (("trace_sched_switch()\nnop or jmp", "plain"), ("__traceiter_…\nfor each probe", "yellow"), ("probe of the event:\nsize, reserve", "blue"),
             ("TP_fast_assign\nin the ring buffer", "blue"), ("commit", "green"))
    for number, (what, color) in enumerate(steps):
        d.box(number * 200, 20, 170, 50, what, color)
        if number:
            d.arrow((number * 200 - 30, 45), (number * 200 - 2, 45))
    d.box(400, 120, 170, 50, "filter or trigger:\nscratch record", "yellow")
    d.arrow((485, 72), (485, 118))
    d.arrow((572, 145), (685, 145), (685, 72))
    d.note(580, 138, "it matches")
    d.box(400, 210, 170, 36, "dropped, or counted", "gray")
    d.arrow((485, 172), (485, 208))
    return d


def draw_live_patch():
    d = Drawing("A live-patch transition: each task switches as a whole")
    d.note(100, 10, "time →")
    rows = (("task 1: sleeps in no patched function", 60, "checked from outside"),
            ("task 2: runs", 170, "at its next quiescent point"),
            ("task 3: inside the old function", 330, "when it has left it"))
    for number, (name, until, why) in enumerate(rows):
        y = 30 + number * 62
        d.text(0, y + 8, name)
        d.box(320, y - 10, until, 30, "old" if until > 50 else "", "yellow")
        d.box(320 + until, y - 10, 520 - until, 30, "new functions", "green")
        d.note(324 + until, y + 36, why)
    d.line((380, 4), (380, 190), dashed=True)
    d.line((650, 4), (650, 190), dashed=True)
    d.text(515, 212, "transition is 1", "middle")
    d.arrow((440, 216), (384, 216))
    d.arrow((590, 216), (646, 216))
    return d


def draw_snapshot():
    d = Drawing("A snapshot exchanges two pointers")
    for number, title in enumerate(("before", "after echo 1 > snapshot")):
        x = number * 420
        d.title_text(x, 10, title)
        d.text(x, 50, "writers")
        d.text(x, 120, "snapshot")
        d.box(x + 200, 30, 150, 36, "buffer A", "yellow")
        d.box(x + 200, 100, 150, 36, "buffer B", "blue")
        ends = (48, 118) if number == 0 else (118, 48)
        d.arrow((x + 80, 46), (x + 198, ends[0]))
        d.arrow((x + 80, 116), (x + 198, ends[1]))
    d.note(0, 170, "A writer that has read the old pointer finishes its event in the old buffer.")
    return d


def draw_ring_buffer_map():
    d = Drawing("A buffer in the memory of a program")
    d.title_text(0, 10, "the program's area, read-only")
    rows = [("numbers: reader.id = 2, entries, read", "yellow"), ("sub-buffer 0", "plain"), ("sub-buffer 1", "plain"), ("sub-buffer 2: the reader's", "green"),
            ("sub-buffer 3", "plain")]
    for number, (words, color) in enumerate(rows):
        d.box(0, 24 + number * 40, 310, 40, words, color)
    d.title_text(470, 10, "the kernel's ring")
    for number, words in enumerate(("sub-buffer 3: the oldest", "sub-buffer 0", "sub-buffer 1: writers are here")):
        d.box(470, 24 + number * 40, 260, 40, words, "blue" if number < 2 else "red")
    d.box(470, 164, 260, 40, "out of the ring: sub-buffer 2", "green")
    d.line((468, 184), (400, 184), (400, 44), (468, 44), arrow=True)
    d.line((732, 44), (770, 44), (770, 184), (732, 184), arrow=True)
    d.text(780, 120, "GET_READER")
    d.note(0, 254, "The pages are the same. GET_READER exchanges the reader's sub-buffer for the oldest one, and writes the numbers.")
    return d


def draw_usdt():
    d = Drawing("A probe that a program brings along")
    d.title_text(0, 10, "the ELF file")
    d.box(0, 24, 300, 112, "note: stapsdt\naddress, base, semaphore\norders, taken\n-8@%rbx 8@%rbp", "yellow")
    d.box(0, 160, 300, 40, "text: 90 (nop)", "plain")
    d.box(0, 200, 300, 40, "data: semaphore 00 00", "plain")
    d.title_text(520, 10, "each process, while the event is on")
    d.box(520, 160, 300, 40, "text: cc (int3)", "red")
    d.box(520, 200, 300, 40, "data: semaphore 01 00", "green")
    d.arrow((302, 80), (400, 80), (400, 120), (420, 120))
    d.box(422, 90, 230, 50, "uprobe_events:\nPATH:OFFSET(SEMAPHORE)", "blue")
    d.arrow((540, 142), (540, 158))
    d.line((302, 180), (518, 180), dashed=True)
    d.line((302, 220), (518, 220), dashed=True)
    d.note(0, 270, "The file stays as it is. The page of each process that has a probe is its own.")
    return d


def draw_uprobe():
    d = Drawing("A probe in a program: the byte, the slot, and the way")
    d.title_text(0, 10, "the program")
    d.row(0, 24, 40, 32, ["cc", "04", "37"], ["red", "plain", "plain"])
    d.row(120, 24, 40, 32, ["c3"], "plain")
    d.title_text(330, 10, "the kernel")
    d.box(330, 20, 200, 40, "uprobe_int3(): handlers", "green")
    d.title_text(620, 10, "[uprobes] of the process")
    d.row(620, 24, 40, 32, ["8d", "04", "37", "cc"], ["yellow", "yellow", "yellow", "red"])
    d.arrow((162, 36), (328, 36), words="1 int3")
    d.arrow((532, 36), (618, 36), words="2 iret")
    d.arrow((760, 58), (760, 100), (430, 100), (430, 62))
    d.note(540, 94, "3 int3 behind the copy")
    d.arrow((380, 62), (380, 100), (140, 100), (140, 58))
    d.note(175, 94, "4 behind the probe")
    return d


def draw_latency_histogram():
    d = Drawing("Two events, a variable, and the time between them")
    d.box(0, 24, 190, 46, "sched_waking\npid 31", "blue")
    d.box(0, 124, 190, 46, "sched_switch\nnext_pid 31", "blue")
    d.box(270, 10, 220, 150, "", "gray")
    d.title_text(280, 4, "histogram of sched_waking")
    d.row(280, 20, 100, 30, ["key", "ts0"], "plain")
    d.row(280, 50, 100, 30, ["pid 12", "-"], "plain")
    d.row(280, 80, 100, 30, ["pid 31", "105 us"], "yellow")
    d.row(280, 110, 100, 30, ["pid 40", "98 us"], "plain")
    d.arrow((192, 47), (268, 90), words="set")
    d.arrow((192, 147), (278, 105))
    d.note(60, 194, "read, and empty again")
    d.box(560, 76, 220, 46, "lat = now - ts0\nevent wakeup_latency", "green")
    d.arrow((492, 95), (558, 97))
    d.box(560, 160, 220, 36, "histogram of lat", "yellow")
    d.arrow((670, 124), (670, 158))
    return d


def draw_tracepoint():
    d = Drawing("A tracepoint that is on, and what its probes do")
    d.title_text(0, 10, "put_task_struct()")
    for number, (what, color) in enumerate((("code before", "gray"), ("nop, or jmp", "yellow"), ("code behind", "gray"), ("ret", "gray"), ("arguments; call; jmp", "yellow"))):
        d.box(0, 22 + number * 34 + (10 if number == 4 else 0), 170, 34, what, color)
    d.line((172, 73), (200, 73), (200, 178))
    d.arrow((200, 178), (172, 178))
    d.line((172, 190), (214, 190), (214, 104))
    d.arrow((214, 104), (172, 104))
    d.arrow((85, 204), (85, 240))
    d.box(0, 242, 230, 60, "__traceiter_…():\npreempt_disable(), then\neach entry of funcs", "green")
    d.title_text(310, 10, "struct tracepoint")
    d.box(310, 22, 160, 30, "key", "yellow")
    d.box(310, 52, 160, 30, "funcs", "plain")
    d.box(310, 82, 160, 30, "single[2]", "plain")
    d.line((308, 37), (260, 37), (260, 60), dashed=True)
    d.arrow((260, 60), (172, 60), dashed=True)
    d.note(216, 20, "patches")
    d.line((472, 67), (500, 67), (500, 150))
    d.line((500, 150), (290, 150), (290, 262))
    d.arrow((290, 262), (308, 262))
    d.note(296, 144, "RCU: a new array")
    d.row(310, 242, 110, 40, ["probe 1\ndata", "probe 2\ndata", "NULL"], ["blue", "green", "gray"])
    d.note(310, 234, "by priority, then by age")
    d.arrow((232, 290), (308, 276))
    # The probe of the event.
    d.arrow((350, 284), (350, 330), (178, 330), (178, 346))
    d.title_text(0, 340, "probe 1: the event")
    d.box(0, 348, 250, 44, "trace_event_record_…():\ndata is a trace_event_file", "blue")
    d.arrow((252, 370), (298, 370))
    d.box(300, 348, 170, 44, "filter, triggers,\nset_event_pid?", "blue")
    d.arrow((472, 370), (518, 370))
    d.text(520, 340, "an entry of the ring buffer of this CPU")
    d.row(520, 348, 110, 44, ["4 bytes:\nlength, time", "8 bytes:\ncommon_…", "fields of the\nevent"], ["gray", "plain", "yellow"])
    d.note(520, 410, "reserve, fill in (TP_fast_assign), commit")
    d.arrow((475, 284), (475, 306), (560, 306))
    d.box(562, 290, 230, 32, "probe 2: note_exit(&counter)", "green")
    d.note(0, 436, "off: the nop is executed, and nothing else here happens. The arguments are not even computed.")
    return d


def draw_instances():
    d = Drawing("What an instance has of its own, and what all share")
    own = ["trace buffer, snapshot", "tracing_on, clock, size", "current_tracer, options", "set_event_pid, set_ftrace_pid", "triggers, filters of events", "error_log, CPU mask"]
    for x, title, color in ((0, "the top level: global_trace", "blue"), (560, "instances/tty: one more trace_array", "green")):
        d.title_text(x, 10, title)
        for number, what in enumerate(own):
            d.box(x, 22 + number * 34, 290, 34, what, color)
        d.box(x, 240, 140, 50, "ftrace_ops\nset_ftrace_filter", "yellow")
        d.box(x + 150, 240, 140, 50, "event files\nenable, filter", "yellow")
    d.title_text(310, 40, "only at the top level")
    d.note(310, 62, "kprobe_events, uprobe_events,\nsynthetic_events: they make\nevents for all; saved_cmdlines;\nset_graph_function; function\nprofiler; stack tracer")
    d.title_text(0, 340, "shared")
    d.box(0, 352, 260, 50, "ftrace_ops_list; a record and\na call site for each function", "gray")
    d.box(295, 352, 260, 50, "trace_event_call: id, format;\nits tracepoint: a probe per file", "gray")
    d.box(590, 352, 260, 50, "struct tracer: the code;\nthe data is each instance's", "gray")
    d.arrow((70, 292), (90, 350))
    d.line((630, 292), (630, 312), (150, 312))
    d.arrow((150, 312), (150, 350))
    d.arrow((220, 292), (340, 350))
    d.arrow((780, 292), (780, 330), (500, 330), (500, 350))
    d.note(0, 428, "A function that two traces want has one site, whose call ends in ftrace_ops_list_func(): it asks the hashes of both ops.\n"
                   "An event that two traces want has one tracepoint with two probes. Each probe writes to its own buffer.")
    return d


def draw_tracefs():
    d = Drawing("tracefs as a map of objects: which file is which object")
    d.title_text(0, 10, "/sys/kernel/tracing, and each instances/NAME")
    d.title_text(620, 10, "the object behind it")
    rows = [("trace  trace_pipe  per_cpu/cpuN/trace…", "an iterator of the reader; the pages of each CPU", "blue"),
            ("buffer_size_kb  tracing_on  trace_clock\ntrace_marker  free_buffer  per_cpu/cpuN/stats", "struct trace_buffer: what writers use now", "blue"),
            ("snapshot", "struct trace_buffer: the other one", "blue"),
            ("current_tracer  available_tracers  options/", "struct tracer, trace_flags", "green"),
            ("set_ftrace_filter  set_ftrace_notrace", "the hashes of an ftrace_ops", "yellow"),
            ("set_ftrace_pid  set_event_pid  …_notrace_pid", "lists of PIDs", "yellow"),
            ("events/SYSTEM/EVENT/enable  filter  trigger  hist", "trace_event_file: one for each trace_array", "red"),
            ("events/SYSTEM/EVENT/format  id", "trace_event_call: one for all", "red"),
            ("error_log", "the list of commands that were refused", "plain")]
    y = 22
    for files, what, color in rows:
        height = 44 if "\n" in files else 32
        d.box(0, y, 420, height, files, color)
        d.arrow((422, y + height / 2), (616, y + height / 2))
        d.text(620, y + height / 2 + 4, what)
        y += height + 8
    y += 26
    d.title_text(0, y, "only at the top level")
    y += 12
    rows = [("available_filter_functions  enabled_functions\ntouched_functions  dyn_ftrace_total_info", "dyn_ftrace: a record for each call site", "yellow"),
            ("set_graph_function  set_graph_notrace\nmax_graph_depth", "the graph tracer, for all instances", "green"),
            ("kprobe_events  uprobe_events  synthetic_events\ndynamic_events", "dyn_event: each makes a trace_event_call", "red"),
            ("function_profile_enabled  trace_stat/\nstack_max_size  stack_trace  …_filter", "the profiler, the stack tracer", "green"),
            ("saved_cmdlines  saved_tgids  printk_formats", "tables that turn numbers of entries into text", "plain"),
            ("instances/", "mkdir makes a struct trace_array", "blue")]
    for files, what, color in rows:
        height = 44 if "\n" in files else 32
        d.box(0, y, 420, height, files, color)
        d.arrow((422, y + height / 2), (616, y + height / 2))
        d.text(620, y + height / 2 + 4, what)
        y += height + 8
    d.line((456, 22), (456, 366), dashed=True)
    d.note(464, 392, "all of these: one struct trace_array")
    return d


def draw_perf_event():
    d = Drawing("Three kinds of sources, an event of perf, and its two consumers")
    for x, title in ((0, "sources"), (486, "struct perf_event"), (760, "consumers")):
        d.title_text(x, 10, title)
    sources = [("level: page faults, switches,\nrun time of the task", "the kernel counts it anyway", "level - base", "green"),
               ("hit: tracepoint, probe,\nfault, switch", "of this CPU? of this task?", "count + 1", "yellow"),
               ("on its CPU: clock (a timer),\nbreakpoint (a register)", "interrupt, exception", "on and off\nat a switch", "blue")]
    d.box(486, 22, 170, 222, "", "gray")
    for number, (source, how, what, color) in enumerate(sources):
        y = 32 + number * 76
        d.box(0, y, 250, 50, source, color)
        d.arrow((252, y + 25), (494, y + 25))
        d.note(373, y + 18, how, "middle")
        d.box(496, y, 150, 50, what, color)
    d.box(760, 32, 210, 50, "count:\nread(2), perf stat")
    d.box(760, 146, 210, 50, "sample: a record in the\nbuffer, perf record")
    d.arrow((648, 57), (758, 57))
    d.line((648, 123), (700, 123), (700, 72))
    d.arrow((700, 72), (758, 72))
    d.arrow((648, 143), (758, 162))
    d.note(668, 140, "period over")
    d.arrow((648, 209), (758, 180))
    d.note(0, 276, "Each event has a state (on or off), a leader (of its group), and a context (the events of one task, or of one CPU).")
    return d


def draw_perf_sample():
    d = Drawing("The way of a hit to a record")
    steps = [("hit", "plain"), ("is the event on?\nis this mode counted?", "yellow"), ("count + 1", "green"), ("is the period over?", "yellow"),
             ("is this code itself\nin a sample?", "yellow")]
    x, centers = 0, []
    for words, color in steps:
        width = max(len(line) for line in words.split("\n")) * 7.8 + 20
        d.box(x, 22, width, 46, words, color)
        centers.append((x, x + width / 2, x + width))
        x += width + 34
    for (_, _, right), (left, _, _) in zip(centers, centers[1:]):
        d.arrow((right + 2, 45), (left - 2, 45))
    for number, words in ((1, "no: nothing"), (3, "no: only counted"), (4, "yes: only counted")):
        d.arrow((centers[number][1], 70), (centers[number][1], 96))
        d.note(centers[number][1], 112, words, "middle")
    end = centers[4][2]
    d.line((end + 2, 45), (end + 24, 45), (end + 24, 140), (60, 140))
    d.arrow((60, 140), (60, 160))
    x = 0
    for number, (words, color) in enumerate((("measure: call chain,\nregisters, record", "blue"), ("reserve room:\nmove head", "blue"), ("write the fields", "blue"),
                                             ("the outermost writer:\ndata_head = head", "green"), ("does a reader wait?\nirq_work wakes it", "plain"))):
        width = max(len(line) for line in words.split("\n")) * 7.8 + 20
        d.box(x, 162, width, 46, words, color)
        if number == 1:
            d.arrow((x + width / 2, 210), (x + width / 2, 236))
            d.note(x + width / 2, 252, "no room: lost + 1", "middle")
        if number < 4:
            d.arrow((x + width + 2, 185), (x + width + 30, 185))
        x += width + 32
    return d


def draw_perf_ring():
    d = Drawing("The buffer: once in the program, and its data twice in the kernel")
    d.title_text(0, 10, "in the program: mmap(2)")
    d.box(0, 22, 130, 44, "first page:\nhead, tail", "yellow")
    d.row(130, 22, 100, 44, ["page 0", "page 1", "page 2", "page 3"], ["green", "blue", "red", "gray"])
    d.title_text(0, 116, "in the kernel: vmap_ring()")
    d.row(130, 128, 100, 44, ["page 0", "page 1", "page 2", "page 3"] * 2, ["green", "blue", "red", "gray"] * 2)
    d.note(130, 190, "the data")
    d.note(600, 190, "the same pages once more")
    d.box(490, 214, 90, 32, "a record", "yellow")
    d.line((490, 174), (490, 212), dashed=True)
    d.line((580, 174), (580, 212), dashed=True)
    d.arrow((180, 92), (180, 68))
    d.note(190, 88, "data_tail: the program has read up to here")
    d.arrow((490, 106), (490, 126))
    d.note(500, 120, "head: the next record begins here")
    d.note(0, 272, "A record that crosses the end of page 3 is in one piece for the kernel. Its last bytes are at the beginning of page 0.")
    return d
