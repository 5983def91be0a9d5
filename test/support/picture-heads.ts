import type { PictureExtension } from '../../src/domain/pictures/files.js'

type WebpChunk = 'VP8X' | 'VP8 ' | 'VP8L'

/** Returns the beginning of a picture, up to its width and height. */
export function headOf(type: PictureExtension, width: number, height: number, chunk: WebpChunk = 'VP8X'): Buffer {
  if (type === 'png') return join('\x89PNG\r\n\x1a\n', big(4, 13), 'IHDR', big(4, width, height), '\x08\x02\0\0\0')
  if (type === 'gif') return join('GIF89a', little(2, width, height), '\0\0\0')
  if (type === 'avif') {
    const type = join(big(4, 24), 'ftypavif\0\0\0\0avifmif1')
    return join(type, big(4, 20), 'ispe', big(4, 0, width, height))
  }
  if (type === 'webp') return join('RIFF\0\0\0\0WEBP', chunk, big(4, 0), webp(chunk, width, height))
  const exif = join('\xff\xe1', big(2, 10), 'Exif\0\0\xff\xc0')
  return join('\xff\xd8', exif, '\xff\xff\xc2', big(2, 17), '\x08', big(2, height, width))
}

function webp(chunk: WebpChunk, width: number, height: number): Buffer {
  if (chunk === 'VP8X') return join('\0\0\0\0', little(3, width - 1, height - 1))
  if (chunk === 'VP8 ') return join('\0\0\0\x9d\x01\x2a', little(2, width, height))
  return join('\x2f', little(4, (width - 1) | ((height - 1) << 14)))
}

function join(...parts: (string | Buffer)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
}

function big(bytes: number, ...values: number[]): Buffer {
  return write(bytes, values, (buffer, value, at) => buffer.writeUIntBE(value, at, bytes))
}

function little(bytes: number, ...values: number[]): Buffer {
  return write(bytes, values, (buffer, value, at) => buffer.writeUIntLE(value >>> 0, at, bytes))
}

function write(bytes: number, values: number[], put: (buffer: Buffer, value: number, at: number) => void): Buffer {
  const buffer = Buffer.alloc(bytes * values.length)
  for (const [index, value] of values.entries()) put(buffer, value, index * bytes)
  return buffer
}
