import fc from 'fast-check'

/** Where the halves of surrogate pairs lie, which are no characters, and how many they are. */
const SURROGATES = 0xd800
const COUNT = 0x800

/**
 * Each character of Unicode, for `fc.string({ unit })`. fast-check's `unit: 'binary'` draws the same ones by a map of all
 * million of them, which takes a second and 100 MB of each process.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - COUNT })
  .map((index) => String.fromCodePoint(index < SURROGATES ? index : index + COUNT), indexOf)

function indexOf(value: unknown): number {
  const point = typeof value === 'string' ? value.codePointAt(0) : undefined
  if (point === undefined || String.fromCodePoint(point) !== value || !value.isWellFormed())
    throw new Error('no character')
  return point < SURROGATES ? point : point - COUNT
}
