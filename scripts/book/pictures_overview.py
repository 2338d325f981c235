"""The pictures of the chapters that show the whole, and of those that have one picture each."""
from drawing import Drawing


def draw_rooms():
    d = Drawing("The rooms of the kernel")
    floors = [("what users switch on", ["tracers", "events, filter,\ntrigger, hist", "kprobes, uprobes,\nprobe_events", "livepatch", "perf, bpf"], "blue"),
              ("the trace", ["trace/core", "trace/ftrace_files"], "green"),
              ("the mechanisms", ["trace/ring_buffer", "trace/ftrace", "trace/fgraph", "fs", "net"], "yellow"),
              ("the core", ["kernel", "arch"], "red")]
    d.note(0, 10, "a room may use the rooms below it; fgraph uses ftrace, net uses fs")
    for number, (name, rooms, color) in enumerate(floors):
        y = 26 + number * 72
        d.text(0, y + 28, name)
        for place, room in enumerate(rooms):
            width = 720 / len(rooms)
            d.box(190 + place * width, y, width - 8, 46, room, color)
        if number + 1 < len(floors):
            d.arrow((550, y + 48), (550, y + 70))
    d.text(0, 334, "the start")
    d.box(190, 314, 712, 30, "boot: from the firmware to the first C function", "plain")
    return d


def draw_call_sites():
    d = Drawing("From a function in C to its record")
    steps = [("compiler", "vfs_read:\n  e8 00 00 00 00  call __fentry__\n  55              push %rbp", "and the address of the call\nin the section __mcount_loc"),
             ("linker", "vfs_read:\n  e8 37 2e 00 00  call __fentry__\n  55              push %rbp", "all sections __mcount_loc\nbecome one table"),
             ("boot", "vfs_read:\n  0f 1f 44 00 00  nop\n  55              push %rbp", "the sorted table becomes records\nof 8 bytes; the table is freed"),
             ("tracer on", "vfs_read:\n  e8 5b 81 ff 1f  call trampoline\n  55              push %rbp", "the record counts its users:\nflags, counter 1")]
    for number, (who, code, table) in enumerate(steps):
        y = 10 + number * 96
        d.title_text(0, y + 38, who)
        d.box(110, y, 310, 70, "", "green" if number == 3 else "plain")
        d.text(124, y + 23, code)
        d.box(470, y, 290, 70, table, "yellow" if number < 2 else "blue")
        d.arrow((422, y + 35), (468, y + 35))
        if number < 3:
            d.arrow((265, y + 72), (265, y + 94))
            d.arrow((615, y + 72), (615, y + 94))
    return d




def draw_latency_section():
    d = Drawing("A section with interrupts off, and the longest one so far")
    d.note(430, 10, "time →", "middle")
    d.title_text(0, 45, "CPU 0")
    d.line((80, 40), (820, 40), color="#bbb")
    d.box(80, 24, 120, 32, "on", "green")
    d.box(200, 24, 180, 32, "off: 12 us", "red")
    d.box(380, 24, 150, 32, "on", "green")
    d.box(530, 24, 90, 32, "off: 6 us", "red")
    d.box(620, 24, 200, 32, "on", "green")
    d.text(200, 90, "CLI: start of\nthe section", "middle")
    d.arrow((200, 76), (200, 58))
    d.text(380, 90, "STI: longer than\ntracing_max_latency?", "middle")
    d.arrow((380, 76), (380, 58))
    d.text(620, 90, "shorter: nothing\nis kept", "middle")
    d.arrow((620, 76), (620, 58))
    d.arrow((380, 112), (380, 140))
    d.box(230, 142, 300, 44, "tracing_max_latency = 12\nthe buffer becomes the snapshot", "blue")
    return d


def draw_bpf_road():
    d = Drawing("From the bytes of a program to its result")
    steps = [("user space", "BPF_PROG_LOAD:\nthe instructions", "plain"), ("verifier", "each path is proven,\nor it is refused", "yellow"),
             ("compiler", "machine code,\nnever writable", "blue"), ("attach", "a link: tracepoint,\nprobe, function, sample", "blue")]
    for number, (name, what, color) in enumerate(steps):
        x = number * 232
        d.title_text(x + 98, 12, name, "middle")
        d.box(x, 24, 196, 56, what, color)
        if number < 3:
            d.arrow((x + 198, 52), (x + 230, 52))
    d.arrow((330, 82), (330, 118))
    d.box(232, 120, 196, 40, "log, and an errno", "red")
    d.arrow((794, 82), (794, 118))
    d.box(696, 120, 196, 40, "a hit runs it", "green")
    d.arrow((694, 140), (604, 140))
    d.box(464, 120, 138, 40, "a map", "plain")
    d.arrow((533, 162), (533, 186), (98, 186), (98, 82))
    d.note(310, 204, "user space reads the result", "middle")
    return d


def draw_verifier_ways():
    d = Drawing("What the verifier knows on each way through a program")
    d.box(200, 10, 260, 44, "r1 = key of the map", "plain")
    d.arrow((330, 56), (330, 82))
    d.box(200, 84, 260, 44, "r0 = lookup: a value, or NULL", "yellow")
    d.arrow((330, 130), (330, 156))
    d.box(230, 158, 200, 40, "if r0 == 0", "gray")
    d.arrow((228, 178), (130, 220))
    d.arrow((432, 178), (530, 220))
    d.box(0, 222, 250, 44, "way 1: r0 is 0", "red")
    d.box(410, 222, 250, 44, "way 2: r0 is a value of 8 bytes", "green")
    d.arrow((125, 268), (125, 294))
    d.arrow((535, 268), (535, 294))
    d.box(0, 296, 250, 44, "*(u64 *)r0 = 1: refused", "red")
    d.box(410, 296, 250, 44, "*(u64 *)r0 = 1: allowed", "green")
    d.note(0, 372, "A way ends at exit, or at an instruction that was proven with all that is possible here.")
    return d


def draw_filter_program():
    d = Drawing('The program of pid > 9 && (comm == "sh" || prio & 1)')
    tests = ["pid > 9", 'comm == "sh"', "prio & 1"]
    for number, test in enumerate(tests):
        x = number * 210
        d.box(x + 16, 60, 140, 40, test, "yellow")
    d.arrow((158, 80), (224, 80), words="true")
    d.arrow((368, 80), (434, 80), words="false")
    d.box(650, 0, 110, 36, "accept", "green")
    d.box(650, 124, 110, 36, "reject", "red")
    d.line((296, 58), (296, 12))
    d.arrow((296, 12), (648, 12))
    d.note(302, 30, "true")
    d.arrow((506, 58), (506, 26), (648, 26))
    d.note(512, 50, "true")
    d.line((86, 102), (86, 150))
    d.arrow((86, 150), (648, 150))
    d.note(92, 126, "false")
    d.arrow((506, 102), (506, 134), (648, 134))
    d.note(512, 122, "false")
    return d


def draw_trigger():
    d = Drawing("An event with triggers")
    d.box(0, 20, 130, 50, "tracepoint", "plain")
    d.arrow((132, 45), (168, 45))
    d.box(170, 20, 150, 50, "record of the\nvalues", "plain")
    d.arrow((322, 45), (398, 45))
    d.box(400, 20, 170, 50, "filter of the event", "yellow")
    d.arrow((572, 45), (648, 45), words="true")
    d.box(650, 20, 130, 50, "ring buffer", "green")
    d.arrow((245, 72), (245, 118))
    d.box(170, 120, 150, 50, "filter of the\ntrigger", "yellow")
    d.arrow((322, 145), (398, 145), words="true")
    d.box(400, 120, 170, 50, "count: any left?", "yellow")
    d.arrow((572, 145), (648, 145), words="yes")
    d.box(650, 120, 130, 50, "action", "blue")
    d.note(400, 196, "for each trigger of the event")
    return d


def draw_bpf_hash():
    d = Drawing("A hash table without locks for readers")
    d.title_text(0, 14, "buckets")
    for number, elements in enumerate((["key 7", "key 23"], [], ["key 2"])):
        y = 26 + number * 62
        d.box(0, y, 100, 40, f"bucket {number}", "gray")
        for place, element in enumerate(elements):
            d.arrow((102 + place * 140, y + 20), (138 + place * 140, y + 20))
            d.box(140 + place * 140, y, 100, 40, element, "green")
        x = 102 + len(elements) * 140
        d.arrow((x, y + 20), (x + 36, y + 20))
        d.text(x + 44, y + 25, f"end {2 * number + 1}")
    d.box(0, 226, 100, 40, "free", "gray")
    d.arrow((102, 246), (138, 246))
    d.box(140, 226, 100, 40, "", "plain", dashed=True)
    d.arrow((242, 246), (278, 246))
    d.box(280, 226, 100, 40, "", "plain", dashed=True)
    d.title_text(520, 40, "reader, any context")
    d.text(520, 62, "follows the list. If the number at\nthe end is of another bucket,\nit begins again")
    d.title_text(520, 140, "writer")
    d.text(520, 162, "holds the bucket's lock; each\nchange is one store of 8 bytes")
    d.title_text(520, 222, "a deleted element")
    d.text(520, 244, "is free at once, and may come\nback in another bucket")
    return d


def draw_bpf_trampoline():
    d = Drawing("Programs in front of a function and behind it")
    d.box(0, 20, 110, 40, "caller", "plain")
    d.arrow((112, 40), (158, 40), words="call")
    d.box(160, 20, 170, 40, "site: jmp", "yellow")
    d.box(160, 60, 170, 120, "the function", "plain")
    d.arrow((332, 40), (438, 40))
    d.box(440, 20, 220, 40, "store the arguments", "blue")
    d.box(440, 60, 220, 40, "fentry: run the programs", "green")
    d.box(440, 100, 220, 40, "call behind the site", "blue")
    d.box(440, 140, 220, 40, "fexit: run the programs", "green")
    d.box(440, 180, 220, 40, "load the result, return", "blue")
    d.arrow((438, 112), (332, 84))
    d.arrow((332, 172), (438, 136))
    d.note(350, 170, "ret")
    d.line((438, 204), (55, 204))
    d.arrow((55, 204), (55, 62))
    d.note(440, 12, "the trampoline")
    return d


def draw_user_events():
    d = Drawing("A user event: registered, switched on, written")
    d.title_text(0, 10, "the program")
    d.box(0, 24, 200, 50, "ioctl(DIAG_IOCSREG)\nname, fields, &wanted", "plain")
    d.box(0, 124, 200, 50, "uint32_t wanted\nbit 0", "yellow")
    d.box(0, 224, 200, 50, "if (wanted & 1)\n  writev(index, payload)", "plain")
    d.title_text(300, 10, "the kernel")
    d.box(300, 24, 200, 50, "struct user_event\nevents/user_events/sale", "green")
    d.box(300, 124, 200, 50, "struct user_enabler\nwhose memory, where", "blue")
    d.box(300, 224, 200, 50, "is the payload valid?\nfilter, trigger", "green")
    d.title_text(600, 10, "you")
    d.box(600, 24, 170, 50, "echo 1 > enable\nperf, bpftrace", "plain")
    d.box(600, 224, 170, 50, "trace\nhist", "plain")
    d.arrow((202, 49), (298, 49))
    d.arrow((598, 49), (502, 49))
    d.arrow((400, 76), (400, 122), words="on, off")
    d.arrow((298, 149), (202, 149), words="sets it")
    d.arrow((100, 176), (100, 222))
    d.arrow((202, 249), (298, 249))
    d.arrow((502, 249), (598, 249))
    return d
