# Commands for uprobe_events, and what programs do with probes in them. test_uprobes.py runs this in nop5, and compares the
# output with data/linux_uprobes.txt, that of Linux 6.1. OFFSET_ and a name stand for the place of a function in the program.
P=/bin/probed
A=$P:OFFSET_add
try() {
	echo > error_log
	echo "$1" >> uprobe_events 2> /tmp/error
	echo "== $1 => $(sed 's/.*: //' /tmp/error)"
	grep -v Command error_log | sed 's/^\[.*\] //'
}
first() {
	echo > uprobe_events
	try "$1"
}
entries() {
	grep -v '^#' trace | sed 's/.*: \([a-z_0-9]*: (\)/\1/'
	echo > trace
}
# on COMMAND…: defines the events, enables them, runs the program, prints entries and profile
on() {
	for command; do
		case $command in
		run*) run=${command#run } ;;
		*) echo "$command" >> uprobe_events ;;
		esac
	done
	echo "## $run"
	echo 1 > events/uprobes/enable
	$P $run
	echo 0 > events/uprobes/enable
	entries
	cat uprobe_profile
	echo > uprobe_events
}

for command in p "p /nofile:0x10" "p /bin:0x10" "p $P" "p $P:" "p $P:zz" "p $A(" "p $A(0x8138" "p $A(0x8138)x" "p $A(zz)" "p $A()" \
	"p:/ $A" "p:a- $A" "p:/a $A" "p:g-/a $A" "p $A%foo" "p $A%return" "p $A%return(0x10)" "p $A(0x8138)%return" "r $A%return" "r5 $A" \
	"p5 $A" "r10:foo $A" "p $P:0xffffff" "q $A" p:x -: - "P $A" "p $P:-5" "p rel:0x10" "p probed:0x10" "p:a/b/c $A" "p::x $A" \
	"p123:m $A" "p a b c" "p /dev/null:0" "p $A a=%ax:symbol" "p $A a=%ax:symstr" "p $A a=+u0(%ax):string" "p $A \$arg1" "r $A \$arg1" \
	"r $A %ax" "r $A \$stack1" "p $P:18446744073709551616" "p $P:99999999999" "p $P:5120" "p $A \$retval" "p $A @init_task" "p $A @+zz" \
	"p $A @zz" "p $A %foo" "p $A a=%ax:foo" "p $A +0(%ax" "p $A a=%ax:string" "p $A \$comm" "p $A \$comm:u8" "p $A %ip %ax %di" "p $P : 0x10" \
	"p $A \$stackx" "p $A a=%ax a=%bx" "p $A =%ax" "p:ev1 $A \"x" "p /bin//probed:0x10" \
	"p:012345678901234567890123456789012345678901234567890123456789012345 $A"; do
	first "$command"
	cat uprobe_events
done
first "p:e $A"
for command in "p:e $A" "p:e $A a=%ax" "p:e $P:0x1100 a=%ax" "r:e $A" "p:e $P:0x1100" "p:g $A(0x8138)" "p:i $A" "p:a1 $A a=%ax:s32" \
	"p:a1 $P:0x1100 a=%ax:u32" "p:a1 $P:0x1100 b=%ax:s32" "p:a1 $P:0x1100 a=%bx:s32" "p:a1 $P:0x1101 a=%bx:s32 b=%ax" "p:a1 $P:0x1102"; do
	try "$command"
done
cat uprobe_events dynamic_events uprobe_profile
ls events/uprobes
for command in "-:a1 $P:0x1100" -:uprobes/a1 "-:i foo" "-:e $A" "!p:i" "p:ok $A
p:bad %%
p:ok2 $A" -:uprobes/ "-:nothing"; do
	try "$command"
	cat uprobe_events
done
first "p:busy $A"
echo 1 > events/uprobes/busy/enable
(echo > uprobe_events) 2> /tmp/error || echo busy
try -:busy
echo 0 > events/uprobes/busy/enable
try "p:busy $P:OFFSET_show"
echo 1 > events/uprobes/busy/enable
$P add 1
$P show 1
entries
cat uprobe_profile
echo 0 > events/uprobes/busy/enable
echo > uprobe_events

on "p:add $A a=%di:s32 b=%si:s32" "r:addret $A v=\$retval:s32" "run add 2"
on "p:show $P:OFFSET_show name=+0(%di):string x=+0(%si):s32 ny=+4(%si):u16 pn=+0(+8(%si)):string g=@ADDRESS_greeting:string f=@+OFFSET_greeting:string
" "run show 2"
on "p:show $P:OFFSET_show c=\$comm im=\\5 bf=+0(%di):b4@2/8 arr=+0(%di):u8[3] us=+0(%di):ustring sy=+0(%di):x8 bad=@1:string bad2=@1:u32 bad3=+0(@1):string
" "run show 2"
on "r:down $P:OFFSET_down v=\$retval:s32" "p:down_in $P:OFFSET_down n=%di:s32" "run down 3"
on "r:jumps $P:OFFSET_jumps_to_add v=\$retval:s32" "r:add $A v=\$retval:s32" "run tail 5"
on "r:leap $P:OFFSET_leap" "r:down $P:OFFSET_down v=\$retval:s32" "run leap 30"
on "r:forks $P:OFFSET_forks v=\$retval:s32" "r:add $A v=\$retval:s32" "run fork 2"
on "r:raises $P:OFFSET_raises v=\$retval:s32" "r:handler $P:OFFSET_handler" "r:add $A v=\$retval:s32" "run signals 0"
echo "p:add $A a=%di:s32" > uprobe_events
echo 'a > 1' > events/uprobes/add/filter
echo 'hist:keys=a' > events/uprobes/add/trigger
cat events/uprobes/add/format | grep -v ID
ls events/uprobes/add | grep -v inject
echo 1 > events/uprobes/add/enable
$P add 4
entries
grep Hits events/uprobes/add/hist
echo '!hist:keys=a' > events/uprobes/add/trigger
echo 0 > events/uprobes/add/enable
echo "p:sem $A(OFFSET_semaphore)" > uprobe_events
cat uprobe_events
$P semaphore
echo 1 > events/uprobes/sem/enable
$P semaphore
echo 0 > events/uprobes/sem/enable
$P semaphore
echo > uprobe_events
