import { hash } from 'node:crypto'
import { PNG } from 'pngjs'
import { findPictureType, measurePicture, PICTURE_TYPES } from '../pictures/index.js'
import { Refusal } from '../refusal.js'

export const MAX_LOGO_BYTES = 512 * 1_024
const MAX_PIXELS = 4_000_000

/** Size of the logo on paper, in points; the logo keeps its aspect ratio. */
export const PRINTED_LOGO = { width: 200, height: 48 }
const PIXELS_PER_POINT = 300 / 72

export interface Logo {
  /** The file, for browsers */
  bytes: Buffer
  mediaType: string
  /** SHA-256 of the file in hex */
  sha256: string
  /** JPEG, or PNG without transparency, in the resolution of PDFs. Decoding the original takes seconds for each PDF. */
  printed: Buffer
}

export const NO_LOGO = new Refusal('not_found', 'logo_not_found', 'Die Firma hat kein Logo eingestellt')

/**
 * Returns the URL of the logo, relative to the address of the service; null without a logo. The URL changes with the
 * logo, because browsers cache the response for good.
 */
export function logoUrl(logo: Logo | undefined): string | null {
  return logo === undefined ? null : `api/auth/logo?v=${logo.sha256.slice(0, 16)}`
}

/**
 * Parses the file of a company's logo, PNG or JPEG of at most 512 kB and 4 megapixels. Returns the fault as the end of a
 * German sentence if the file is unsuitable.
 */
export function parseLogo(bytes: Buffer): Logo | { problem: string } {
  if (bytes.length > MAX_LOGO_BYTES) return { problem: `ist größer als ${MAX_LOGO_BYTES / 1_024} kB` }
  const type = findPictureType(bytes)
  if (type !== 'png' && type !== 'jpg') return { problem: 'ist weder PNG noch JPEG' }
  const size = measurePicture(bytes, type)
  if (size === undefined || size.width === 0 || size.height === 0) return { problem: 'ist beschädigt' }
  if (size.width * size.height > MAX_PIXELS) {
    return { problem: `hat ${size.width} × ${size.height} Pixel; erlaubt sind ${MAX_PIXELS / 1e6} Millionen` }
  }
  const printed = type === 'jpg' ? bytes : flatten(bytes)
  if (printed === undefined) return { problem: 'ist beschädigt' }
  return { bytes, mediaType: PICTURE_TYPES[type], sha256: hash('sha256', bytes), printed }
}

/** Returns a PNG on white paper, in the resolution of PDFs; undefined if the file is damaged. */
function flatten(bytes: Buffer): Buffer | undefined {
  const image = decode(bytes)
  if (image === undefined) return undefined
  const step = Math.max(
    1,
    Math.floor(Math.max(image.width / PRINTED_LOGO.width, image.height / PRINTED_LOGO.height) / PIXELS_PER_POINT),
  )
  const flat = new PNG({ width: Math.ceil(image.width / step), height: Math.ceil(image.height / step) })
  for (let y = 0; y < flat.height; y++) {
    for (let x = 0; x < flat.width; x++) {
      const color = averageOnWhite(image, { left: x * step, top: y * step, side: step })
      flat.data.set([...color, 255], (y * flat.width + x) * 4)
    }
  }
  return PNG.sync.write(flat, { colorType: 2 })
}

function decode(bytes: Buffer): PNG | undefined {
  try {
    return PNG.sync.read(bytes)
  } catch {
    // pngjs throws plain errors, for damaged files only.
    return undefined
  }
}

/** Returns the mean red, green and blue of a square on white paper; the square may exceed the right and lower edge. */
function averageOnWhite(
  { data, width, height }: PNG,
  { left, top, side }: { left: number; top: number; side: number },
): [red: number, green: number, blue: number] {
  const sums: [number, number, number] = [0, 0, 0]
  let pixels = 0
  for (let y = top; y < Math.min(top + side, height); y++) {
    for (let x = left; x < Math.min(left + side, width); x++) {
      const at = (y * width + x) * 4
      const opacity = (data[at + 3] as number) / 255
      for (const channel of [0, 1, 2] as const) {
        sums[channel] += 255 + ((data[at + channel] as number) - 255) * opacity
      }
      pixels++
    }
  }
  return sums.map((sum) => Math.round(sum / pixels)) as [number, number, number]
}
