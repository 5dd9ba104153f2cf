"""Screenshots as small PNG files: at most 256 colours, which pages hardly exceed."""

from __future__ import annotations

import base64
import struct
import zlib

from playwright.sync_api import Page

_INDEXED = """async (source) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  // Colours are counted in steps of eight; the exact first one of a step stands for it.
  const steps = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const key = ((data[at] >> 3) << 10) | ((data[at + 1] >> 3) << 5) | (data[at + 2] >> 3);
    const step = steps.get(key);
    if (step) step.count += 1;
    else steps.set(key, { count: 1, colour: [data[at], data[at + 1], data[at + 2]] });
  }
  const chosen = [...steps.values()].sort((a, b) => b.count - a.count).slice(0, 256);
  for (const step of steps.values()) {
    const from = ({ colour }) =>
      colour.reduce((sum, value, n) => sum + (value - step.colour[n]) ** 2, 0);
    step.index = chosen.reduce((best, one, n) => (from(one) < from(chosen[best]) ? n : best), 0);
  }
  let indexes = "";
  for (let at = 0; at < data.length; at += 4) {
    const key = ((data[at] >> 3) << 10) | ((data[at + 1] >> 3) << 5) | (data[at + 2] >> 3);
    indexes += String.fromCharCode(steps.get(key).index);
  }
  return [image.width, image.height, btoa(indexes), chosen.flatMap(({ colour }) => colour)];
}"""


def small(png: bytes, blank: Page) -> bytes:
    """The picture with a palette; `blank` is a tab without a policy, which decodes it."""
    source = "data:image/png;base64," + base64.b64encode(png).decode()
    width, height, text, palette = blank.evaluate(_INDEXED, source)
    indexes = base64.b64decode(text)
    rows = b"".join(
        b"\0" + indexes[start : start + width] for start in range(0, width * height, width)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(name, content)
        for name, content in (
            (b"IHDR", head),
            (b"PLTE", bytes(palette)),
            (b"IDAT", zlib.compress(rows, 9)),
            (b"IEND", b""),
        )
    )


def _chunk(name: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)
