"""A hidden test of lab 16: all that mdb can, in one session."""
from lab16 import TARGET, Target, ends, number


def test_together(lab):
    target = Target(lab)
    deep = lab.random.randrange(3, 9)
    rounds = [step for n in range(deep) for step in (("continue", f"breakpoint at {target.place('recurse_end')}"),
                                                     ("print recursions 8", f"{target.place('recursions')}: {number(n + 1)}"))]
    session = (f"walk {deep}", [
        ("break walk_call",), ("watch leaves 8",), ("continue", f"breakpoint at {target.place('walk_call')}"),
        ("next", f"watch {target.place('leaves')}: 0 -> 1", f"at {target.place('leaf_end')}"),
        ("step", f"at {target.place('walk_register')}"), ("delete leaves",), ("break leaf_1",),
        ("next", f"breakpoint at {target.place('leaf_1')}"), ("print leaf 6", f"{target.place('leaf')}: 90 90 90 48 ff 05"),
        ("delete leaf_1",), (f"!kill -USR2 $(pidof {TARGET})",), ("break recurse_end",), ("continue", f"signal 12 at {target.place('leaf_1')}"),
        *rounds, ("continue", *ends(leaves=3, usr2=1))])
    for cpus in (1, 4):
        target.check(session, cpus=cpus)
