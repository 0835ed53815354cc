"""Fathom's bags against the packages mcap, mcap-ros2-support and rosbags of PyPI.

Random messages of every type that Fathom knows, written by them, are read equal to the bit; what Fathom writes they read,
with their CRCs. FATHOM_BAG_ECHO names the program that reads and writes.
"""
import math
import os
import pathlib
import re
import sqlite3
import struct
import subprocess
import tempfile
import unittest

import numpy as np
from bag_messages import MAVROS_BEFORE, Maker, cells, store
from mcap.reader import NonSeekingReader, SeekingReader
from mcap.writer import CompressionType, IndexType
from mcap.writer import Writer as McapWriter
from mcap_ros2.decoder import DecoderFactory
from rosbags.rosbag2 import CompressionFormat, CompressionMode, Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg

ROOT = pathlib.Path(__file__).resolve().parents[2]
USUAL = (ROOT / "fathom/log/internal/usual_messages.cpp").read_text()
TYPES = sorted({name.replace("/", "/msg/") for name in re.findall(r"^MSG: (\S+)", USUAL, re.MULTILINE)})
OLDER = ["sensor_msgs/msg/Range", *MAVROS_BEFORE]
START = 1_700_000_000_123_456_789
DATA = pathlib.Path(os.environ.get("FATHOM_DATA", ROOT / "../shared/data"))


def echo(*arguments, status=0):
    run = subprocess.run([os.environ["FATHOM_BAG_ECHO"], *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if run.returncode != status:
        raise AssertionError(f"status {run.returncode}: {run.stderr[-2000:]}")
    return run.stdout if status == 0 else run.stderr


class Echo:
    """What the program printed."""

    def __init__(self, *arguments):
        self.columns, self.rows, self.messages, self.types, self.notes, self.counts = {}, {}, {}, {}, [], {}
        for line in echo(*arguments).splitlines():
            word, _, rest = line.partition(" ")
            if word == "start":
                self.start = int(rest)
            elif word == "topic":
                topic, self_type, count = rest.split(" ")
                self.columns[topic], self.rows[topic] = [], []
                self.types[topic], self.messages[topic] = self_type, int(count)
            elif word == "column":
                self.columns[topic].append(rest)
            elif word == "row":
                name, *numbers = rest.split(" ")
                self.rows[name].append([float(x) for x in numbers])
            elif word == "counts":
                name, *numbers = rest.split(" ")
                self.counts[name] = [int(x) for x in numbers]
            elif word == "note":
                self.notes.append(rest)


def bits(x):
    return "nan" if math.isnan(x) else struct.pack("<d", x)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def messages(self, types, names, count=4, seed=1):
        """(topic, type, time, message), topics in turn."""
        makers = {name: Maker(types, name, f"{seed} {name}") for name in names}
        for k in range(count):
            for j, (name, maker) in enumerate(makers.items()):
                yield "/" + name.replace("/msg/", "/").lower(), name, START + 10_000_019 * k + 1013 * j, maker.one()

    def compare(self, got, types, messages):
        self.assertEqual(got.start, START)
        rows = {}
        for topic, name, time, message in messages:
            names, numbers = zip(("receive_time", (time - START) / 1e9), *cells(types, name, message, START))
            rows.setdefault(topic, []).append(numbers)
            self.assertEqual(got.columns[topic], list(names), topic)
            self.assertEqual(got.types[topic], name)
        self.assertEqual(set(got.rows), set(rows))
        for topic, wanted in rows.items():
            self.assertEqual(got.messages[topic], len(wanted), topic)
            self.assertEqual([list(map(bits, row)) for row in got.rows[topic]],
                             [list(map(bits, row)) for row in wanted], topic)

    def write_rosbag(self, path, types, messages, plugin=StoragePlugin.SQLITE3, little=True):
        with Writer(path, version=9, storage_plugin=plugin) as writer:
            connections = {}
            for topic, name, time, message in messages:
                if topic not in connections:
                    connections[topic] = writer.add_connection(topic, name, typestore=types)
                writer.write(connections[topic], time, types.serialize_cdr(message, name, little_endian=little))

    def write_mcap(self, path, types, messages, **options):
        with open(path, "wb") as file:
            writer = McapWriter(file, chunk_size=2000, **options)
            writer.start("ros2", "test")
            channels = {}
            for topic, name, time, message in messages:
                if topic not in channels:
                    text, _ = types.generate_msgdef(name, ros_version=2)
                    schema = writer.register_schema(name, "ros2msg", text.encode())
                    channels[topic] = writer.register_channel(topic, "cdr", schema)
                data = types.serialize_cdr(message, name)
                writer.add_message(channels[topic], time, bytes(data), time)
            writer.finish()


class Reads(Case):
    def test_db3_with_definitions(self):
        types = store()
        messages = list(self.messages(types, TYPES))
        self.write_rosbag(self.folder / "bag", types, messages)
        self.compare(Echo(self.folder / "bag"), types, messages)

    def test_db3_big_endian(self):
        types = store()
        messages = list(self.messages(types, TYPES, seed=2))
        self.write_rosbag(self.folder / "bag", types, messages, little=False)
        self.compare(Echo(self.folder / "bag"), types, messages)

    def without_definitions(self, types, names):
        messages = list(self.messages(types, names, seed=3))
        self.write_rosbag(self.folder / "bag", types, messages)
        with sqlite3.connect(next((self.folder / "bag").glob("*.db3"))) as database:
            database.execute("DROP TABLE message_definitions")
        database.close()
        self.compare(Echo(self.folder / "bag"), types, messages)

    def test_db3_by_what_is_built_in(self):
        self.without_definitions(store(), TYPES)

    def test_db3_by_what_was_before(self):
        self.without_definitions(store(Stores.ROS2_HUMBLE, MAVROS_BEFORE), OLDER)

    def test_mcap_of_rosbags(self):
        types = store()
        messages = list(self.messages(types, TYPES, seed=4))
        self.write_rosbag(self.folder / "bag", types, messages, StoragePlugin.MCAP)
        self.compare(Echo(self.folder / "bag"), types, messages)

    def test_mcap_of_every_kind(self):
        types = store()
        messages = list(self.messages(types, TYPES, seed=5))
        kinds = {kind.name: {"compression": kind} for kind in CompressionType}
        kinds |= {
            "unchunked": {"use_chunking": False},
            "no index": {"index_types": IndexType.NONE},
            "no statistics": {"use_statistics": False},
            "nothing repeated": {"repeat_channels": False, "repeat_schemas": False},
            "no summary": {"use_statistics": False, "repeat_channels": False, "repeat_schemas": False,
                           "index_types": IndexType.NONE, "use_summary_offsets": False},
            "no crc": {"enable_crcs": False},
            "data crc": {"enable_data_crcs": True},
        }
        for kind, options in kinds.items():
            with self.subTest(kind):
                path = self.folder / f"{kind}.mcap"
                self.write_mcap(path, types, messages, **options)
                self.compare(Echo(path), types, messages)

    def test_messages_compressed_one_by_one_are_told(self):
        types = store()
        writer = Writer(self.folder / "packed", version=9)
        writer.set_compression(CompressionMode.MESSAGE, CompressionFormat.ZSTD)
        with writer:
            connection = writer.add_connection("/a", "std_msgs/msg/Float64", typestore=types)
            message = types.types["std_msgs/msg/Float64"](1.0)
            writer.write(connection, START, types.serialize_cdr(message, "std_msgs/msg/Float64"))
        got = Echo(self.folder / "packed")
        self.assertEqual(got.columns["/a"], [])
        self.assertIn("28 b5 2f fd", got.notes[0])

    def test_real_bags(self):
        folders = sorted(path.parent for path in DATA.glob("rov_tank_teleop/*/*.db3"))
        if not folders:
            self.skipTest(f"recordings are not part of the repository, and {DATA} has no rov_tank_teleop: FATHOM_DATA names their folder")
        types = store(Stores.ROS2_HUMBLE)
        for folder in folders:
            got = Echo(folder)
            seen = {}
            with Reader(folder) as reader:
                for connection, time, data in reader.messages():
                    if not got.columns[connection.topic]:
                        continue
                    message = types.deserialize_cdr(data, connection.msgtype)
                    row = [(time - got.start) / 1e9]
                    row += [x for _, x in cells(types, connection.msgtype, message, got.start)]
                    seen.setdefault(connection.topic, []).append(list(map(bits, row)))
            self.assertGreater(sum(map(len, seen.values())), 300)
            for topic, rows in seen.items():
                self.assertEqual(sorted(map(str, rows)), sorted(str(list(map(bits, row))) for row in got.rows[topic]), topic)


class Writes(Case):
    NAMES = {"imu": ("p [rad/s]", "q [rad/s]", "R", "r"), "auv.wrench": ("X [N]", "K [N m]", "x 1"), "depth": ("z [m]",)}

    def write_folder(self, rows):
        draw = np.random.default_rng(1)
        data = {}
        (self.folder / "log").mkdir()
        for name, columns in self.NAMES.items():
            t = np.cumsum(draw.integers(1, 50, rows)) * 1e-3
            values = draw.normal(size=(rows, len(columns)))
            values[3, 0] = np.nan
            lines = ["# fathom log 1", f"# channel: {name}", "# frame: b", "t [s]," + ",".join(columns)]
            for time, row in zip(t, values):
                lines.append(",".join([repr(float(time))] + ["" if np.isnan(x) else repr(float(x)) for x in row]))
            (self.folder / f"log/{name}.csv").write_text("\n".join(lines) + "\n")
            data[name] = (t, values)
        return data

    def test_is_read_with_its_checks(self):
        data = self.write_folder(700)
        for compression in ("none", "lz4", "zstd"):
            path = self.folder / f"{compression}.mcap"
            echo(self.folder / "log", path, compression)
            for reader_type in (SeekingReader, NonSeekingReader):
                with self.subTest(compression, reader=reader_type.__name__), open(path, "rb") as file:
                    self.check(reader_type(file, validate_crcs=True, decoder_factories=[DecoderFactory()]), data)

    def check(self, reader, data):
        seen, last = {}, 0
        for schema, channel, message, decoded in reader.iter_decoded_messages(log_time_order=False):
            self.assertGreaterEqual(message.log_time, last)
            last = message.log_time
            stamp = decoded.stamp.sec * 10 ** 9 + decoded.stamp.nanosec
            self.assertEqual(stamp, message.log_time)
            fields = [name for name in decoded.__slots__ if name != "stamp"]
            seen.setdefault(channel.topic, []).append((stamp, [getattr(decoded, name) for name in fields], fields))
            self.assertRegex(schema.name, "^fathom_msgs/msg/(Imu|AuvWrench|Depth)$")
            self.assertEqual((channel.metadata["frame"], channel.metadata["about"]), ("b", ""))
            self.assertEqual(len(channel.metadata["columns"].splitlines()), len(fields))
            if schema.name.endswith("AuvWrench"):
                self.assertEqual(channel.metadata["columns"], "X\tN\nK\tN m\nx 1\t\n")
        self.assertEqual(set(seen), {"/" + name for name in data})
        for name, (t, values) in data.items():
            rows = seen["/" + name]
            self.assertEqual([row[0] for row in rows], [START + round(x * 1e9) for x in t])
            self.assertEqual([list(map(bits, row[1])) for row in rows], [list(map(bits, row)) for row in values.tolist()])
        self.assertEqual(seen["/imu"][0][2], ["p", "q", "r", "r_2"])
        self.assertEqual(seen["/auv.wrench"][0][2], ["x", "k", "x_1"])
        if isinstance(reader, SeekingReader):
            self.check_summary(reader.get_summary(), data)

    def check_summary(self, summary, data):
        self.assertEqual(summary.statistics.message_count, sum(len(t) for t, _ in data.values()))
        self.assertEqual(summary.statistics.chunk_count, len(summary.chunk_indexes))
        self.assertGreater(len(summary.chunk_indexes), 3)
        self.assertEqual(summary.statistics.message_start_time, START + round(min(t[0] for t, _ in data.values()) * 1e9))

    def test_rosbags_and_fathom_read_it_too(self):
        data = self.write_folder(50)
        path = self.folder / "run.mcap"
        echo(self.folder / "log", path, "zstd")
        with Reader(path) as reader:
            types = store()
            for connection in reader.connections:
                types.register(get_types_from_msg(connection.msgdef.data, connection.msgtype))
            seen = {connection.topic: [] for connection in reader.connections}
            for connection, _, raw in reader.messages():
                message = types.deserialize_cdr(raw, connection.msgtype)
                seen[connection.topic].append([x for _, x in cells(types, connection.msgtype, message, 0)][1:])
        got = Echo(path)
        first = min(round(t[0] * 1e9) for t, _ in data.values())
        self.assertEqual(got.start, START + first)
        for name, (t, values) in data.items():
            rows = got.rows["/" + name]
            self.assertEqual([list(map(bits, row)) for row in seen["/" + name]],
                             [list(map(bits, row)) for row in values.tolist()])
            self.assertEqual([list(map(bits, row[2:])) for row in rows], [list(map(bits, row)) for row in values.tolist()])
            self.assertEqual([row[1] for row in rows], [(round(x * 1e9) - first) / 1e9 for x in t])
            self.assertEqual([row[0] for row in rows], [row[1] for row in rows])


class Refuses(Case):
    def test_every_cut(self):
        types = store()
        messages = list(self.messages(types, ["sensor_msgs/msg/Imu", "std_msgs/msg/Float64"], count=30))
        path, cut = self.folder / "a.mcap", self.folder / "cut.mcap"
        self.write_mcap(path, types, messages, compression=CompressionType.LZ4)
        whole = path.read_bytes()
        for size in range(100, len(whole), 397):
            cut.write_bytes(whole[:size])
            text = echo(cut, status=2)
            self.assertRegex(text, "is truncated: its end is missing, [0-9]+ whole messages")
            count = int(re.search("([0-9]+) whole messages", text).group(1))
            if count:
                got = Echo(cut, "whole")
                self.assertEqual(sum(map(len, got.rows.values())), count)
                self.assertIn("is truncated", got.notes[0])

    def test_a_flipped_bit(self):
        types = store()
        messages = list(self.messages(types, ["sensor_msgs/msg/Imu"], count=30))
        path = self.folder / "a.mcap"
        for kind in CompressionType:
            self.write_mcap(path, types, messages, compression=kind)
            whole = bytearray(path.read_bytes())
            whole[len(whole) // 4] ^= 16
            path.write_bytes(whole)
            self.assertRegex(echo(path, status=2), "is damaged at byte [0-9]+: a (chunk|record)")

    def test_db3(self):
        types = store()
        messages = list(self.messages(types, ["nav_msgs/msg/Odometry"], count=200))
        self.write_rosbag(self.folder / "bag", types, messages)
        path = next((self.folder / "bag").glob("*.db3"))
        whole = path.read_bytes()
        for share in (0.2, 0.45, 0.6, 0.75, 0.9, 0.999):
            path.write_bytes(whole[:int(share * len(whole))])
            self.assertRegex(echo(self.folder / "bag", status=2), "is truncated: it has [0-9]+ of [0-9]+ bytes")
            got = Echo(self.folder / "bag", "whole")
            self.assertIn("is truncated", got.notes[0])
            count = len(got.rows["/nav_msgs/odometry"])
            self.assertGreater(count, share * 200 - 40)
            self.compare(got, types, messages[:count])

    def test_db3_that_was_written_with_a_log(self):
        types = store()
        messages = list(self.messages(types, ["nav_msgs/msg/Odometry"], count=20))
        self.write_rosbag(self.folder / "bag", types, messages)
        path = next((self.folder / "bag").glob("*.db3"))
        database = sqlite3.connect(path)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("DELETE FROM messages WHERE id = 20")
        database.commit()
        self.assertIn("lacks what is still in bag.db3-wal", echo(self.folder / "bag", status=2))
        self.compare(Echo(self.folder / "bag", "whole"), types, messages)
        database.close()
        self.compare(Echo(self.folder / "bag"), types, messages[:19])


if __name__ == "__main__":
    unittest.main()
