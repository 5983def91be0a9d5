import { randomBytes } from 'node:crypto'

/** Crockford's base 32: digits and letters without I, L, O and U */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BITS = 128
export const CODE_LENGTH = Math.ceil(BITS / 5)
const CODE = new RegExp(`^[${ALPHABET}]{${CODE_LENGTH}}$`)

/** Returns a random code of 128 bits, which identifies a certificate and grants access to it. */
export function createCode(): string {
  let rest = BigInt(`0x${randomBytes(BITS / 8).toString('hex')}`)
  let code = ''
  for (let at = 0; at < CODE_LENGTH; at++) {
    code = ALPHABET.charAt(Number(rest & 31n)) + code
    rest >>= 5n
  }
  return code
}

/**
 * Normalises a typed code: removes hyphens and white space and converts it to upper case. Returns undefined if the
 * text is not a valid code.
 * @example parseCode('0123-4567-89ab-cdef-ghjk-mnpq-rs') // '0123456789ABCDEFGHJKMNPQRS'
 */
export function parseCode(text: string): string | undefined {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase()
  return CODE.test(code) ? code : undefined
}

/**
 * Returns the code as printed, in groups of four.
 * @example groupCode('ABCDEFGH…') // 'ABCD-EFGH-…'
 */
export function groupCode(code: string): string {
  return code.match(/.{1,4}/g)?.join('-') ?? ''
}
