"""Random messages of ROS 2 by rosbags' definitions, and the rows that Fathom should make of them."""
import random
import struct

import numpy as np
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.base import Nodetype

# Fields of mavros' messages; rosbags has none of them.
MAVROS = {
    "mavros_msgs/msg/RCIn": "std_msgs/Header header\nuint8 rssi\nuint16[] channels\n",
    "mavros_msgs/msg/RCOut": "std_msgs/Header header\nuint16[] channels\n",
    "mavros_msgs/msg/OverrideRCIn": "uint8 CHAN_RELEASE=0\nuint16 CHAN_NOCHANGE=65535\nuint16[18] channels\n",
    "mavros_msgs/msg/ManualControl":
        "std_msgs/Header header\nfloat32 x\nfloat32 y\nfloat32 z\nfloat32 r\nuint16 buttons\nuint16 buttons2\n"
        "uint8 enabled_extensions\nfloat32 s\nfloat32 t\nfloat32 aux1\nfloat32 aux2\nfloat32 aux3\nfloat32 aux4\n"
        "float32 aux5\nfloat32 aux6\n",
}
MAVROS_BEFORE = {
    "mavros_msgs/msg/OverrideRCIn": "uint16[8] channels\n",
    "mavros_msgs/msg/ManualControl":
        "std_msgs/Header header\nfloat32 x\nfloat32 y\nfloat32 z\nfloat32 r\nuint16 buttons\n",
}
BITS = {"bool": 1, "octet": 7, "byte": 7, "char": 7,  # rosbags has signs for some of these
         "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}
SIGNED = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}


def store(version=Stores.LATEST, more=None):
    result = get_typestore(version)
    for name, text in (MAVROS if more is None else more).items():
        result.register(get_types_from_msg(text, name))
    return result


def number(kind, draw):
    if kind == "float64":
        return struct.unpack("<d", draw.randbytes(8))[0]
    if kind == "float32":
        return float(np.frombuffer(draw.randbytes(4), "<f4")[0])
    if kind in SIGNED:
        return draw.getrandbits(SIGNED[kind]) - 2 ** (SIGNED[kind] - 1)
    bits = draw.getrandbits(BITS[kind])
    return bool(bits) if kind == "bool" else bits


class Maker:
    """Messages of one type. The lengths of sequences are drawn once: Fathom's columns are those of the first message."""

    def __init__(self, types, name, seed):
        self.types, self.name, self.draw, self.lengths = types, name, random.Random(seed), {}

    def one(self):
        return self.message(self.name, "")

    def message(self, name, path):
        values = {field: self.value(desc, f"{path}.{field}") for field, desc in self.types.fielddefs[name][1]}
        return self.types.types[name](**values)

    def value(self, desc, path):
        kind, detail = desc
        if kind == Nodetype.NAME:
            return self.message(detail, path)
        if kind == Nodetype.BASE:
            if detail[0] == "string":
                return "x" * self.draw.randrange(12)
            return number(detail[0], self.draw)
        (inner, count) = detail
        if kind == Nodetype.SEQUENCE:
            count = self.lengths.setdefault(path, self.draw.randrange(1, 7))
        values = [self.value(inner, path) for _ in range(count)]
        if inner[0] == Nodetype.BASE and inner[1][0] != "string":
            return np.array(values, dtype={"octet": "u1", "byte": "u1", "char": "u1"}.get(inner[1][0], inner[1][0]))
        return values


def seconds(stamp, start):
    return (stamp.sec * 10 ** 9 + stamp.nanosec - start) / 1e9


def cells(types, name, message, start, path=""):
    """Names and numbers of Fathom's columns, without the time of receiving."""
    for field, desc in types.fielddefs[name][1]:
        yield from cells_of(types, desc, getattr(message, field), start, path + field)


def cells_of(types, desc, value, start, path):
    kind, detail = desc
    if kind == Nodetype.NAME:
        if detail == "builtin_interfaces/msg/Time":
            yield path, seconds(value, start)
        elif detail == "builtin_interfaces/msg/Duration":
            yield path, seconds(value, 0)
        else:
            yield from cells(types, detail, value, start, path + ".")
    elif kind == Nodetype.BASE:
        if detail[0] != "string":
            yield path, float(value)
    elif kind == Nodetype.ARRAY or detail[0][0] == Nodetype.BASE:
        for k, each in enumerate(value):
            yield from cells_of(types, detail[0], each, start, f"{path}[{k}]")
