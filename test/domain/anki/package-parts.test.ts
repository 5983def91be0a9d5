import t from 'tap'
import { normalizeDeckName } from '../../../src/domain/anki/deck-name.js'
import { Levels, levelOf } from '../../../src/domain/anki/level.js'
import { findMedia, parseMediaJson, parseMediaMessage } from '../../../src/domain/anki/read/media-list.js'
import { parseSchema11 } from '../../../src/domain/anki/read/note-type.js'
import { readFields, readNumber, readText } from '../../../src/domain/anki/read/protobuf.js'
import { ZstdFrames } from '../../../src/domain/anki/read/zstd-frames.js'
import { FreeIds } from '../../../src/domain/anki/write/free-ids.js'
import fc, { runs } from '../../support/property.js'
import { protoBytes, protoNumber, zstdFrame } from '../../support/upload-packages.js'

t.test('takes the level of a card from its tags', async (t) => {
  t.equal(levelOf(' marked x grundlagen ', new Levels(['grundlagen'])), 'grundlagen')
  t.equal(levelOf(' leech x y ', new Levels(['z'])), 'x')
  t.equal(levelOf('  ', new Levels([])), 'import')
})

t.test('a tag names a level in any case, and also one with spaces', async (t) => {
  t.equal(levelOf('x Grundlagen', new Levels(['grundlagen'])), 'grundlagen')
  t.equal(levelOf('FÜR_profis', new Levels(['für Profis'])), 'für Profis')
  t.equal(levelOf('Profi', new Levels(['profi', 'Profi', 'PROFI'])), 'Profi', 'the same spelling comes first')
  t.equal(levelOf('pROFI', new Levels(['profi', 'Profi'])), 'profi')
})

t.test('names of decks', async (t) => {
  t.equal(normalizeDeckName(' A :: B\t c ::'), 'A::B c')
  t.equal(normalizeDeckName(' :: '), 'Default')
})

t.test('parses media lists in JSON and in protobuf', async (t) => {
  const json = parseMediaJson('{"0":"a b.png","1":"u\u0308.jpg","../2":"x","3":4}')
  t.same(
    json,
    new Map([
      ['a b.png', '0'],
      ['ü.jpg', '1'],
    ]),
  )
  t.equal(findMedia(json ?? new Map(), ' a%20b.png '), '0')
  t.equal(findMedia(json ?? new Map(), 'ü.jpg'), '1')
  t.equal(findMedia(json ?? new Map(), '%'), undefined)
  t.equal(parseMediaJson('[1]'), undefined)
  t.equal(parseMediaJson('{'), undefined)
  const entry = (name: string, ...more: Uint8Array[]) =>
    protoBytes(1, Buffer.concat([protoBytes(1, Buffer.from(name)), ...more]))
  const message = Buffer.concat([entry('a.png'), entry('b.png', protoNumber(255, 7))])
  t.same(
    parseMediaMessage(message),
    new Map([
      ['a.png', '0'],
      ['b.png', '7'],
    ]),
  )
  t.equal(parseMediaMessage(message.subarray(0, -1)), undefined)
})

t.test('protobuf messages', async (t) => {
  const message = Buffer.concat([
    protoNumber(1, 300),
    protoBytes(2, Buffer.from('ä')),
    Buffer.from([0x19, 1, 2, 3, 4, 5, 6, 7, 8]),
  ])
  t.equal(readNumber(message, 1), 300)
  t.equal(readText(message, 2), 'ä')
  t.equal(readNumber(message, 9), 0)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        return [...readFields(bytes)].length <= bytes.length
      } catch (error) {
        return error instanceof RangeError
      }
    }),
  )
})

t.test('parses schema 11', async (t) => {
  const models = {
    5: {
      name: 'M',
      type: 1,
      flds: [
        { name: 'B', ord: 1 },
        { name: 'A', ord: 0 },
      ],
      tmpls: [{ name: 'T', ord: 0, qfmt: 'q', afmt: 'a' }],
      css: '.a {}',
    },
  }
  t.same(parseSchema11(JSON.stringify(models), '{"1":{"name":"D","dyn":1}}'), {
    noteTypes: new Map([
      [
        '5',
        {
          id: '5',
          name: 'M',
          isCloze: true,
          fields: ['A', 'B'],
          templates: [{ name: 'T', ord: 0, front: 'q', back: 'a' }],
          css: '.a {}',
        },
      ],
    ]),
    decks: new Map([['1', { name: 'D', isFiltered: true }]]),
  })
  for (const [wrongModels, wrongDecks] of [
    ['{', '{}'],
    ['[]', '{}'],
    ['{"1":2}', '{}'],
    ['{}', '{"1":null}'],
    ['{}', 'null'],
  ] as const) {
    t.equal(parseSchema11(wrongModels, wrongDecks), undefined)
  }
})

/**
 * Length of the first frame in bytes: a header of 6, a block header of 3 and 3 bytes of content. The skippable frame
 * after it has 10 bytes.
 */
const FIRST = 12

t.test('follows frames in pieces of any size', async (t) => {
  const whole = Buffer.concat([
    zstdFrame(Buffer.from('abc')),
    Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9]),
    zstdFrame(Buffer.alloc(300_000, 'x')),
  ])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200_000 }), fc.nat(whole.length), (size, end) => {
      const frames = new ZstdFrames()
      for (let at = 0; at < end; at += size)
        if (!frames.follow(whole.subarray(at, Math.min(at + size, end)))) return false
      return frames.isWhole === (end === whole.length || end === FIRST || end === FIRST + 10)
    }),
    { numRuns: runs(200) },
  )
  t.notOk(new ZstdFrames().follow(Buffer.from('PK\x03\x04 is something else')))
  const greedy = Buffer.from(zstdFrame(Buffer.from('abc')))
  greedy[5] = 0xff
  t.notOk(new ZstdFrames().follow(greedy), 'a window of 3.75 TB')
})

t.test('takes the first free id', async (t) => {
  const property = fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (wanted) => {
    const free = new FreeIds()
    const taken = new Set<number>()
    for (const id of wanted) {
      let first = id
      while (taken.has(first)) first++
      if (free.take(id) !== first) return false
      taken.add(first)
    }
    return true
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: runs(100) }))
})

t.test('takes many equal and adjacent ids without trying each taken id again', async (t) => {
  const free = new FreeIds()
  let last = 0
  for (let index = 0; index < 300_000; index++) last = free.take(index % 2)
  t.equal(last, 299_999)
})
