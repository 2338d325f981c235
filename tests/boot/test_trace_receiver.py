"""The receiver of the trace-export protocol, without a machine: its input is damaged, lost, doubled or invented."""
import io
import zlib

import hypothesis
import pytest
from hypothesis import strategies

import exporting
from exporting import HELLO, frame, trace_link


def test_a_machine_of_another_version_is_refused(tmp_path):
    with open(tmp_path / "part", "w+b") as journal, pytest.raises(trace_link.Broken, match="version 3"):
        trace_link.Receiver(journal).receive(frame(trace_link.HELLO, 0, b"version=3\n"))


def test_frames_are_found_in_any_pieces_and_between_rubbish(tmp_path):
    stream = b"login: " + HELLO + b"N5EXrubbish N5" + frame(trace_link.FILE, 1, b"a\0b", flags=2) + b"N5EX" * 9 + \
        frame(trace_link.END, 2, b"status=complete\n")
    for size in (1, 2, 7, len(stream)):
        with open(tmp_path / "part", "w+b") as journal:
            receiver = trace_link.Receiver(journal)
            for at in range(0, len(stream), size):
                receiver.receive(stream[at:at + size])
            assert receiver.end == {"status": "complete"} and receiver.scanner.damaged
            assert exporting.trace_dat.Transfer(journal).files == {"a": b"b"}


def test_the_rest_of_a_frame_may_come_late_or_never():
    """After a silence the receiver asks again. The machine was slow and sends the rest, or repeats the frame."""
    wire = frame(trace_link.FILE, 1, b"a\0" + bytes(range(256)) * 4, flags=2)
    for half, damaged in (wire[500:], 0), (wire, 1):
        receiver = trace_link.Receiver(io.BytesIO())
        receiver.receive(HELLO + wire[:500])
        assert receiver.ready().startswith(b"ready 5 1 ")
        receiver.receive(half)
        assert (receiver.wanted, receiver.scanner.damaged, receiver.scanner.skipped) == (2, damaged, 500 * damaged)


def test_a_frame_in_the_payload_of_a_frame_that_comes_in_pieces_is_payload():
    wire = frame(trace_link.FILE, 1, b"a\0" + frame(trace_link.END, 1, b"status=false\n") + bytes(1000), flags=2)
    receiver = trace_link.Receiver(io.BytesIO())
    receiver.receive(HELLO)
    receiver.ready()  # between two frames
    receiver.receive(wire[:500])
    receiver.receive(wire[500:])
    assert receiver.names == {"a"} and receiver.end is None and not receiver.scanner.damaged


FILES = 12
STREAM = [HELLO, *(frame(trace_link.FILE, 1 + i, b"f%d\0" % i + bytes([i]) * 50, flags=2) for i in range(FILES)),
          frame(trace_link.FILES, 1 + FILES, b"".join(b"g%d\0" % i + i.to_bytes(4, "little") + b"g" * i for i in range(FILES))),
          frame(trace_link.END, 2 + FILES, b"status=complete\n"), frame(trace_link.BYE, 3 + FILES, b"")]

# Damages of a stream: bytes are changed, lost, doubled or invented; frames are repeated, or are of another transfer.
DAMAGE = strategies.one_of(
    strategies.tuples(strategies.just("bytes"), strategies.integers(0, 2000), strategies.integers(0, 40),
                      strategies.binary(max_size=40)),
    strategies.tuples(strategies.just("frame"), strategies.integers(0, 2000), strategies.just(0),
                      strategies.sampled_from(STREAM)),
    strategies.tuples(strategies.just("stranger"), strategies.integers(0, 2000), strategies.just(0),
                      strategies.builds(frame, strategies.integers(0, 8), strategies.integers(0, 40),
                                        strategies.binary(max_size=30), session=strategies.integers(6, 9),
                                        flags=strategies.sampled_from([0, 2]))))


def damaged(stream, damages):
    bad = bytearray(stream)
    for _, at, lost, invented in damages:
        at = min(at, len(bad))
        bad[at:at + lost] = invented
    return bytes(bad)


@hypothesis.settings(max_examples=400, derandomize=True, database=None, deadline=None)
@hypothesis.given(strategies.lists(DAMAGE, max_size=12), strategies.integers(1, 400))
def test_the_receiver_of_a_damaged_stream_takes_only_whole_frames_in_order_and_recovers(damages, piece):
    """Broken is the only error. The received data is a beginning of the sent data. Sending the rest again completes it."""
    receiver = trace_link.Receiver(io.BytesIO(), expected=5)
    bad = damaged(b"".join(STREAM), damages)
    for at in range(0, len(bad), piece):
        for said in receiver.receive(bad[at:at + piece]).splitlines():
            text, _, crc = said.rpartition(b" ")
            assert int(crc, 16) == zlib.crc32(text) and text.split()[0] in (b"ack", b"ready")
    receiver.journal.seek(0)
    kept = receiver.journal.read()
    assert kept == b"".join(STREAM[:receiver.wanted])
    again = trace_link.Receiver(receiver.journal, expected=5)
    assert (again.wanted, again.names, again.end) == (receiver.wanted, receiver.names, receiver.end)
    for _ in range(3):
        receiver.ready()
        receiver.receive(b"".join(STREAM[receiver.wanted:]))
    assert receiver.end == {"status": "complete"} and receiver.bye
    files = exporting.trace_dat.Transfer(receiver.journal).files
    assert files == {**{f"f{i}": bytes([i]) * 50 for i in range(FILES)}, **{f"g{i}": b"g" * i for i in range(FILES)}}


@hypothesis.settings(max_examples=400, derandomize=True, database=None, deadline=None)
@hypothesis.given(strategies.lists(strategies.builds(
    frame, strategies.integers(0, 8), strategies.integers(0, 5), strategies.one_of(
        strategies.binary(max_size=60), strategies.sampled_from([b"version=2\n", b"version=2\npage_size=x\n", b"version=3\n", b"a\0\1\0\0\0xb\0\0\0\0\0"])),
    session=strategies.integers(0, 2), flags=strategies.integers(0, 3), raw=strategies.integers(0, 70)), max_size=12))
def test_frames_that_are_whole_but_senseless_are_refused_with_a_reason(frames):
    receiver = trace_link.Receiver(io.BytesIO())
    try:
        for wire in frames:
            receiver.receive(wire)
        trace_link.Receiver(receiver.journal)
        exporting.trace_dat.Transfer(receiver.journal)
    except trace_link.Broken as error:
        assert str(error)
