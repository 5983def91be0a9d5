/** Names without characters that a file system may refuse, and without a leading dot, which would hide the file */
const PLAIN = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,99}$/u
/** Names that Windows reserves for devices */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
const MAX_LENGTH = 60

export class FileNames {
  readonly #taken = new Set<string>()

  /**
   * Returns a free file name without `.md` for a deck, sheet or test: its slug if possible, otherwise a similar name.
   */
  take(slug: string): { name: string; isSlug: boolean } {
    const wanted = slug.normalize('NFC')
    const isFine = wanted === slug && PLAIN.test(slug) && !slug.endsWith('.') && !DEVICE.test(slug)
    const name = this.#free(isFine ? slug : toName(wanted))
    return { name, isSlug: name === slug }
  }

  #free(name: string): string {
    let free = name
    for (let count = 2; this.#taken.has(free.toLowerCase()); count++) free = `${name}-${count}`
    this.#taken.add(free.toLowerCase())
    return free
  }
}

function toName(slug: string): string {
  const name = slug.replaceAll(/[^\p{L}\p{N}_]+/gu, '-').replaceAll(/^-+|-+$/g, '')
  const short = [...name].slice(0, MAX_LENGTH).join('')
  return short === '' || DEVICE.test(short) ? `deck-${short}`.replace(/-$/, '') : short
}
