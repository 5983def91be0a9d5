/** Characters that can end a directional isolate or leave it open */
const ENDINGS = /[\p{Cc}\u2028\u2029\u2066-\u2069]/gu
/** Text that cannot change the direction of the surrounding sentence */
const PLAIN = /^[\u0020-\u007e\u00a0-\u024f„“–]*$/

/**
 * Removes the characters that would end the isolate or the `<bdi>` around a name.
 * @example stripIsolateEnds('a\u2069b') // 'ab'
 */
export function stripIsolateEnds(name: string): string {
  return name.replace(ENDINGS, '')
}

/**
 * Encloses a user-defined name in directional isolates, so that characters such as U+202E do not change the direction
 * of the surrounding sentence. Returns a name of Latin characters unchanged. Markup uses `parts/name.svelte` instead.
 * @example isolate('\u202eab') // '\u2068\u202eab\u2069'
 */
export function isolate(name: string): string {
  return PLAIN.test(name) ? name : `\u2068${stripIsolateEnds(name)}\u2069`
}

/**
 * Isolates the quoted names in a message of the service.
 * @example isolateQuoted('Das Deck „\u202eab“ fehlt') // 'Das Deck „\u2068\u202eab\u2069“ fehlt'
 */
export function isolateQuoted(sentence: string): string {
  return sentence.replace(/„([^“]*)“/g, (_, name: string) => `„${isolate(name)}“`)
}
