"""The receiving end of nop5's export protocol (docs/trace-export.md).

The line may lose or damage frames. The receiver acknowledges undamaged frames in their order and keeps them in a
journal. So a transfer can continue after either side was interrupted.
"""
import os
import select
import socket
import struct
import time
import zlib
from dataclasses import dataclass

HEADER = struct.Struct("<4sBBHIIIII")
MAGIC = b"N5EX"
VERSION = 2
PAYLOAD_MAX = 16384
HELLO, FILE, PAGES, END, BYE, OUTPUT, FILES = 1, 2, 3, 4, 5, 6, 7
LINE_MAX = 1000  # bytes of a request
DEFLATED, FIRST = 1, 2
SAY_MAX = 1024  # bytes of answers that may wait to be sent
ACK_EVERY = 8  # frames; also acknowledged when the line is silent. Each answer costs the machine an interrupt and more
HOPELESS = 10  # repeats of the same later frame that show that the sender does not have the requested frame any more
READ_MAX = 1 << 20
SOCKET_PAUSE = 0.00002  # seconds between reads of a socket, which has room for 277 of QEMU's single-byte writes
PIPE_PAUSE = 0.001  # seconds between reads of a FIFO, which has room for 65,536
GATHER = 0.005  # seconds of a stream that are handled together
SILENCE = 0.5  # seconds without a frame after which the receiver repeats its request


class Broken(Exception):
    """The transfer cannot continue; the text is the reason."""


@dataclass
class Frame:
    type: int
    flags: int
    cpu: int
    session: int
    sequence: int
    payload: bytes
    wire: bytes  # the whole frame as received


def fields(payload):
    """Parses the KEY=VALUE lines of a HELLO or END."""
    lines = payload.decode("utf-8", "replace").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def files(frame):
    """Yields (name, whether the file begins here, bytes) of each file in a frame; of other frames nothing."""
    if frame.type == FILE:
        name, _, data = frame.payload.partition(b"\0")
        yield name.decode("utf-8", "replace"), bool(frame.flags & FIRST), data
    rest = frame.payload if frame.type == FILES else b""
    while rest:
        name, _, rest = rest.partition(b"\0")
        end = 4 + int.from_bytes(rest[:4], "little")
        if end > len(rest):
            raise Broken(f"frame {frame.sequence} has a good checksum but ends within a file")
        yield name.decode("utf-8", "replace"), True, rest[4:end]
        rest = rest[end:]


class Scanner:
    """Finds the frames in a stream of bytes. Skips and counts all other bytes."""

    def __init__(self):
        self.pending = bytearray()
        self.skipped = 0  # bytes
        self.damaged = 0  # frames
        # The rest of the incomplete frame may be lost, or late, from a slow machine. A whole frame behind its magic shows that it
        # is lost. Without a doubt, such a frame is a part of the payload.
        self.doubted = False

    def drop(self, count):
        self.skipped += count
        del self.pending[:count]

    def doubt(self):
        """Nothing came for a while. The sender repeats frames on a request."""
        self.doubted = self.pending.startswith(MAGIC)

    def feed(self, data):
        """Yields each undamaged frame that data completes."""
        self.pending += data
        while True:
            at = self.pending.find(MAGIC)
            if at:
                # Keeps the last bytes, which may be the beginning of a magic.
                keep = 0 if at > 0 else min(len(self.pending), len(MAGIC) - 1)
                self.drop(at if at > 0 else len(self.pending) - keep)
                if at < 0:
                    return
            length = self.length(0)
            if length is None:
                later = self.later_frame() if self.doubted else 0
                if not later:
                    return
                self.damaged += 1
                self.drop(later)
                continue
            self.doubted = False
            if not length:
                self.damaged += 1
                self.drop(len(MAGIC))
                continue
            wire = bytes(self.pending[:length])
            del self.pending[:length]
            yield frame_of(wire)

    def length(self, at):
        """The bytes of the frame at a magic. None: its rest has not come yet; 0: it is damaged."""
        header = bytes(self.pending[at:at + HEADER.size])
        if len(header) < HEADER.size:
            return None
        _, kind, _, _, _, _, wire, raw, crc = HEADER.unpack(header)
        if not HELLO <= kind <= FILES or wire > raw or raw > PAYLOAD_MAX:
            return 0
        end = at + HEADER.size + wire
        if len(self.pending) < end:
            return None
        body = bytes(self.pending[at + HEADER.size:end])
        return HEADER.size + wire if zlib.crc32(body, zlib.crc32(header[:-4])) == crc else 0

    def later_frame(self):
        """The place of a whole frame behind the magic of the first one, or 0."""
        at = 0
        while (at := self.pending.find(MAGIC, at + 1)) > 0:
            if self.length(at):
                return at
        return 0


def frame_of(wire):
    """The frame of its undamaged bytes."""
    _, kind, flags, cpu, session, sequence, _, raw, _ = HEADER.unpack(wire[:HEADER.size])
    payload = wire[HEADER.size:]
    if flags & DEFLATED:
        inflate = zlib.decompressobj(-15)
        try:
            payload = inflate.decompress(payload, raw + 1)
        except zlib.error as error:
            raise Broken(f"frame {sequence} has a good checksum but does not decompress: {error}")
    if len(payload) != raw:
        raise Broken(f"frame {sequence} says {raw} bytes and has {len(payload)}")
    return Frame(kind, flags, cpu, session, sequence, payload, wire)


def with_crc(text):
    return text + b" %x\n" % zlib.crc32(text)


def line(word, session, sequence):
    return with_crc(f"{word} {session:x} {sequence:x}".encode())


def request(word, session, command):
    """A request to `trace-export -l` to run a command ("run"), and to send its trace ("record"), in this session."""
    text = f"{word} {session:x} {command}".encode()
    if b"\n" in text or len(text) > LINE_MAX:
        raise Broken(f"a command on that machine has one line of {LINE_MAX - 20} bytes at most")
    return with_crc(text)


class Receiver:
    """One transfer. `journal` is a file opened "a+b"; its contents are frames that have arrived before.

    `expected` is the only session that is received; 0: any session. print_output gets the output of a command.
    """

    def __init__(self, journal, expected=0, print_output=None):
        self.journal = journal
        self.expected = expected
        self.print_output = print_output
        self.scanner = Scanner()
        self.session = 0
        self.wanted = 0  # the sequence number of the next frame
        self.hello = {}
        self.end = None  # the END frame's fields
        self.bye = False  # the machine knows that all frames have arrived
        self.names = set()  # names of the files that have arrived, at least in part
        self.page_bytes = 0  # of sub-buffers
        self.bytes = 0  # of payload
        self.duplicates = 0
        self.gap_told = None  # the number of the frame that was requested again
        self.owed = 0  # accepted frames that are not acknowledged yet
        self.out_of_order = (None, 0)  # a frame that came too early, and its number of repeats
        self.strange = (None, 0)  # a frame of another receiver's transfer, and its number of repeats
        self.stopping = False
        self.last_heard = time.monotonic()
        self.replay()

    @property
    def pages(self):
        """The number of whole sub-buffers that have arrived. A large one needs several frames."""
        return self.page_bytes // int(self.hello.get("page_size", "4096"))

    def replay(self):
        self.journal.seek(0)
        good, scanner = 0, Scanner()
        while data := self.journal.read(1 << 20):
            for frame in scanner.feed(data):
                if frame.sequence != self.wanted or (self.session and frame.session != self.session):
                    break
                self.accept(frame, False)
                good += len(frame.wire)
        self.journal.truncate(good)  # removes a frame that was not written completely
        self.journal.seek(0, os.SEEK_END)

    def accept(self, frame, keep=True):
        if frame.type == HELLO:
            hello = fields(frame.payload)
            if hello.get("version") != str(VERSION):
                raise Broken(f"the machine speaks version {hello.get('version', '?')} of the export protocol; "
                             f"this program knows version {VERSION}")
            self.hello = hello
            self.session = frame.session
        elif frame.type == PAGES:
            self.page_bytes += len(frame.payload)
        elif frame.type == END:
            self.end = fields(frame.payload)
        elif frame.type == OUTPUT and keep and self.print_output:
            self.print_output(frame.payload)
        self.names.update(name for name, _, _ in files(frame))
        self.bytes += len(frame.payload)
        self.wanted = (frame.sequence + 1) & 0xffffffff
        if keep:
            self.journal.write(frame.wire)

    def forget(self):
        self.journal.truncate(0)
        self.session = self.wanted = self.page_bytes = self.bytes = 0
        self.hello, self.end, self.names = {}, None, set()

    def count_strange(self, frame):
        """Counts a frame of a transfer without its beginning, which was lost or went to another receiver."""
        self.strange = (frame, self.strange[1] + 1 if self.strange[0] == frame else 0)
        if self.strange[1] == HOPELESS and not self.expected:
            raise Broken("the beginning of this transfer was sent to another receiver")

    def receive(self, data):
        """Handles bytes from the line. Returns the answer to send."""
        answer, damaged = b"", self.scanner.damaged
        if data:
            self.last_heard = time.monotonic()
        for frame in self.scanner.feed(data):
            if self.expected not in (0, frame.session):
                continue
            if frame.session != self.session:
                if frame.type != HELLO or frame.sequence:
                    # This transfer began before the receiver. On a request the machine begins again if it still
                    # can. Else it repeats the oldest frame that it has.
                    if self.session == 0:
                        self.count_strange((frame.session, frame.sequence))
                        answer = line("ready", frame.session, 0)
                    continue
                if self.session and self.wanted and self.end is None:
                    raise Broken("the machine has given this transfer up and begins another one")
                self.forget()
            if frame.type == BYE:
                self.bye = frame.sequence == self.wanted
                continue
            ahead = (frame.sequence - self.wanted) & 0xffffffff
            if ahead == 0:
                self.accept(frame)
                self.gap_told = None
                self.owed += 1
                if self.owed >= ACK_EVERY or frame.type in (HELLO, END):
                    answer = self.ack()
            elif ahead < 0x80000000:
                self.out_of_order = (frame.sequence, self.out_of_order[1] + 1
                                     if self.out_of_order[0] == frame.sequence else 0)
                if self.out_of_order[1] == HOPELESS:
                    raise Broken(f"frame {self.wanted} was received before and is not here: "
                                 "the beginning of this transfer is lost")
                if self.gap_told != self.wanted:
                    self.gap_told = self.wanted
                    answer = line("ready", self.session, self.wanted)
            else:
                self.duplicates += 1
                answer = self.ack()
        if self.scanner.damaged != damaged and self.session and self.gap_told != self.wanted:
            self.gap_told = self.wanted
            answer = line("ready", self.session, self.wanted)
        if not data and self.owed:
            answer = self.ack()
        if answer:
            self.journal.flush()  # before the acknowledgement, after which the machine drops the frames
        return answer + (self.stop_line() if answer else b"")

    def ack(self):
        self.owed = 0
        return line("ack", self.session, self.wanted)

    def stop_line(self):
        return line("stop", self.session, 0) if self.stopping and self.session and not self.end else b""

    def ready(self):
        """The lines to send after the line was connected again, or was silent."""
        self.gap_told = None
        self.scanner.doubt()
        return (line("ready", self.session, self.wanted) if self.session else b"") + self.stop_line()


class Line:
    """The other end of the machine's second serial port: QEMU's pipe or socket."""

    def __init__(self, read_fd, write_fd, pause):
        self.read_fd, self.write_fd, self.pause = read_fd, write_fd, pause
        self.unsent = b""
        os.set_blocking(read_fd, False)
        os.set_blocking(write_fd, False)

    @classmethod
    def pipe(cls, path):
        """Opens the FIFOs of `-chardev pipe,path=PATH`, which must exist. QEMU writes single bytes. A pause before a
        read collects many of them, and does not slow the machine."""
        read_fd = os.open(path + ".out", os.O_RDONLY | os.O_NONBLOCK)
        return cls(read_fd, os.open(path + ".in", os.O_RDWR), PIPE_PAUSE)

    @classmethod
    def socket(cls, path):
        link = socket.socket(socket.AF_UNIX)
        link.connect(path)
        fd = link.detach()
        return cls(fd, fd, SOCKET_PAUSE)

    def read(self, timeout):
        """Reads bytes. b"": nothing came; None: the machine has closed the line."""
        ready, _, _ = select.select([self.read_fd], [], [], timeout)
        if not ready:
            return b""
        return self.gather()

    def gather(self):
        """Reads until the line pauses, with a pause before each read. None: the machine has closed the line."""
        data, end = bytearray(), time.monotonic() + GATHER
        while len(data) < READ_MAX and time.monotonic() < end:
            time.sleep(self.pause)
            try:
                piece = os.read(self.read_fd, READ_MAX)
            except BlockingIOError:
                break
            except ConnectionResetError:
                piece = b""
            if not piece:
                return bytes(data) or None
            data += piece
        return bytes(data)

    def write(self, data):
        """Sends data. Never waits, because the two sides could wait for each other. Drops data when there is no room; the
        protocol repeats it."""
        if len(self.unsent) < SAY_MAX:
            self.unsent += data
        try:
            while self.unsent:
                self.unsent = self.unsent[os.write(self.write_fd, self.unsent):]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.unsent = b""  # read() reports the end

    def close(self):
        os.close(self.read_fd)
        if self.write_fd != self.read_fd:
            os.close(self.write_fd)


def finished(receiver):
    """True when no more frames will come. The machine's BYE may be lost; then silence after END means the same."""
    return receiver.bye or receiver.end and time.monotonic() - receiver.last_heard > 2 * SILENCE


def pump(link, receiver, timeout=0.05):
    """Handles the bytes that come within timeout. False when the machine has closed the line."""
    data = link.read(timeout)
    if data is None:
        return False
    answer = receiver.receive(data)
    if not data and not receiver.end and time.monotonic() - receiver.last_heard > SILENCE:
        receiver.last_heard = time.monotonic()
        answer += receiver.ready()
    if answer:
        link.write(answer)
    return True
