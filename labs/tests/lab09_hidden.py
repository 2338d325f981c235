"""A hidden test of lab 9: the virtual time of a task is exactly its time, scaled by its weight."""
from lab09 import charges_in, trace, work
from lab_test import expect

WEIGHTS = {-20: 88761, -10: 9548, -5: 3121, 5: 335, 10: 110, 19: 15}


def test_weights(lab):
    nice, weight = lab.random.choice(sorted(WEIGHTS.items()))
    text = trace(lab, f"taskset -c 1 sh -c 'renice -n {nice} $$; echo weighty > /proc/self/comm; {work(20000)}'", event="sched_stat_runtime")
    charges = charges_in(text, "weighty")
    expect(len(charges) > 3, "a busy task to be charged for its time", f"{len(charges)} charges")
    for (_, _, before, _), (_, _, after, ran) in zip(charges, charges[1:]):
        scaled = ran * 1024 // weight
        expect(abs(after - before - scaled) <= scaled // 1000 + 1,
               f"{scaled} ns of virtual time for {ran} ns of a task with nice {nice}", f"{after - before} ns")
