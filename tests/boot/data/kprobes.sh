# Events of kprobes: their files, their entries, and how they are removed. test_kprobe_events.py runs this in nop5, and
# compares the output with data/linux_kprobes.txt, that of Linux 6.1. `read 200` is one call of vfs_read with that size.
x() {
	echo "## $1"
	eval "$1" 2>&1
}
# record COMMAND: defines an event, and prints the entries of calls that read 200 bytes
record() {
	echo "## $1"
	echo "$1" > kprobe_events
	echo > trace
	echo 'c==200' > events/kprobes/e/filter
	echo 1 > events/kprobes/e/enable
	dd if=/dev/zero of=/dev/null bs=200 count=1 2> /dev/null
	echo 0 > events/kprobes/e/enable
	grep -v '^#' trace | sed 's/.*: \(e: (\)/\1/'
}
x 'echo "p:e vfs_read \$arg1 \$arg2 %di %si %ax:u8 +0(\$arg1):string +0(\$arg1):ustring \$comm \5 \\\"abc\" \$arg1:symbol \$arg1:symstr +0(\$arg1):x16[3] +0(\$arg1):string[2] %ax:b3@2/16 +0(\$arg1):s8[2] \$stack \$stack0 %ax:s32 %ax:s64 %ax:u64 %ax:u32 %ax:x32 %ax:x64 %ax:x8 +0(%ax):symbol[2] +0(%ax):b1@1/8[2]" > kprobe_events'
x 'tail -n +3 events/kprobes/e/format'
x 'echo "r:e vfs_read \$retval \$retval:s32" > kprobe_events; tail -n +3 events/kprobes/e/format'
x 'echo "p:e vfs_read" > kprobe_events; tail -n +3 events/kprobes/e/format'
x 'ls events/kprobes; stat -c %a kprobe_events kprobe_profile dynamic_events'
record 'p:e vfs_read c=$arg3 s=%dx:s8 u=%dx:u8 x=%dx:x8 w=%dx:u16 v=%dx:s64 b=%dx:b4@4/8'
record 'p:e vfs_read+5 c=%dx'
record 'p:e vfs_read c=$arg3 a=\0xfedcba9876543281 b=\0xfedcba9876543281:x8 i=\0xfedcba9876543281:s8 d=\0xfedcba9876543281:u16 e=\0xfedcba9876543281:s16 f=\0xfedcba9876543281:s32 g=\0xfedcba9876543281:u32'
record 'p:e vfs_read c=$arg3 h=\0xfedcba9876543281:x32 i=\0xfedcba9876543281:s64 j=\0xfedcba9876543281:u64 k=\0xfedcba9876543281:b4@4/8 l=\0xfedcba9876543281:b4@4/16 m=\0xfedcba9876543281:b63@1/64'
record 'p:e vfs_read c=$arg3 n=\0xfedcba9876543281:b64@0/64 o=\0xfedcba9876543281:b12@20/32 p=\0xfedcba9876543281:symbol q=\-5:x16'
record 'p:e vfs_read c=$arg3 t=$comm u=$COMM:string q=\"a_b":string r=\"" w=\"x"'
# Linux prints what the memory of the record held, where a single integer faults: only strings and nested ones are compared.
record 'p:e vfs_read c=$arg3 f=+0(\0):string k=\0:string v=+0(+0(\0)):string w=+0(+0(\0)):u8[2] z=+u0(\0):string s=+0(+0(\0)):s32'
record 'p:e vfs_read c=$arg3 far=$stack2048'
record 'r:e vfs_read c=$retval $retval:u8 r=$retval:s32 comm=$comm'
x 'echo "p:a vfs_read" > kprobe_events; echo "p:a vfs_open" >> kprobe_events; echo 1 > events/kprobes/a/enable'
x 'echo > kprobe_events'
x 'echo -:a vfs_open >> kprobe_events; cat kprobe_events'
x 'echo -:a >> kprobe_events'
x 'echo "p:a vfs_write" >> kprobe_events; echo hello > /tmp/x; wc -l < kprobe_profile; grep -c " 0 *0$" kprobe_profile'
x 'echo 0 > events/kprobes/a/enable; echo "hist:keys=__probe_ip" > events/kprobes/a/trigger; echo > kprobe_events'
x 'echo "!hist:keys=__probe_ip" > events/kprobes/a/trigger; mkdir instances/i; echo 1 > instances/i/events/kprobes/a/enable; echo -:a >> kprobe_events; ls instances/i | grep probe; ls instances/i/events/kprobes'
x 'cat events/kprobes/a/enable; echo 0 > instances/i/events/kprobes/a/enable; echo > kprobe_events; ls -d instances/i/events/kprobes; rmdir instances/i'
x 'echo "p:a vfs_read" > kprobe_events; echo "e:x kprobes.a" >> dynamic_events; tail -n 2 error_log'
x 'echo "p:g/a vfs_read" > kprobe_events; echo "p:g/b vfs_write" >> kprobe_events; echo "p:c vfs_open" >> kprobe_events; echo -:g/ >> kprobe_events; cat dynamic_events'
x 'echo "s:syn u64 x" >> dynamic_events; echo "e:ep sched.sched_switch p=\$prev_pid" >> dynamic_events; echo "!p:c" >> dynamic_events; cat dynamic_events; echo > kprobe_events; cat dynamic_events; echo > dynamic_events; cat dynamic_events'
x 'printf "p:l1 vfs_read\np:l2 vfs_foo\np:l3 vfs_read\n" >> kprobe_events; cat kprobe_events'
x 'printf "# nothing\n\n  p:l4 vfs_write # text\n" >> kprobe_events; cat kprobe_events'
x '{ printf "p:many vfs_read "; for i in $(seq 129); do printf "a$i=%%ax "; done; echo; } > /tmp/many; cat /tmp/many > kprobe_events; wc -w < kprobe_events'
echo > dynamic_events
