import t from 'tap'
import type { PictureExtension } from '../../../src/domain/pictures/files.js'
import { describeOversize, measurePicture } from '../../../src/domain/pictures/size.js'
import { headOf } from '../../support/picture-heads.js'
import { gifOf } from '../../support/pictures.js'

const TYPES: PictureExtension[] = ['png', 'jpg', 'gif', 'webp', 'avif']

t.test('measures each kind of picture', async (t) => {
  for (const type of TYPES) {
    t.same(measurePicture(headOf(type, 1_234, 5_678), type), { width: 1_234, height: 5_678 }, type)
  }
  for (const chunk of ['VP8 ', 'VP8L'] as const) {
    t.same(measurePicture(headOf('webp', 1_234, 5_678, chunk), 'webp'), { width: 1_234, height: 5_678 }, chunk)
  }
  t.same(measurePicture(gifOf('x'), 'gif'), { width: 1, height: 1 })
})

t.test('measures real pictures of browsers', async (t) => {
  const pixel = (base64: string, type: PictureExtension) => measurePicture(Buffer.from(base64, 'base64'), type)
  t.same(
    pixel('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'png'),
    { width: 1, height: 1 },
  )
  t.same(pixel('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'webp'), { width: 1, height: 1 })
  t.same(pixel('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'webp'), { width: 1, height: 1 })
})

t.test('refuses more than 12,000 pixels a side or 40 million in all', async (t) => {
  for (const type of TYPES) {
    t.equal(describeOversize(headOf(type, 12_000, 3_333), type), undefined, type)
    t.match(describeOversize(headOf(type, 12_001, 1), type), 'hat 12.001 × 1 Pixel; erlaubt sind 12.000 je Seite', type)
    t.match(describeOversize(headOf(type, 8_000, 8_000), type), 'hat 8.000 × 8.000 Pixel', type)
  }
  t.equal(
    describeOversize(headOf('png', 100_000, 100_000), 'png'),
    'hat 100.000 × 100.000 Pixel; erlaubt sind 12.000 je Seite und 40 Millionen insgesamt',
  )
})

t.test('takes the first frame of a GIF and the largest item of an AVIF into account', async (t) => {
  const canvas = headOf('gif', 1, 1)
  const frame = Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0])
  t.same(measurePicture(Buffer.concat([canvas, frame]), 'gif'), { width: 65_535, height: 65_535 })
  const items = Buffer.concat([headOf('avif', 10, 10), headOf('avif', 70_000, 5).subarray(24)])
  t.same(measurePicture(items, 'avif'), { width: 70_000, height: 10 })
})

t.test('returns no size for a truncated file', async (t) => {
  for (const type of TYPES) {
    const whole = headOf(type, 10, 10)
    for (let end = 0; end < whole.length; end++) {
      const size = measurePicture(whole.subarray(0, end), type)
      if (size !== undefined) t.same(size, { width: 10, height: 10 }, `${type} ${end}`)
    }
  }
})
