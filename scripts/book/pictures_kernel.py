"""The pictures of the chapters about the kernel."""
from drawing import Drawing


def draw_rcu():
    d = Drawing("RCU: readers, and the grace period between the removal of a pointer and the free")
    d.note(560, 10, "time →", "middle")
    for number, name in enumerate(("CPU 0", "CPU 1", "CPU 2")):
        y = 60 + number * 62
        d.title_text(0, y + 5, name)
        d.line((60, y), (900, y), color="#bbb")
    # CPU 0 removes, waits and frees.
    d.box(150, 44, 120, 32, "remove pointer", "red")
    d.box(290, 44, 420, 32, "synchronize_rcu() waits", "gray")
    d.box(730, 44, 90, 32, "free", "red")
    # Readers.
    d.box(90, 106, 270, 32, "old reader: may see the object", "yellow")
    d.box(380, 106, 90, 32, "switch", "green")
    d.box(490, 106, 250, 32, "new reader: cannot see it", "blue")
    d.box(90, 168, 130, 32, "old reader", "yellow")
    d.box(230, 168, 200, 32, "old reader", "yellow")
    d.box(450, 168, 210, 32, "task, no reader", "plain")
    d.box(670, 168, 55, 32, "switch", "green")
    d.line((271, 30), (271, 228), dashed=True)
    d.line((726, 30), (726, 228), dashed=True)
    d.text(497, 240, "grace period: each CPU switches tasks once", "middle")
    d.arrow((320, 220), (274, 220))
    d.arrow((320, 220), (721, 220))
    d.note(60, 272, "A reader runs with preemption off. So behind the switch of a CPU no reader from before is left on it.\n"
                    "The last CPU to switch ends the grace period.")
    return d


def draw_rcu_tasks():
    d = Drawing("RCU-tasks: a task that is preempted inside a trampoline")
    for number, name in enumerate(("task A", "task B", "task C", "unregister")):
        y = 40 + number * 62
        d.title_text(0, y + 5, name)
        d.line((95, y), (960, y), color="#bbb")
    d.box(110, 24, 80, 32, "function", "plain")
    d.box(190, 24, 90, 32, "trampoline", "yellow")
    d.box(280, 24, 330, 32, "preempted, still inside", "gray", dashed=True)
    d.box(610, 24, 90, 32, "trampoline", "yellow")
    d.box(700, 24, 90, 32, "function", "plain")
    d.box(790, 24, 90, 32, "schedule()", "green")
    d.box(110, 86, 300, 32, "sleeps since before: not a holdout", "plain")
    d.box(110, 148, 350, 32, "runs its program", "plain")
    d.box(460, 148, 130, 32, "IPI, and back", "green")
    d.box(160, 210, 130, 32, "patch the sites", "red")
    d.box(290, 210, 600, 32, "synchronize_rcu_tasks() waits", "gray")
    d.box(890, 210, 70, 32, "free", "red")
    d.line((290, 10), (290, 260), dashed=True)
    d.line((882, 10), (882, 260), dashed=True)
    d.note(294, 262, "from here on no task enters")
    d.note(878, 282, "A passes a quiescent point: the last holdout is gone", "end")
    return d


def draw_run_queues():
    d = Drawing("The run queues of two CPUs")
    for cpu, (curr, rt, first, tree) in enumerate(((("rt-31", [("10", ["rt-31", "rt-32"])], "cc-40", ["ld-41", "as-42", "cc-43"])),
                                                   ("idle", [], "", []))):
        x = cpu * 480
        d.box(x, 20, 430, 330, "", "gray")
        d.title_text(x + 10, 12, f"runqueue of CPU {cpu}")
        d.text(x + 14, 48, "lock (R)    nr_running    need_resched")
        d.text(x + 14, 84, "curr")
        d.box(x + 90, 66, 110, 28, curr, "green")
        d.text(x + 14, 130, "rt")
        d.text(x + 90, 130, "bitmap: which level has tasks")
        if rt:
            level, tasks = rt[0]
            d.text(x + 90, 160, f"prio {level}")
            d.row(x + 170, 142, 90, 28, tasks, "yellow")
            d.note(x + 356, 160, "curr stays")
        else:
            d.note(x + 90, 160, "empty")
        d.text(x + 14, 210, "fair")
        d.text(x + 90, 210, "first")
        if first:
            d.box(x + 150, 192, 110, 28, first, "blue")
            d.note(x + 270, 210, "least vruntime")
            d.text(x + 90, 250, "tree")
            d.box(x + 220, 236, 80, 28, tree[1], "blue")
            d.box(x + 150, 296, 80, 28, tree[0], "blue")
            d.box(x + 290, 296, 80, 28, tree[2], "blue")
            d.line((x + 240, 264), (x + 195, 296))
            d.line((x + 280, 264), (x + 325, 296))
        else:
            d.note(x + 150, 210, "empty")
    d.arrow((432, 316), (478, 316), words="")
    d.note(0, 378, "__schedule() takes the first task of the best rt level, else first, else the idle task.\n"
                   "CPU 1 has no task: idle_balance() takes a waiting task from CPU 0.")
    return d


def draw_sleep_wakeup():
    d = Drawing("Sleep and wake-up: one of the two always sees the other")
    d.title_text(0, 12, "the task that sleeps")
    d.title_text(420, 12, "the task that wakes it")
    d.row(0, 24, 330, 34, ["state = TASK_INTERRUPTIBLE"], "blue")
    d.box(0, 58, 330, 26, "full memory barrier", "gray")
    d.box(0, 84, 330, 34, "condition true?  then do not sleep", "blue")
    d.box(0, 118, 330, 34, "schedule(): on_rq = 0, on_cpu = 0", "blue")
    d.box(420, 24, 330, 34, "condition = true", "yellow")
    d.box(420, 58, 330, 26, "full memory barrier", "gray")
    d.box(420, 84, 330, 34, "try_to_wake_up(): state?", "yellow")
    d.box(420, 118, 330, 34, "state = TASK_RUNNING, on_rq = 1", "yellow")
    d.arrow((418, 42), (332, 98), dashed=True)
    d.arrow((332, 42), (418, 98), dashed=True)
    d.note(0, 178, "If the sleeper misses the condition, its state was written before, and the waker sees it.\n"
                   "A waker that finds on_rq 0 and on_cpu 1 waits until the sleeper has left its stack.")
    return d


def draw_address_space():
    d = Drawing("The address space of nop5")
    rows = [("0xffffffffffe00000", "fixmap: device pages", "RW NX", "yellow", 30),
            ("0xffffffffc0000000", "regions of modules", "text RX, data RW", "green", 34),
            ("0xffffffffa0000000", "text area: trampolines, probes", "R, then X", "green", 34),
            ("0xffffffff80000000", "the image: text, rodata, data", "RX, R, RW", "green", 40),
            ("", "not mapped", "", "gray", 26),
            ("0xffffc90000000000", "kernel stacks, vmalloc(), ioremap()", "RW NX", "yellow", 44),
            ("0xffff888000000000", "direct map: all RAM", "RW NX, text R", "yellow", 50),
            ("", "no addresses: bits 63 to 47 must be equal", "", "gray", 30),
            ("0x00007fffffffffff", "stack of the program", "RW NX", "blue", 30),
            ("", "mmap: libraries, files, threads", "as asked", "blue", 36),
            ("", "heap", "RW NX", "blue", 26),
            ("0x0000000000000000", "text and data of the program", "RX, RW", "blue", 34)]
    y = 20
    d.title_text(180, 10, "the same for all address spaces")
    for address, what, rights, color, height in rows:
        if what.startswith("no addresses"):
            y += 4
        d.text(0, y + height / 2 + 4.5, address)
        d.box(160, y, 330, height, what, color)
        d.text(505, y + height / 2 + 4.5, rights)
        y += height
        if what.startswith("no addresses"):
            y += 4
    d.title_text(180, y + 20, "one for each program: struct mm_struct")
    # The two views of one page of text.
    d.box(720, 96, 150, 40, "a page of RAM", "plain")
    d.arrow((640, 118), (716, 116), words="RX")
    d.arrow((640, 260), (716, 138), words="R")
    d.note(650, 300, "One page of kernel text has two\naddresses. None is writable.")
    return d


def draw_copy_on_write():
    d = Drawing("Copy on write")
    for number, (title, parent, child, pages) in enumerate((
            ("before fork()", "RW", None, ["page\nrefcount 1"]),
            ("after fork()", "R", "R", ["page\nrefcount 2"]),
            ("after the child's write", "R", "RW", ["page\nrefcount 1", "copy\nrefcount 1"]))):
        x = number * 300
        d.title_text(x, 10, title)
        d.box(x, 30, 90, 40, f"parent\n{parent}", "blue")
        d.box(x + 150, 30, 110, 46, pages[0], "yellow")
        d.arrow((x + 90, 50), (x + 148, 50))
        if child:
            d.box(x, 110, 90, 40, f"child\n{child}", "green")
            d.arrow((x + 90, 130), (x + 148, 130 if len(pages) > 1 else 66))
        if len(pages) > 1:
            d.box(x + 150, 108, 110, 46, pages[1], "yellow")
    d.note(0, 190, "The parent's entry stays read-only. Its next write faults, too: wp_private() finds refcount 1 and makes\n"
                   "the entry writable without a copy.")
    return d


def draw_kernel_stack():
    d = Drawing("The stack of a task that enters the kernel")
    rows = [("ss, rsp, flags, cs, rip", "pushed by the CPU (for a system call: by the entry)", "yellow"),
            ("orig_ax", "number of the system call; -1: none", "yellow"),
            ("rdi … r15", "pushed by the entry; then one word that aligns the stack", "yellow"),
            ("return addresses, locals", "C functions of the kernel", "blue"),
            ("pt_regs of an interrupt", "it came while the kernel ran", "red"),
            ("return addresses, locals", "C functions of the interrupt", "red"),
            ("free", "", "plain"),
            ("guard, not mapped", "an overflow faults here", "gray")]
    d.title_text(0, 10, "16 KiB, from the top down")
    for number, (what, why, color) in enumerate(rows):
        y = 22 + number * 36
        d.box(0, y, 240, 36, what, color)
        d.note(256, y + 22, why)
    d.arrow((-8, 30), (-8, 230))
    return d


def draw_files():
    d = Drawing("From a file descriptor to the bytes")
    d.title_text(0, 10, "process")
    d.row(0, 20, 44, 32, ["0", "1", "2", "3"], "blue")
    d.note(0, 70, "files_struct: fd table")
    d.box(260, 20, 130, 60, "struct file\nf_pos, f_mode", "green")
    d.box(260, 110, 130, 60, "struct file\nf_pos, f_mode", "green")
    d.arrow((154, 36), (258, 46))
    d.title_text(0, 118, "another process")
    d.row(0, 128, 44, 32, ["0", "1", "2", "3"], "blue")
    d.arrow((154, 144), (258, 142))
    d.box(470, 60, 120, 60, "dentry\na name", "yellow")
    d.arrow((392, 50), (468, 82))
    d.arrow((392, 140), (468, 98))
    d.box(670, 60, 130, 60, "inode\ni_size, i_mode", "yellow")
    d.arrow((592, 90), (668, 90))
    d.box(870, 20, 130, 40, "i_op, i_fop", "plain")
    d.box(870, 80, 130, 40, "address_space", "plain")
    d.arrow((802, 80), (868, 44))
    d.arrow((802, 98), (868, 98))
    d.row(870, 150, 34, 34, ["p0", "p1", "p2", "p3"], "gray")
    d.arrow((935, 122), (935, 148), words="")
    d.note(860, 204, "pages of the page cache")
    d.note(0, 200, "open() makes a struct file; fork() and dup() share one, with its position.\n"
                   "Two names of one file (hard links) are two dentries and one inode.")
    return d


def draw_console():
    d = Drawing("The way of a key press to the shell")
    steps = [("UART\ninterrupt", "red"), ("flip buffer", "yellow"), ("kworker:\nflush_to_ldisc", "blue"), ("n_tty:\nedit, echo", "blue"),
             ("read_buf", "yellow"), ("shell:\nread()", "green")]
    for number, (what, color) in enumerate(steps):
        d.box(number * 155, 20, 120, 50, what, color)
        if number:
            d.arrow((number * 155 - 35, 45), (number * 155 - 2, 45))
    d.note(310, 92, "task, may sleep")
    d.note(775, 92, "task of the shell")
    d.box(465, 120, 120, 36, "transmit buffer", "yellow")
    d.arrow((525, 72), (525, 118), words="")
    d.arrow((463, 138), (60, 138), (60, 72))
    d.note(270, 132, "the echo goes back to the UART", "middle")
    return d


def draw_process_life():
    d = Drawing("The life of a process")
    d.title_text(0, 31, "parent")
    d.row(80, 12, 150, 36, ["runs"], "blue")
    d.box(230, 12, 90, 36, "fork()", "green")
    d.box(320, 12, 330, 36, "wait4() sleeps", "gray")
    d.box(650, 12, 150, 36, "wait4() returns", "green")
    d.title_text(0, 121, "child")
    d.arrow((275, 50), (275, 100))
    d.box(275, 102, 110, 36, "copy of parent", "blue")
    d.box(385, 102, 90, 36, "execve()", "green")
    d.box(475, 102, 100, 36, "runs", "yellow")
    d.box(575, 102, 75, 36, "exit()", "green")
    d.box(650, 102, 90, 36, "zombie", "red")
    d.arrow((630, 100), (660, 50))
    d.note(670, 82, "SIGCHLD")
    d.line((740, 100), (740, 50), dashed=True)
    d.text(275, 166, "copy_process()")
    d.text(400, 166, "begin_new_exec()")
    d.text(560, 166, "do_exit()")
    d.text(660, 166, "release_task(): the PID is free")
    return d


def draw_ptrace_stop():
    d = Drawing("A stop of a traced program")
    d.title_text(0, 31, "tracee")
    d.box(80, 12, 90, 36, "program", "yellow")
    d.box(170, 12, 60, 36, "int3", "red")
    d.box(230, 12, 150, 36, "SIGTRAP to itself", "blue")
    d.box(380, 12, 130, 36, "get_signal()", "blue")
    d.box(510, 12, 360, 36, "ptrace_stop(): TASK_TRACED, sleeps", "gray")
    d.box(870, 12, 110, 36, "answer: 0", "blue")
    d.box(980, 12, 90, 36, "program", "yellow")
    d.title_text(0, 141, "tracer")
    d.box(80, 122, 430, 36, "wait4() sleeps", "gray")
    d.box(510, 122, 90, 36, "status", "green")
    d.box(600, 122, 80, 36, "GETREGS", "green")
    d.box(680, 122, 80, 36, "POKEUSER", "green")
    d.box(760, 122, 110, 36, "CONT", "green")
    d.box(870, 122, 200, 36, "wait4() sleeps", "gray")
    d.arrow((525, 50), (540, 120))
    d.note(548, 90, "SIGCHLD, wake-up")
    d.arrow((830, 120), (880, 50))
    d.note(866, 90, "wake-up")
    d.note(80, 182, "All registers of the program are at the end of the tracee's kernel stack. Each request freezes the tracee,\n"
                    "so that not even SIGKILL wakes it before the request is done.")
    return d


def draw_allocators():
    d = Drawing("Two allocators, and their caches for each CPU")
    d.box(0, 20, 200, 46, "kmalloc(), kfree()", "blue")
    d.box(280, 20, 200, 46, "free objects of this CPU\nstruct cpu_slab", "green")
    d.box(560, 20, 200, 46, "slabs: blocks cut\ninto objects", "yellow")
    d.arrow((202, 43), (278, 43))
    d.arrow((482, 43), (558, 43))
    d.note(482, 14, "a batch")
    d.box(0, 130, 200, 46, "alloc_pages()", "blue")
    d.box(280, 130, 200, 46, "free pages of this CPU\nstruct pcp_pages", "green")
    d.box(560, 130, 200, 46, "buddy allocator:\norders 0 to 10", "yellow")
    d.arrow((202, 153), (278, 153))
    d.arrow((482, 153), (558, 153))
    d.note(482, 124, "a batch")
    d.arrow((660, 68), (660, 128))
    d.note(280, 92, "this CPU only, no lock")
    d.note(680, 102, "under a lock")
    d.title_text(0, 226, "a free block of 4 pages and its buddies")
    d.row(0, 240, 60, 32, ["0", "1", "2", "3"], "green")
    d.row(240, 240, 60, 32, ["4", "5"], "plain")
    d.row(360, 240, 60, 32, ["6", "7"], "green")
    d.note(0, 296, "6,7 is free, its buddy 4,5 is in use. When 4,5 is freed: 4 to 7 become one block,\n"
                   "and with its buddy 0 to 3 one of 8 pages.")
    return d


def draw_packet():
    d = Drawing("A packet from sendto() to recvfrom() over lo")
    d.title_text(0, 41, "task")
    for number, what in enumerate(("sendto()", "udp_sendmsg()", "ip_local_out()", "dev_queue_xmit()", "netif_rx()")):
        d.box(70 + number * 160, 20, 140, 36, what, "blue")
        if number:
            d.arrow((50 + number * 160, 38), (68 + number * 160, 38))
    d.title_text(0, 121, "softirq")
    for number, what in enumerate(("net_rx_action()", "ip_rcv()", "udp_rcv()", "queue of socket")):
        d.box(710 - number * 160, 100, 140, 36, what, "yellow")
        if number:
            d.arrow((708 - (number - 1) * 160, 118), (852 - number * 160, 118))
    d.arrow((780, 58), (780, 98))
    d.note(790, 84, "local_bh_enable()")
    d.title_text(0, 201, "receiver")
    d.box(230, 180, 140, 36, "recvfrom()", "green")
    d.arrow((300, 138), (300, 178))
    d.note(310, 164, "wake-up")
    return d


def draw_page_fault():
    d = Drawing("A page fault")
    d.box(0, 60, 130, 46, "access", "blue")
    d.arrow((132, 83), (188, 83))
    d.box(190, 60, 170, 46, "is there an area\nwith this right?", "plain")
    d.arrow((275, 108), (275, 158), words="")
    d.note(285, 138, "no")
    d.box(190, 160, 170, 36, "SIGSEGV", "red")
    d.arrow((362, 83), (428, 83), words="yes")
    d.box(430, 60, 150, 46, "what is in the\npage table?", "plain")
    for number, (what, does, color) in enumerate((("nothing, anonymous", "a page of zeros", "yellow"), ("nothing, of a file", "vm_ops->fault()", "yellow"),
                                                  ("read-only, private", "copy, or make writable", "green"),
                                                  ("read-only, shared", "vm_ops->page_mkwrite()", "green"))):
        y = number * 50
        d.arrow((582, 83), (638, y + 18))
        d.box(640, y, 180, 36, what, "plain")
        d.arrow((822, y + 18), (868, y + 18))
        d.box(870, y, 200, 36, does, color)
    d.note(190, 232, "Then the program executes the instruction again.")
    return d


def draw_boot_path():
    d = Drawing("The boot")
    d.box(0, 20, 130, 40, "GRUB (ISO)", "gray")
    d.box(0, 80, 130, 40, "QEMU (ELF)", "gray")
    d.box(180, 20, 160, 40, "multiboot2_entry", "yellow")
    d.box(180, 80, 160, 40, "pvh_entry", "yellow")
    d.arrow((132, 40), (178, 40))
    d.arrow((132, 100), (178, 100))
    d.box(390, 50, 150, 46, "boot_entry32:\npage tables", "yellow")
    d.arrow((342, 44), (388, 66))
    d.arrow((342, 100), (388, 80))
    d.box(590, 50, 170, 46, "64 bits, -2 GiB:\nboot_entry_high", "yellow")
    d.arrow((542, 73), (588, 73))
    d.box(810, 50, 190, 46, "x86_64_start_kernel()", "blue")
    d.arrow((762, 73), (808, 73))
    d.box(810, 140, 190, 40, "start_kernel()", "blue")
    d.arrow((905, 98), (905, 138))
    d.box(570, 140, 190, 40, "kernel_init(): PID 1", "green")
    d.arrow((808, 160), (762, 160))
    d.box(330, 140, 190, 40, "smp_init(): other CPUs", "green")
    d.arrow((568, 160), (522, 160))
    d.box(90, 140, 190, 40, "initcalls, then init", "green")
    d.arrow((328, 160), (282, 160))
    d.note(390, 40, "32 bits")
    d.note(810, 40, "C, no page is W and X")
    return d


def draw_ring_3():
    d = Drawing("The ways from ring 3 into the kernel and back")
    d.title_text(0, 10, "ring 3")
    d.box(0, 22, 150, 60, "the program\nrsp, GS: its own", "yellow")
    d.title_text(230, 10, "entry, in assembly")
    d.arrow((152, 40), (228, 40), words="syscall")
    d.box(230, 22, 250, 40, "swapgs; rsp into the TSS,\nTSS.rsp0 into rsp", "red")
    d.note(490, 38, "still on the stack of the program:\nrip is in rcx, the flags in r11")
    d.arrow((330, 64), (330, 82))
    d.box(230, 84, 250, 40, "21 pushes: pt_regs at the top\nof the task's stack", "green")
    d.arrow((330, 126), (330, 144))
    d.box(230, 146, 250, 30, "sti; call sys_call_table[rax]", "green")
    d.arrow((482, 161), (558, 161))
    d.box(560, 140, 200, 42, "__x64_sys_…(): C, with the\nGS base of this CPU", "blue")
    d.arrow((330, 178), (330, 232))
    d.box(230, 234, 250, 40, "cli; is there work? to be\nrescheduled? TF?", "green")
    d.arrow((482, 246), (558, 246), words="work")
    d.box(560, 225, 290, 42, "exit_to_user_mode_loop():\nschedule, signals, quiescent point", "blue")
    d.arrow((330, 276), (330, 304))
    d.note(338, 296, "no")
    d.box(230, 306, 250, 40, "15 pops; rsp; swapgs\nsysret", "red")
    d.line((230, 326), (190, 326), (190, 70))
    d.line((190, 70), (152, 70), arrow=True)
    d.note(490, 322, "only with rip and flags as syscall\nhas saved them; else iret")
    # Interrupts and exceptions.
    d.arrow((75, 84), (75, 402), (228, 402))
    d.note(84, 396, "interrupt, #PF, …")
    d.box(230, 382, 250, 40, "the CPU pushes 5 words; swapgs;\nthe other registers, same place", "green")
    d.arrow((482, 402), (558, 402))
    d.box(560, 382, 260, 40, "do_interrupt(), do_exception():\nC, with the GS base of this CPU", "blue")
    d.line((690, 424), (690, 462))
    d.arrow((690, 462), (482, 462))
    d.box(230, 440, 250, 40, "cli; is there work?", "green")
    d.line((852, 246), (880, 246), (880, 462), (692, 462))
    d.note(560, 484, "after the work of a system call, too, or if TF is set")
    d.arrow((330, 482), (330, 510))
    d.box(230, 512, 250, 40, "15 pops; swapgs\niret", "red")
    d.line((230, 532), (40, 532))
    d.arrow((40, 532), (40, 84))
    d.note(48, 526, "all registers")
    d.note(0, 584, "red: with the GS base of the program, before the first swapgs or after the last one. Interrupts are off there.\n"
                   "Only NMI, #DB, #MC and #DF can come. Each of them has a stack of its own (IST) on each CPU, loads the GS base\n"
                   "that lies at the top of that stack, and puts the old one back.")
    return d


def draw_module():
    d = Drawing("The memory of a module, and its life")
    d.title_text(0, 10, "its memory")
    rows = [("text", "ro  x", "functions with their sites", "green"), ("constants", "ro  NX", "tables of sites, strings", "blue"),
            ("data", "RW  NX", "variables; struct module itself", "yellow"), ("init text", "ro  x", "freed when init has returned", "plain"),
            ("init constants", "ro  NX", "freed", "plain"), ("init data", "RW  NX", "freed; the list of call sites", "plain")]
    for number, (name, rights, what, color) in enumerate(rows):
        y = 24 + number * 62
        d.box(0, y, 150, 40, name, color, dashed=number > 2)
        d.note(160, y + 16, f"{rights}\n{what}")
        d.box(0, y + 40, 150, 16, "", "gray")
    d.note(0, 414, "gray: a page that is not mapped")
    d.box(0, 428, 150, 40, "per-CPU variables", "yellow")
    d.note(160, 452, "in the kernel's own area")
    # The states.
    x = 480
    d.title_text(x, 10, "its states, and what happens in each")
    states = [("UNFORMED", "checked, moved, relocated; calls of __fentry__ become nops;\nrights of pages. Lookups do not find it yet", "gray", 24),
              ("COMING", "names in kallsyms; the chain, coming(), from 1 to 6:\nmay refuse. Then the parameters, and init()", "yellow", 104),
              ("LIVE", "the chain, live(): sites of init text are forgotten.\ninit text, constants and data are freed", "green", 184),
              ("GOING", "exit(); the chain, going(), from 6 to 1;\nsynchronize_rcu_tasks(); the memory is freed", "red", 264)]
    for number, (name, what, color, y) in enumerate(states):
        d.box(x, y, 100, 44, name, color)
        d.text(x + 112, y + 18, what)
        if number:
            d.arrow((x + 50, y - 34), (x + 50, y - 2))
    d.note(x + 60, 86, "complete_formation()")
    d.note(x + 60, 166, "init() has returned 0")
    d.note(x + 60, 246, "rmmod: there was no reference left")
    d.line((x, 126), (x - 18, 126), (x - 18, 286), dashed=True)
    d.arrow((x - 18, 286), (x - 2, 286), dashed=True)
    d.note(x - 24, 210, "init() has failed", "end")
    # The chain.
    d.title_text(x, 344, "the chain of rooms that are told, in this order")
    chain = ["static keys", "trace_printk", "ftrace", "kprobes", "probe events"]
    for number, name in enumerate(chain):
        d.box(x + number % 4 * 142, 356 + number // 4 * 46, 130, 30, f"{number + 1} {name}", "blue")
    d.box(x + 142, 402, 414, 30, "6 /sys/module, events, livepatch, profiler", "blue")
    d.note(x, 460, "ftrace makes records of the sites before a kprobe, an event or a patch can want one.\nOn the way out it is told after them.")
    return d


def draw_monitor():
    d = Drawing("A monitor: from a tracepoint to a state")
    d.title_text(0, 10, "the kernel")
    for number, name in enumerate(("preempt_disable", "preempt_enable", "sched_waking")):
        y = 24 + number * 50
        d.box(0, y, 160, 36, name, "plain")
        d.arrow((162, y + 18), (228, y + 18))
    d.title_text(230, 10, "the monitor")
    d.box(230, 24, 160, 136, "handlers:\nthe event\nof the model", "yellow")
    d.arrow((392, 92), (458, 92))
    d.title_text(460, 10, "the model")
    d.box(460, 24, 190, 136, "table:\n[state][event]\n= next state, or 0", "blue")
    d.arrow((652, 60), (718, 60), words="next")
    d.box(720, 36, 210, 48, "a word of the CPU:\nepoch, state", "green")
    d.arrow((652, 140), (718, 140), words="0")
    d.box(720, 116, 210, 48, "error: state unknown", "gray")
    d.arrow((825, 166), (825, 208))
    d.box(720, 210, 210, 40, "reactor: nop, printk, panic", "plain")
    d.arrow((718, 230), (652, 230))
    d.box(460, 210, 190, 40, "event error_NAME", "plain")
    return d
