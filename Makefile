# nop5: builds build/nop5.elf and build/nop5.iso. `make help` prints the lines that begin with #:
# but not about targets that need files which this tree does not have.
#
#: make             build build/nop5.elf, build/rootfs.cpio (if the kernel has programs), and
#:                  build/nop5.iso of both
#: make test-kernel build nop5-test.elf and .iso, with the self-tests linked in
#: make run         build, boot in QEMU with the console on this terminal;
#:                  leave with poweroff or Ctrl-A X
#: make debug       the same, stopped, with gdb attached (docs/debugging.md);
#:                  `make console` in another terminal has the console
#: make test        all tests, on the host and booted; the last line has totals;
#:                  T=events, T=docs/tracefs: one subject (tests/subjects.py)
#: make check       the tests of what you have changed
#: make bench       measure; print tables and write build/bench.json
#: make compare     the same commands on nop5 and on Linux; print one table (README=1: into README.md)
#: make boot-trace  trace the boot: build/boot.dat, a flame graph, and the ten
#:                  most expensive functions
#: make soak        the long tests: storms on 8 CPUs, other builds, all self-tests
#:                  unabridged, programs that show traces; SOAK=30m is a budget,
#:                  SEED=N repeats a run
#: make ftracetest  run Linux's own ftrace test-suite, and show its results
#:                  beside those of Linux; TESTS="kprobe/ ..." runs a part;
#:                  LINUX=6.12 takes the suite of that version
#: make fidelity    type the commands of tests/fidelity/ in nop5, and count the
#:                  answers that are equal to those of Linux 6.1;
#:                  RECORD=linux-ref renews those of Linux
#: make book        make build/book/index.html of docs/: a page for each chapter,
#:                  a search, and a page for print; ANSWERS=0 leaves out the
#:                  answers to the questions, and the solutions of the labs;
#:                  PDF=1 also prints build/book/nop5.pdf
#: make slides      make build/slides: slides for the twelve weeks of the course
#: make web         make build/web: static files that boot the kernel in a browser tab;
#:                  `python3 -m http.server -d build 8000` shows them at localhost:8000/web/
#: make pictures    draw the pictures of docs/pictures again
#: make timeline    record a live patch on two CPUs, and draw build/text-patch-trace.svg;
#:                  OUT=FILE draws another file
#: make lab N=3 DIR=NEW
#:                  make the students' tree of lab 3 of the course; CARRY=WORK
#:                  takes over what was done in the tree of an earlier lab
#: make grade       grade the lab in this tree; in the whole source: N=3
#: make diagnose N=21 DIR=NEW VARIANT=WORD
#:                  make the folder of a lab in which students find a planted fault
#: make autograder N=3 DIR=NEW
#:                  make the folder that grades lab 3 on Gradescope
#: make rootfs      build build/rootfs.cpio: busybox, the programs of user/, and
#:                  what ADD names
#: make modules M=DIR
#:                  build the modules of a directory, which its Kbuild lists
#: make bpf-programs
#:                  build the eBPF programs of user/bpf/, or of B=DIR, in build/bpf/
#: make features    list the features (features.mk) with their lines of code, and what a
#:                  feature refers to without needing it
#: make clean       remove build/
#: make help        this list
#:
#: CPUS=4 MEM=256M  the machine for run and debug
#: APPEND="..."     added to the kernel command line
#: KERNEL=nop5      or nop5-test: with self-tests, benches and fault provokers
#:                  (the default when APPEND contains selftest)
#: BOOT=iso         iso: through GRUB; uefi: the same on UEFI firmware;
#:                  elf: directly
#: ADD="..."        for rootfs: programs, other files, directories or Debian
#:                  packages, with the libraries that they need
#: ROOTFS=FILE      for run and debug: another root file system than
#:                  build/rootfs.cpio
#: BUSYBOX=PATH     for rootfs: a static busybox
#: MUSL_CC=musl-gcc the compiler of the programs in user/
#: CC=gcc           or clang
#: PAHOLE=pahole    writes the types of the kernel into it, if it is installed;
#:                  empty: a kernel without them
#: DEBUG=1          poisoning, red zones, lock assertions, lock-order checking;
#:                  compiled with -Og, for gdb
#: FEATURES="core events"
#:                  link these features and what they need (features.mk); "core ftrace"
#:                  is the smallest kernel that traces
#: WITHOUT="sockets livepatch"
#:                  link all but these; WITHOUT=ftrace: no call of __fentry__ at the
#:                  start of functions
#: MCOUNT=script    scripts/recordmcount lists the calls; cc: the compiler does
#: SELF_TRACING=1   functions of the tracer that only tasks execute can be traced, too
#: BALLAST=40000    add this many small functions to the image, to measure
#: O=build          the directory for everything that is built
#: V=1              show the commands

# In the tree of a lab: the settings of its builds.
-include .lab/lab.mk

# Everything is written below $(O), so `make O=build/clang CC=clang` leaves build/ alone.
O      ?= build
ifeq ($(origin CC),default)
CC     := gcc
endif
NASM   ?= nasm
# A cross compiler, such as CC=x86_64-elf-gcc, has its own linker.
CROSS  := $(patsubst %gcc,%,$(filter %-gcc,$(CC)))
LD     := $(CROSS)ld
NM     := $(CROSS)nm
export OBJCOPY := $(CROSS)objcopy
HOSTCC ?= cc
# Without pahole, or with one older than 1.22, the kernel has no types of its own.
PAHOLE ?= $(shell pahole --help 2>/dev/null | grep -q btf_encode_detached && echo pahole)
PYTHON ?= /usr/bin/python3
MCOUNT ?= cc
BALLAST ?= 0
BALLAST_INIT ?= 0
DEBUG  ?= 0
CPUS   ?= 4
MEM    ?= 256M
BOOT   ?= iso
APPEND ?=
ADD    ?=
BUSYBOX ?=
MUSL_CC ?= musl-gcc
# Only the test kernel contains the self-tests.
KERNEL ?= $(if $(filter selftest selftest=%,$(APPEND)),nop5-test,nop5)
V      ?= 0

# The machine. `#include "arch/cpu/x.h"` includes cpu/x.h from this folder.
MACHINE := arch/x86_64

# Run one job for each CPU, unless -j gives another number.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN)
endif

ifeq ($(V),0)
Q      := @
say     = @printf '  %-7s %s\n' '$(1)' '$(2)'
else
Q      :=
say     = @:
endif
ifneq ($(findstring s,$(filter-out --%,$(MAKEFLAGS))),)
say     = @:
endif

# The rooms of the house. A source file in one of the ROOMS is part of the kernel, if its feature is
# linked (features.mk); a source file in selftest/ is part of the test kernel only.
ROOMS  := $(wildcard boot arch kernel fs net trace)
source_files = $(sort $(shell find $(wildcard $(1)) /dev/null -name '*.c' -o -name '*.asm'))
# The vDSO is a library of its own: vdso_image.asm includes it as data.
VDSO_SRCS := $(call source_files,$(MACHINE)/user/vdso)
ALL_SRCS  := $(filter-out $(VDSO_SRCS),$(call source_files,$(ROOMS)))

# features.mk fills FEATURE_NAMES, NAME.needs, NAME.paths, NAME.what, NAME.replaces, TOGETHER and together.NAME+NAME.
plus    := $(subst ,, )
feature  = $(eval FEATURE_NAMES += $1)$(eval $1.needs := $2)$(eval $1.paths := $3)$(eval $1.what := $4)
together = $(eval TOGETHER += $(subst $(plus),+,$(strip $1)))$(eval together.$(subst $(plus),+,$(strip $1)) += $2)
without  = $(eval $1.replaces += $2)
include features.mk

FEATURES ?= $(FEATURE_NAMES)
WITHOUT  ?=
$(foreach f,$(filter-out $(FEATURE_NAMES),$(FEATURES) $(WITHOUT)),$(error there is no feature $f: `make help` lists them))
# The features $1, and all that they need.
with_needs = $(sort $1 $(foreach f,$1,$(call with_needs,$($f.needs))))
LINKED := $(foreach f,$(call with_needs,core ftrace $(FEATURES)),$(if $(filter $(WITHOUT),$(call with_needs,$f)),,$f))
LINKED := $(if $(filter 1,$(DEBUG)),$(sort $(LINKED) debug),$(filter-out debug,$(LINKED)))

# The tree of a lab has what its features need (scripts/lab_tree.py). These targets need more.
LAB_TREE := $(wildcard .lab/lab.json)
MISSING := $(if $(LAB_TREE),test check soak features ftracetest fidelity compare bench web slides bpf-programs pictures lab diagnose autograder \
	$(if $(filter programs,$(LINKED)),,boot-trace timeline rootfs) $(if $(wildcard modules),,modules) \
	$(if $(wildcard selftest),,test-kernel))
ifneq ($(filter $(MISSING),$(MAKECMDGOALS)),)
$(error make $(MAKECMDGOALS) is for the whole source. This is the tree of one lab: `make grade` tests it; `make help` lists what it has)
endif

# Those of the files $2 that the paths $1 lead to.
below = $(filter $1 $(addsuffix /%,$1),$2)
NAMED_SRCS := $(filter %.c %.asm,$(foreach f,$(FEATURE_NAMES),$($f.paths)))
$(foreach f,$(filter-out core,$(FEATURE_NAMES)),$(eval $f.sources := $(filter $($f.paths),$(ALL_SRCS)) \
	$(call below,$(filter-out %.c %.asm,$($f.paths)),$(filter-out $(NAMED_SRCS),$(ALL_SRCS)))))
core.sources := $(filter-out $(foreach f,$(FEATURE_NAMES),$($f.sources)),$(ALL_SRCS))
# The paths that are not linked because one of several features is not, or because a feature is.
APART := $(foreach t,$(sort $(TOGETHER)),$(if $(filter-out $(LINKED),$(subst +, ,$t)),$(together.$t))) $(foreach f,$(LINKED),$($f.replaces))
SRCS := $(filter-out $(call below,$(APART),$(ALL_SRCS)),$(sort $(foreach f,$(LINKED),$($f.sources))))

TEST_SRCS := $(call source_files,selftest)
TEST_SRCS := $(filter-out $(call below,$(APART),$(TEST_SRCS)),$(TEST_SRCS))

# A debug build is for gdb, too.
OPTIMIZE := $(if $(filter 1,$(DEBUG)),-Og,-O2)
CFLAGS := -std=gnu11 $(OPTIMIZE) -g -ffreestanding -mcmodel=kernel -mno-red-zone -mgeneral-regs-only \
	  -fno-pic -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-stack-protector \
	  -fno-strict-aliasing -fcf-protection=none -fno-asynchronous-unwind-tables \
	  -fno-common -Wall -Wextra -Werror -I. -I$(MACHINE)/include -I$(O)/include
NASMFLAGS := -f elf64 -g -F dwarf -I. -I$(MACHINE)/include/ -Ox -w+all -Werror
LDFLAGS := -L$(MACHINE) -nostdlib -static -z max-page-size=4096 -z noexecstack --build-id=sha1 \
	   --fatal-warnings --orphan-handling=error

CC_IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null | head -n1))
ifneq ($(CC_IS_CLANG),)
# is_signed_type() compares two values of any type, also function pointers.
COMPILER_CFLAGS := --target=x86_64-elf -mno-implicit-float -Wno-ordered-compare-function-pointers -Wno-pass-failed
else
# gdb does not read the views of locations. At -Og gcc takes more variables for uninitialized than there are.
# These passes take a ninth of the compiler's time, and make nothing faster that `make bench` measures. There are no
# vector registers for the first two.
SLOW_PASSES := tree-vectorize tree-slsr tree-pta tree-switch-conversion tree-tail-merge split-paths schedule-insns2 \
	rerun-cse-after-loop isolate-erroneous-paths-dereference ipa-bit-cp ipa-icf ipa-modref ipa-reference ipa-vrp
COMPILER_CFLAGS := -gno-variable-location-views -gno-statement-frontiers $(SLOW_PASSES:%=-fno-%) $(if $(filter 1,$(DEBUG)),-Wno-maybe-uninitialized)
endif
CFLAGS += $(COMPILER_CFLAGS)

# Files that are compiled without the call of __fentry__. Each line gives its reason after the #.
# scripts/notrace-doc writes docs/notrace.md from these lines and from the functions that other files
# mark notrace.
UNTRACED :=
UNTRACED += trace/%			# a traced call executes this code: it would trace itself
UNTRACED += kernel/time/trace_clock%	# every tracer reads a clock for each event
UNTRACED += selftest/trace/%		# callbacks and tracers of the self-tests: they would trace themselves
UNTRACED += selftest/bpf/trampoline%	# callbacks and tracers of the self-tests: they would trace themselves
UNTRACED += selftest/bench/ftrace%	# callbacks that are measured, registered for all functions
UNTRACED += selftest/bench/livepatch%	# only the patched functions themselves are to be measured
UNTRACED += selftest/provoke/ftrace%	# callbacks that fault, registered for all functions
UNTRACED += arch/x86_64/patch/text_patch%	# patches sites, and emulates them in the breakpoint handler
UNTRACED += arch/x86_64/probes/kprobes%	# executes probed instructions in the breakpoint handler
UNTRACED += arch/x86_64/patch/text_alias%	# writes to text while a batch of sites holds breakpoints
UNTRACED += arch/x86_64/unwind/unwind%	# finds the callback that has faulted, while all functions call it

# The files of the tracer that SELF_TRACING=1 compiles with the call: tasks execute them, which use files of
# tracefs, and no callback does.
SELF_TRACED := $(if $(filter 1,$(SELF_TRACING)),$(addprefix trace/, \
	core/control_files.c core/files.c core/instances.c core/options.c core/size_files.c \
	events/error_log.c events/files.c events/format.c events/set_event.c events/show_events.c \
	filter/files.c filter/parse.c filter/predicate.c hist/create.c hist/parse.c probes/probe_command.c \
	probes/probe_parse.c synth/parse.c trigger/file.c trigger/parse.c))

# gcc notices which registers a static function leaves alone, and its callers then keep values there.
# A return probe of the function does not leave them alone. With -pg gcc does not do this.
NOT_TRACED := $(if $(CC_IS_CLANG),,-fno-ipa-ra)

# Every other function starts with a call of __fentry__ (-pg -mfentry), and __mcount_loc lists the
# addresses of these calls. gcc writes the list itself (-mrecord-mcount). clang cannot:
# scripts/recordmcount does it. `define compile` below chooses by UNTRACED.
ifneq ($(filter ftrace,$(LINKED)),)
ifneq ($(filter script,$(MCOUNT))$(CC_IS_CLANG),)
RECORDMCOUNT := $(O)/scripts/recordmcount
TRACED := -pg -mfentry
else
TRACED := -pg -mfentry -mrecord-mcount
endif
else
TRACED := # not that of a make above this one, which has exported its own
endif
ifeq ($(DEBUG),1)
CFLAGS += -DCONFIG_DEBUG
NASMFLAGS += -DCONFIG_DEBUG
endif

# BALLAST functions, with BALLAST_FILE of them in each file. `make bench` measures with them how the
# cost of enabling all functions grows with their number. The first BALLAST_INIT of them are init
# functions.
BALLAST_FILE := 4000
ifneq ($(BALLAST),0)
BALLAST_OBJS := $(patsubst %,$(O)/obj/ballast/%.o,\
		  $(shell seq 0 $$((($(BALLAST) - 1) / $(BALLAST_FILE)))))
endif

objects = $(patsubst %.asm,$(O)/obj/%.asm.o,$(patsubst %.c,$(O)/obj/%.o,$(1)))
OBJS      := $(call objects,$(SRCS)) $(BALLAST_OBJS)
TEST_OBJS := $(call objects,$(TEST_SRCS))
OBJ_DIRS  := $(sort $(dir $(OBJS) $(TEST_OBJS) $(VDSO_SRCS:%=$(O)/obj/%)))
DEPS      := $(patsubst %.o,%.d,$(OBJS) $(TEST_OBJS) $(VDSO_SRCS:%.c=$(O)/obj/%.vdso.o))

.PHONY: all test-kernel features print-features print-sources book slides web pictures timeline rootfs modules bpf-programs help run debug console boot-trace lab grade diagnose autograder test check ftracetest fidelity bench compare soak clean FORCE
.DELETE_ON_ERROR:
.SUFFIXES:

# A kernel without programs has no use for a root file system of programs.
INITRD := $(if $(filter programs,$(LINKED)),$(O)/rootfs.cpio)

all: $(O)/nop5.elf $(INITRD) $(O)/nop5.iso

test-kernel: $(O)/nop5-test.elf $(O)/nop5-test.iso

# These files change when the flags or the set of sources change. Objects depend on them. A build without
# its tools ends here with the names of the packages, instead of a compiler's error. All directories for
# objects are made here, by one process. Modules have a file of their own, and those outside the tree another
# one: they may be built by another compiler than the kernel and its modules, which must not change for that.
MODULE_DIR := $(patsubst $(CURDIR)/%,%,$(M))
MODULE_FLAGS := $(O)/modules/$(if $(filter /%,$(MODULE_DIR)),outside-)flags
$(O)/flags $(MODULE_FLAGS): FORCE
	@CC='$(CC)' MCOUNT='$(MCOUNT)' scripts/install-deps --check build
	@mkdir -p $(@D) $(OBJ_DIRS)
	@printf '%s\n' '$(shell $(CC) --version 2>/dev/null | head -n1)' '$(CFLAGS)' '$(TRACED) $(NOT_TRACED) $(RECORDMCOUNT)' \
		'$(UNTRACED)$(if $(SELF_TRACED), $(SELF_TRACED))' '$(NASMFLAGS)' '$(LDFLAGS)' '$(VDSO_CFLAGS)' >$@.new
	@cmp -s $@ $@.new && rm $@.new || mv $@.new $@
$(O)/sources: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(OBJS) $(TEST_OBJS) 'BALLAST=$(BALLAST) $(BALLAST_INIT)' 'PAHOLE=$(PAHOLE)' >$@.new
	@cmp -s $@ $@.new && rm $@.new || mv $@.new $@

# The macros trace_NAME() of all tracepoints. Objects that use them depend on this file by their .d files.
EVENT_HEADERS := $(sort $(shell find $(ROOMS) $(wildcard selftest) -name '*_events.h'))
TRACEPOINTS := $(O)/include/generated/tracepoints.h
$(TRACEPOINTS): FORCE
	@mkdir -p $(@D)
	@scripts/tracepoint-macros $(if $(filter events,$(LINKED)),,--empty) $(EVENT_HEADERS) >$@.new
	@cmp -s $@ $@.new && rm $@.new || mv $@.new $@

# How far a first build is: the number of this object among those that were missing when make began.
UNBUILT  := $(filter-out $(wildcard $(OBJS)),$(OBJS))
how_far   = $(if $(filter $@,$(UNBUILT)),$(eval COMPILED += x)[$(words $(COMPILED))/$(words $(UNBUILT))] )

define compile
	$(call say,CC,$(how_far)$<)
	$(Q)$(CC) $(CFLAGS) $(if $(filter-out $(SELF_TRACED),$(filter $(UNTRACED),$<)),$(NOT_TRACED),$(TRACED)) -MMD -MP -c -o $@ $<
	$(if $(RECORDMCOUNT),$(Q)$(RECORDMCOUNT) $@)
endef

$(O)/obj/%.o: %.c $(O)/flags $(RECORDMCOUNT) | $(TRACEPOINTS)
	$(compile)

# The way of an event. A call that is the last of its function is a jump there: what is slow is behind such calls, so
# that the rest needs no frame. The stack of an event begins above these functions.
$(O)/obj/trace/events/systems/%.o $(O)/obj/trace/events/record.o $(O)/obj/trace/probe_events/%.o $(O)/obj/trace/hist/key.o: \
	CFLAGS += -foptimize-sibling-calls

$(O)/obj/ballast/%.o: $(O)/ballast/%.c $(O)/flags $(RECORDMCOUNT)
	$(compile)

.PRECIOUS: $(O)/ballast/%.c
$(O)/ballast/%.c: $(O)/sources
	@mkdir -p $(@D)
	$(call say,BALLAST,$@)
	$(Q)awk 'BEGIN { for (i = $* * $(BALLAST_FILE); i < ($* + 1) * $(BALLAST_FILE) && i < $(BALLAST); i++) \
		printf "int ballast_%d(int x);\n%sint ballast_%d(int x)\n{\n\treturn x + %d;\n}\n", i, \
		i < $(BALLAST_INIT) ? "__attribute__((section(\".init.text\"))) " : "", i, i }' >$@

# NASM 2.16.01 does not name included files in the .d file.
ASM_INCLUDES := $(wildcard $(MACHINE)/*/*.inc boot/*.inc)
$(O)/obj/%.asm.o: %.asm $(ASM_INCLUDES) $(O)/flags
	$(call say,NASM,$(how_far)$<)
	$(Q)$(NASM) $(NASMFLAGS) -MD $(@:.o=.d) -MP -MT $@ -o $@ $<
	$(Q)$(OBJCOPY) --wildcard --strip-symbol='..@*' $@ # labels inside macros: gdb would show them as functions

$(O)/scripts/kallsyms: scripts/kallsyms.c | $(O)/flags
	@mkdir -p $(@D)
	$(call say,HOSTCC,$<)
	$(Q)$(HOSTCC) -std=gnu11 -O1 -Wall -Wextra -Werror -o $@ $< # at -O2 it saves less time than gcc takes

$(O)/scripts/recordmcount: scripts/recordmcount.c | $(MODULE_FLAGS)
	@mkdir -p $(@D)
	$(call say,HOSTCC,$<)
	$(Q)$(HOSTCC) -std=gnu11 -O2 -Wall -Wextra -Werror -o $@ $< -lelf

$(O)/scripts/trace-convert: $(wildcard scripts/trace/*.[ch])
	@mkdir -p $(@D)
	$(call say,HOSTCC,$@)
	$(Q)$(HOSTCC) -std=gnu11 -O2 -Wall -Wextra -Werror -o $@ $(filter %.c,$^) -lz -lzstd

VDSO_CFLAGS := -std=gnu11 -O2 -ffreestanding -fPIC -mgeneral-regs-only -fno-stack-protector -fcf-protection=none \
	       -fasynchronous-unwind-tables -fno-common -Wall -Wextra -Werror -I. -I$(MACHINE)/include \
	       $(if $(CC_IS_CLANG),--target=x86_64-elf)
$(O)/obj/%.vdso.o: %.c $(O)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(VDSO_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/vdso.so: $(MACHINE)/user/vdso/vdso.ld $(VDSO_SRCS:%.c=$(O)/obj/%.vdso.o)
	$(call say,LD,$@)
	$(Q)$(LD) -shared -nostdlib -soname linux-vdso.so.1 -Bsymbolic --hash-style=both --eh-frame-hdr --build-id=sha1 \
		-z noexecstack -z max-page-size=4096 --fatal-warnings --orphan-handling=error -T $< -o $@.tmp $(filter %.o,$^)
	$(Q)$(OBJCOPY) -S $@.tmp $@ && rm $@.tmp

$(O)/obj/$(MACHINE)/user/vdso_image.asm.o: $(O)/vdso.so
$(O)/obj/$(MACHINE)/user/vdso_image.asm.o: NASMFLAGS += -I$(O)/

# The versions of the symbols that modules may use. The linker takes their values from symvers.ld.
# Both compilers lay out structures alike: flags that only one of them gets change no version.
SYMVER_FLAGS := $(filter-out -I% $(COMPILER_CFLAGS),$(CFLAGS))
$(O)/symvers.ld: FORCE
	@mkdir -p $(@D)
	@scripts/symvers $(O)/Module.symvers $@ '$(SYMVER_FLAGS)' $(ROOMS)
$(O)/Module.symvers: $(O)/symvers.ld ;

# The first link shows the size of the symbol table. The second link reserves that much space for the
# table, and scripts/kallsyms fills it. It also adds the types, which pahole reads from the first.
TYPES := $(if $(filter btf,$(LINKED)),$(PAHOLE))
define link
	$(call say,LD,$@)
	$(Q)$(LD) $(LDFLAGS) -T $< -o $@.tmp $(filter %.o,$^) $(O)/symvers.ld
	$(if $(TYPES),$(Q)PAHOLE='$(PAHOLE)' OBJCOPY='$(OBJCOPY)' scripts/btf $@.tmp $@.btf.o)
	$(Q)$(LD) $(LDFLAGS) --defsym=__kallsyms_size=$$($(O)/scripts/kallsyms size $@.tmp) \
		-T $< -o $@.tmp $(filter %.o,$^) $(if $(TYPES),$@.btf.o) $(O)/symvers.ld
	$(Q)$(O)/scripts/kallsyms fill $@.tmp $@ && chmod +x $@ && rm $@.tmp
endef

$(O)/nop5.elf: linker.ld $(MACHINE)/machine.ld $(O)/symvers.ld $(OBJS) $(O)/sources $(O)/scripts/kallsyms
	$(link)

$(O)/nop5-test.elf: linker.ld $(MACHINE)/machine.ld $(O)/symvers.ld $(OBJS) $(TEST_OBJS) $(O)/sources $(O)/scripts/kallsyms
	$(link)

$(O)/%.iso: $(O)/%.elf $(INITRD) iso/boot/grub/grub.cfg scripts/mkiso
	$(call say,ISO,$@)
	$(Q)INITRD=$(INITRD) scripts/mkiso $< $@

# Modules: scripts/Makefile.modules builds those of one directory, which lies in this tree or elsewhere.
export MODULE_CFLAGS = $(CFLAGS)
# One outside the tree continues the types of the kernel that is there: it builds none.
export BTF_BASE := $(if $(TYPES),$(if $(filter /%,$(MODULE_DIR)),$(wildcard $(O)/nop5.btf.o),$(O)/nop5.btf.o))
export MACHINE TRACED LD O V EVENT_HEADERS MODULE_FLAGS LINKED PAHOLE OBJCOPY
MODULE_NEEDS := $(MODULE_FLAGS) $(O)/Module.symvers $(TRACEPOINTS) $(RECORDMCOUNT) $(if $(filter /%,$(MODULE_DIR)),,$(BTF_BASE))
# The types of the kernel, which those of modules continue. It stays as old as they are.
$(O)/nop5.btf.o: $(O)/nop5.elf
	@cmp -s $<.btf.o $@ || cp $<.btf.o $@
modules: $(MODULE_NEEDS)
	$(if $(M),,$(error make modules M=DIR: DIR is missing))
	@RECORDMCOUNT='$(RECORDMCOUNT)' $(MAKE) --no-print-directory -f scripts/Makefile.modules M='$(MODULE_DIR)'

# The modules of modules/ in /lib/modules of the root file system, without debug information, and what
# depmod(8) says of them.
RELEASE := $(shell sed -n 's/.*UTS_LINUX_RELEASE "\(.*\)"/\1/p' kernel/boot/version.h)
MODROOT := $(O)/modroot
MODULES := $(if $(wildcard modules),$(O)/modroot.stamp)
$(O)/modroot.stamp: $(wildcard modules/*) scripts/Makefile.modules scripts/modpost $(MACHINE)/module/module.ld $(MODULE_NEEDS)
	$(Q)RECORDMCOUNT='$(RECORDMCOUNT)' $(MAKE) --no-print-directory -f scripts/Makefile.modules M=modules
	$(call say,DEPMOD,$(MODROOT))
	$(Q)rm -rf $(MODROOT) && mkdir -p $(MODROOT)/lib/modules/$(RELEASE)/kernel
	$(Q)for file in $(O)/modules/modules/*.ko; do \
		$(OBJCOPY) --strip-debug $$file $(MODROOT)/lib/modules/$(RELEASE)/kernel/$${file##*/} || exit; done
	$(Q)cd $(MODROOT)/lib/modules/$(RELEASE) && touch modules.builtin modules.builtin.modinfo && ls kernel/*.ko >modules.order
	$(Q)PATH=$$PATH:/sbin:/usr/sbin depmod -b $(MODROOT) $(RELEASE)
	@touch $@

# The programs that only nop5 has: user/NAME.c, or the files of user/NAME/.
PROGRAMS := $(patsubst user/%.c,$(O)/user/%,$(wildcard user/*.c)) $(patsubst user/%/main.c,$(O)/user/%,$(wildcard user/*/main.c))
USER_CFLAGS := -std=gnu11 -O2 -g -static -Wall -Wextra -Werror -Wno-format-truncation

define program
	@mkdir -p $(@D)
	$(call say,USERCC,$@)
	$(Q)$(MUSL_CC) $(USER_CFLAGS) -o $@ $(filter %.c,$^)
	$(Q)$(OBJCOPY) --strip-debug $@
endef

$(O)/user/%: user/%.c | $(O)/flags
	$(program)

$(O)/user/mdb: $(wildcard user/mdb/*.[ch]) | $(O)/flags
	$(program)

$(O)/user/trace-export: $(wildcard user/trace-export/*.[ch]) | $(O)/flags
	$(program)

# Programs that give eBPF to the kernel (user/bpf/): scripts/Makefile.bpf.
B ?= user/bpf
bpf-programs:
	@scripts/install-deps bpf
	@$(MAKE) --no-print-directory $(O)/nop5.elf
	@$(MAKE) --no-print-directory -f scripts/Makefile.bpf B='$(B)'

# rootfs.add remembers what ADD named, for the builds that follow.
$(O)/rootfs.add: | $(O)/flags
	@echo >$@

$(O)/rootfs.cpio: $(PROGRAMS) $(MODULES) $(O)/rootfs.add scripts/rootfs $(if $(wildcard user/rootfs),$(shell find user/rootfs)) $(wildcard $(or $(BUSYBOX),/bin/busybox))
	$(call say,ROOTFS,$@)
	$(Q)scripts/rootfs $(if $(BUSYBOX),--busybox $(BUSYBOX)) $@ $(PROGRAMS) $(if $(MODULES),$(MODROOT)) $$(cat $(O)/rootfs.add)

ifeq ($(filter iso uefi elf,$(BOOT)),)
$(error BOOT is iso, uefi or elf, not $(BOOT))
endif
export APPEND BOOT BUSYBOX CC MCOUNT MUSL_CC

# Targets that start QEMU install the missing packages first, because the build needs some of them.
BOOTED := scripts/boot --build $(O) --cpus $(CPUS) --mem $(MEM) --$(BOOT) --kernel $(KERNEL) --append "$$APPEND" $(if $(ROOTFS),--initrd $(ROOTFS))

run:
	@scripts/install-deps run
	@$(MAKE) --no-print-directory $(if $(filter nop5-test,$(KERNEL)),test-kernel,all)
	@$(BOOTED) --run

debug:
	@scripts/install-deps debug
	@$(MAKE) --no-print-directory $(if $(filter nop5-test,$(KERNEL)),test-kernel,all)
	@$(BOOTED) --debug

console:
	@scripts/boot --build $(O) --console

boot-trace:
	@scripts/install-deps run
	@$(MAKE) --no-print-directory all
	@scripts/boot-trace --build $(O) --cpus $(CPUS) -o $(O)

test check:
	@scripts/install-deps test
	@tests/run $@ $(if $(filter test,$@),$(T))

soak:
	@scripts/install-deps test tools bpf
	@SOAK='$(SOAK)' SEED='$(SEED)' tests/run soak

ftracetest: all
	@scripts/install-deps test
	@tests/ftracetest/ftracetest.py $(if $(LINUX),--linux $(LINUX)) $(TESTS)

fidelity: all
	@scripts/install-deps test
	@tests/fidelity/fidelity.py $(if $(RECORD),--record $(RECORD))

book:
	@scripts/install-deps book $(if $(filter 1,$(PDF)),pdf)
	@scripts/book/book $(if $(filter 0,$(ANSWERS)),--no-answers) $(if $(filter 1,$(PDF)),--pdf) -o $(O)/book

slides:
	@scripts/install-deps book
	@scripts/book/slides $(O)/slides

web:
	@scripts/install-deps web
	@$(MAKE) --no-print-directory all
	@web/build --build $(O) -o $(O)/web

pictures:
	@scripts/book/pictures

timeline:
	@scripts/install-deps run
	@$(MAKE) --no-print-directory $(O)/nop5.elf $(O)/rootfs.cpio
	@scripts/trace-view --build $(O) --patch $(or $(OUT),$(O)/text-patch-trace.svg)

# The shell reads these from its environment: a path may contain blanks.
LAB_OPTIONS = $(if $(VARIANT),--variant "$$VARIANT") $(if $(HIDE),--hide "$$HIDE")

lab:
	@$(if $(N),,$(error make lab N=3 DIR=NEW: N is missing))$(if $(DIR),,$(error make lab N=$(N) DIR=NEW: DIR is missing))
	@scripts/lab cut $(N) "$$DIR" $(if $(CARRY),--carry "$$CARRY") $(LAB_OPTIONS)

grade:
	@scripts/install-deps grade
	@scripts/lab grade $(N)

diagnose:
	@$(if $(N),,$(error make diagnose N=21 DIR=NEW: N is missing))$(if $(DIR),,$(error make diagnose N=$(N) DIR=NEW: DIR is missing))
	@scripts/diagnose cut $(N) "$$DIR" --variant "$$VARIANT"

autograder:
	@$(if $(N),,$(error make autograder N=3 DIR=NEW: N is missing))$(if $(DIR),,$(error make autograder N=$(N) DIR=NEW: DIR is missing))
	@scripts/lab autograder $(N) "$$DIR" $(LAB_OPTIONS)

# With -j its own make must not build at the same time what these build.
rootfs: | $(filter all test-kernel,$(MAKECMDGOALS))
	@scripts/install-deps build
	@mkdir -p $(O)
	@echo '$(ADD)' >$(O)/rootfs.add
	@$(MAKE) --no-print-directory $(O)/rootfs.cpio

compare:
	@scripts/install-deps bench
	@tests/bench/compare.py $(if $(README),--readme)

bench:
	@scripts/install-deps bench
	@tests/run bench

# A line for each feature, for each line `together`, and for what a feature replaces, for scripts/features.
print-features:
	@:$(foreach f,$(FEATURE_NAMES),$(info $f|$($f.needs)|$($f.paths)|$($f.what)))$(foreach t,$(sort $(TOGETHER)),$(info $(subst +, ,$t)|$(together.$t)))$(foreach f,$(FEATURE_NAMES),$(if $($f.replaces),$(info $f|without|$($f.replaces))))

# The features that are linked, and below them their sources and self-tests, for scripts/lab_tree.py.
print-sources:
	@:$(info $(LINKED))$(info $(SRCS) $(if $(filter programs,$(LINKED)),$(VDSO_SRCS)) $(TEST_SRCS))

features: all
	@scripts/features
	@scripts/features --arrows $(O)

help:
	@sed -n 's/^#: \?//p' Makefile | awk -v missing=' $(MISSING) ' '/^[^ ]/ { skip = index(missing, " " $$2 " ") } !skip'

clean:
	rm -rf $(O)

-include $(DEPS)
