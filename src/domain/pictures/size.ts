import type { PictureExtension } from './files.js'

/** Maximum number of pixels per side and in total: a browser needs four bytes of memory per pixel. */
const MAX_SIDE = 12_000
const MAX_PIXELS = 40_000_000

export interface PictureSize {
  width: number
  height: number
}

/**
 * Returns the fault in the size of a picture, as the end of a German sentence; undefined if there is none or the file
 * declares no size.
 */
export function describeOversize(bytes: Uint8Array, type: PictureExtension): string | undefined {
  const size = measurePicture(bytes, type)
  if (size === undefined) return undefined
  const { width, height } = size
  if (width <= MAX_SIDE && height <= MAX_SIDE && width * height <= MAX_PIXELS) return undefined
  const [across, down, side] = [width, height, MAX_SIDE].map((pixels) => pixels.toLocaleString('de-DE'))
  return `hat ${across} × ${down} Pixel; erlaubt sind ${side} je Seite und ${MAX_PIXELS / 1e6} Millionen insgesamt`
}

/**
 * Returns the size in pixels for which a browser allocates memory. Returns undefined if the file declares no size or is
 * truncated before the size; browsers cannot show such a file. The package `image-size` is unsuitable: it trusts the
 * crop in an AVIF and reads no AVIF sequences.
 */
export function measurePicture(bytes: Uint8Array, type: PictureExtension): PictureSize | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return MEASURES[type](data)
  } catch (error) {
    // A read beyond the end of the buffer throws a `RangeError`: the file is truncated.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const MEASURES: Readonly<Record<PictureExtension, (data: Buffer) => PictureSize | undefined>> = {
  png: measurePng,
  jpg: measureJpeg,
  gif: measureGif,
  webp: measureWebp,
  avif: measureAvif,
}

function measurePng(data: Buffer): PictureSize | undefined {
  if (data.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) }
}

/** Reads the first frame header (SOF), which precedes the data of the first scan. */
function measureJpeg(data: Buffer): PictureSize | undefined {
  let at = 2
  for (;;) {
    at = data.indexOf(0xff, at)
    if (at < 0) return undefined
    while (data[at] === 0xff) at++
    const marker = data.readUInt8(at++)
    // Markers without a length: padding, TEM, RSTn and SOI.
    if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue
    if (marker === 0xd9 || marker === 0xda) return undefined
    // C4, C8 and CC are tables and extensions.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: data.readUInt16BE(at + 5), height: data.readUInt16BE(at + 3) }
    at += data.readUInt16BE(at)
  }
}

/** Returns the size of the canvas, enlarged to contain the first frame, as in browsers. */
function measureGif(data: Buffer): PictureSize | undefined {
  const canvas = { width: data.readUInt16LE(6), height: data.readUInt16LE(8) }
  let at = 13 + colorTableLength(data.readUInt8(10))
  // An extension consists of a label and blocks; each block starts with its length, and the last one is empty.
  while (data[at] === 0x21) {
    at += 2
    for (let length = data.readUInt8(at); length > 0; length = data.readUInt8(at)) at += 1 + length
    at++
  }
  if (data[at] !== 0x2c) return canvas
  const [left, top, width, height] = [1, 3, 5, 7].map((place) => data.readUInt16LE(at + place)) as [
    number,
    number,
    number,
    number,
  ]
  return { width: Math.max(canvas.width, left + width), height: Math.max(canvas.height, top + height) }
}

function colorTableLength(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1)
}

function measureWebp(data: Buffer): PictureSize | undefined {
  const chunk = data.toString('latin1', 12, 16)
  if (chunk === 'VP8X') return { width: 1 + data.readUIntLE(24, 3), height: 1 + data.readUIntLE(27, 3) }
  if (chunk === 'VP8 ') return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff }
  if (chunk !== 'VP8L') return undefined
  const bits = data.readUInt32LE(21)
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
}

/** Returns the largest width and height of all `ispe` properties: a browser decodes the whole image even for a crop. */
function measureAvif(data: Buffer): PictureSize | undefined {
  let size: PictureSize | undefined
  for (let at = data.indexOf('ispe'); at >= 0; at = data.indexOf('ispe', at + 4)) {
    // A property is 20 bytes long; other matches are random bytes of the picture data.
    if (at < 4 || data.readUInt32BE(at - 4) !== 20) continue
    const [width, height] = [data.readUInt32BE(at + 8), data.readUInt32BE(at + 12)]
    size = { width: Math.max(width, size?.width ?? 0), height: Math.max(height, size?.height ?? 0) }
  }
  return size
}
