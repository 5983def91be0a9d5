import { DEFAULT_WEIGHTS } from '../../src/domain/review/parameters.js'
import fc from './property.js'

/** First surrogate code unit, and the number of surrogates */
const SURROGATES = 0xd800
const COUNT = 0x800

/**
 * Arbitrary for any Unicode character, for `fc.string({ unit })`. Replaces fast-check's `unit: 'binary'`, which builds
 * a map of a million entries; the map costs a second and 100 MB per process.
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

/** Arbitrary for FSRS-6 weights around the defaults; some weights are outside the limits of the library. */
export const weightsArbitrary = fc
  .tuple(...DEFAULT_WEIGHTS.map(() => fc.double({ min: 0.2, max: 4, noNaN: true })))
  .map((factors) => factors.map((factor, index) => factor * (DEFAULT_WEIGHTS[index] as number)))
