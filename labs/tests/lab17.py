"""The tests of lab 17: a queue, a lock for NMIs, a list of free elements, a hash table without locks, a clock."""
import re

from lab_test import expect


def test_boots(lab):
    release, = lab.boot("uname -s")
    expect(release.text.strip() == "Linux", "`uname -s` to print Linux", release.text)


def seen_by(lab, step, sanitize=True):
    """What lab17_maps has seen. Without the sanitizers there are fewer instructions to interrupt."""
    program = lab.host_program("lab17_maps.c", options=("-DHOST_CPUS", "-pthread"), sanitize=sanitize)
    text = lab.run(program, step, check=f"lab17_maps {step} to end, and to touch no foreign memory").stdout
    return {word: int(number) for word, number in re.findall(r"(\w+) (\d+)", text)}


def test_queue(lab):
    for step, order in (("queue", "oldest"), ("stack", "newest")):
        wrong = seen_by(lab, step)["wrong"]
        expect(wrong == 0, f"a {step} of 5 values, 24 bytes each, to give the {order} one first, to refuse a sixth one without BPF_EXIST, and to give 0 when it is empty",
               f"{wrong} wrong answers")


def test_lock(lab):
    seen = seen_by(lab, "lock")
    expect(seen["locked"] and seen["free_one"], "a free lock to be taken, also by a CPU that holds another one", seen)
    expect(seen["interrupts_off"] and seen["still_off"] and seen["on_again"], "interrupts to be off while a lock is held, and only then", seen)
    expect(not seen["second_try"], "a CPU that holds the lock itself to get false", "true")
    expect(not seen.get("nmi_waits"), "an NMI at any instruction of bpf_lock() and bpf_unlock() to get an answer", "one that waits for its own CPU")
    expect(seen["nmis"] > 10, "NMIs while the lock is taken and freed", seen["nmis"])
    expect(not seen["foreign_one"], "a CPU that holds a lock not to wait for another CPU", "it waited")
    expect(seen["waited"], "a CPU that holds no lock to wait for one", "it gave up")


def test_pool(lab):
    seen = seen_by(lab, "pool")
    expect(seen["elements"] == 6 and not seen["twice"], "6 elements in a pool of 6, each once", seen)
    expect(not seen["both"], "an element that an NMI takes, while another one is given back, not to be in the pool any more", f"{seen['both']} that are")
    expect(seen["left"] == 6, "6 elements again after they were given back", seen["left"])
    expect(not seen["same"], "top never to hold a value that it had before", f"{seen['same']} pairs of equal values")


def test_hash(lab):
    seen = seen_by(lab, "hash")
    expect(not seen["wrong"], "each key with the value that was stored last, and no key that was deleted", f"{seen['wrong']} wrong answers")
    expect(seen["used"] and seen["walked"] == seen["used"], f"get_next_key() to find {seen['used']} keys", seen["walked"])


def test_readers(lab):
    seen = seen_by(lab, "reader", sanitize=False)
    expect(not seen.get("nmi_waits"), "a reader that finds the end of its list, also in an NMI", "one that goes round for ever")
    missed = seen["missed"]
    expect(missed == 0, "a reader to find each key that stays in the map while others come and go", f"{missed} keys that it did not find")


def test_clock(lab):
    seen = seen_by(lab, "lru")
    expect(not seen.get("nmi_waits"), "a search in a map without an element to end", "none after 2 s")
    expect(not seen["found_in_an_empty_map"], "a search in a map whose keys were all deleted to find none", "an element")
    expect(not seen["refused_in_use"], "a full LRU map to take a new key although all others are in use", f"{seen['refused_in_use']} of 3 refused")
    expect(not seen["refused_at_first"] and not seen["refused"], "a full LRU map to take each new key", f"{seen['refused']} refused")
    expect(not seen["lost"], "keys that are in use to stay", f"{seen['lost']} look-ups of them that failed")
    expect(not seen["stale"], "keys that were used once, three turns of the hand ago, to be gone", f"{seen['stale']} of them")
    expect(seen["there"] == seen["counted"] == 100, "100 keys in a map of 100, and as many counted", seen)


def test_nmi(lab):
    for kind in ("hashes", "per_cpu_hashes", "lru_hashes"):
        lab.selftest(f"bpf_maps.{kind}_count_in_nmis")
