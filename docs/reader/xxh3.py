"""XXH3 with 64 bits and seed 0, the hash of all checksums, after its specification: https://xxhash.com.

Short inputs have ways of their own; inputs of more than 240 bytes are read in stripes of 64 bytes.
"""
import struct

MASK = 2**64 - 1
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
P32 = [0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D]
P64 = [0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5]


def u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def secret(at):
    return u64(SECRET, at)


def fold(a, b):
    """The product of 128 bits, its halves joined."""
    product = a * b
    return product & MASK ^ product >> 64


def ended(x):
    """Shifts and a product, so that each bit of x changes all bits of the result."""
    x &= MASK
    x = (x ^ x >> 37) * 0x165667919E3779F9 & MASK
    return x ^ x >> 32


def rotated(x, count):
    return x << count & MASK | x >> 64 - count


def at_most_16(data):
    size = len(data)
    if size > 8:
        low, high = u64(data, 0) ^ secret(24) ^ secret(32), u64(data, size - 8) ^ secret(40) ^ secret(48)
        return ended(size + int.from_bytes(low.to_bytes(8, "big"), "little") + high + fold(low, high))
    if size >= 4:
        x = u32(data, size - 4) + (u32(data, 0) << 32) ^ secret(8) ^ secret(16)
        x = (x ^ rotated(x, 49) ^ rotated(x, 24)) * 0x9FB21C651E98DF25 & MASK
        x = (x ^ (x >> 35) + size) * 0x9FB21C651E98DF25 & MASK
        return x ^ x >> 28
    if size > 0:
        x = (data[0] << 16 | data[size >> 1] << 24 | data[-1] | size << 8) ^ u32(SECRET, 0) ^ u32(SECRET, 4)
    else:
        x = secret(56) ^ secret(64)
    x = (x ^ x >> 33) * P64[1] & MASK
    x = (x ^ x >> 29) * P64[2] & MASK
    return x ^ x >> 32


def mixed(data, at, key):
    return fold(u64(data, at) ^ secret(key), u64(data, at + 8) ^ secret(key + 8))


def at_most_240(data):
    size = len(data)
    total = size * P64[0]
    if size <= 128:
        for i in range((size - 1) // 32 + 1):
            total += mixed(data, 16 * i, 32 * i) + mixed(data, size - 16 * (i + 1), 32 * i + 16)
        return ended(total)
    total = ended(total + sum(mixed(data, 16 * i, 16 * i) for i in range(8)))
    total += sum(mixed(data, 16 * i, 16 * (i - 8) + 3) for i in range(8, size // 16))
    return ended(total + mixed(data, size - 16, 136 - 17))


def add_stripe(lanes, data, at, key):
    words, keys = struct.unpack_from("<8Q", data, at), struct.unpack_from("<8Q", SECRET, key)
    for i in range(8):
        keyed = words[i] ^ keys[i]
        lanes[i ^ 1] = lanes[i ^ 1] + words[i] & MASK
        lanes[i] = lanes[i] + (keyed & 0xFFFFFFFF) * (keyed >> 32) & MASK


def scramble(lanes):
    for i in range(8):
        lanes[i] = (lanes[i] ^ lanes[i] >> 47 ^ secret(128 + 8 * i)) * P32[0] & MASK


def xxh3(data):
    size = len(data)
    if size <= 240:
        return at_most_16(data) if size <= 16 else at_most_240(data)
    lanes = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]
    for stripe in range((size - 1) // 64):
        add_stripe(lanes, data, 64 * stripe, 8 * (stripe % 16))
        if stripe % 16 == 15:
            scramble(lanes)
    add_stripe(lanes, data, size - 64, 192 - 64 - 7)
    return ended(size * P64[0] + sum(fold(lanes[2 * i] ^ secret(11 + 16 * i), lanes[2 * i + 1] ^ secret(19 + 16 * i)) for i in range(4)))
