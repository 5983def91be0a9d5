import { PNG } from 'pngjs'
import t from 'tap'
import { parseLogo } from '../../../src/domain/company/logo.js'

const TRANSPARENT = 0

function draw(width: number, height: number, fill = TRANSPARENT): Buffer {
  const image = new PNG({ width, height })
  image.data.fill(fill)
  return PNG.sync.write(image)
}

function parse(bytes: Buffer) {
  const logo = parseLogo(bytes)
  if ('problem' in logo) throw new Error(logo.problem)
  return logo
}

t.test('prints a logo without transparency, in the resolution of paper', async (t) => {
  const small = parse(draw(90, 30))
  t.equal(small.mediaType, 'image/png')
  const printed = PNG.sync.read(small.printed)
  t.strictSame([printed.width, printed.height], [90, 30])
  t.strictSame([...printed.data.subarray(0, 4)], [255, 255, 255, 255], 'white paper shows through')
  const large = PNG.sync.read(parse(draw(2_600, 1_040, 128)).printed)
  t.strictSame([large.width, large.height], [520, 208], 'a fifth, because 48 points are 200 pixels of 300 dpi')
  t.strictSame([...large.data.subarray(0, 4)], [191, 191, 191, 255])
})

t.test('keeps a JPEG as it is', async (t) => {
  const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080014003c01011100ffd9', 'hex')
  const logo = parse(jpeg)
  t.equal(logo.mediaType, 'image/jpeg')
  t.ok(logo.printed.equals(jpeg))
})

t.test('names the fault of an unsuitable file', async (t) => {
  const picture = draw(300, 100, 40)
  // The size in the header is 5,000 × 4,000 pixels; a decoder would allocate 80 MB.
  const huge = Buffer.from(picture)
  huge.writeUInt32BE(5_000, 16)
  huge.writeUInt32BE(4_000, 20)
  const empty = Buffer.from(picture)
  empty.writeUInt32BE(0, 16)
  for (const [bytes, problem] of [
    [Buffer.alloc(0), 'ist weder PNG noch JPEG'],
    [Buffer.from('GIF89a'), 'ist weder PNG noch JPEG'],
    [Buffer.from('<svg/>'), 'ist weder PNG noch JPEG'],
    [Buffer.alloc(512 * 1_024 + 1), 'ist größer als 512 kB'],
    [huge, 'hat 5000 × 4000 Pixel; erlaubt sind 4 Millionen'],
    [empty, 'ist beschädigt'],
    [picture.subarray(0, 60), 'ist beschädigt'],
    [Buffer.from('ffd8ffd9', 'hex'), 'ist beschädigt'],
  ] as const) {
    t.strictSame(parseLogo(bytes), { problem })
  }
})
