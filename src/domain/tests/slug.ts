import { MAX_LABEL_LENGTH } from '../text/limits.js'
import { countCharacters, hasControls, isStorable } from '../text/text.js'
import { BAD_TEST_SLUG } from './editing-refusals.js'

/** Paths of other routes below `/api/tests` */
export const RESERVED_TESTS = ['attempts', 'practice']

/**
 * Returns the slug in NFC. Appends `-2` to a reserved slug, because another route has that path.
 * @example toTestSlug('attempts') // 'attempts-2'
 */
export function toTestSlug(wanted: string): string {
  const slug = wanted.normalize('NFC')
  return RESERVED_TESTS.includes(slug) ? `${slug}-2` : slug
}

/**
 * Parses the slug of a test.
 * @throws BAD_TEST_SLUG if it is empty, `.` or `..`, has outer white space, control characters or lone surrogates, or
 *   exceeds 200 characters
 * @example parseTestSlug('attempts') // 'attempts-2'
 */
export function parseTestSlug(wanted: string): string {
  const slug = toTestSlug(wanted)
  const isReachable = slug.trim() !== '' && slug !== '.' && slug !== '..'
  if (!isReachable || !isStorable(slug) || hasControls(slug) || slug !== slug.trim()) throw BAD_TEST_SLUG
  if (countCharacters(slug) > MAX_LABEL_LENGTH) throw BAD_TEST_SLUG
  return slug
}
