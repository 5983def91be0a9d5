/** Root of a category path in Moodle: the context, such as `$course$` or `$cat1$`, and its top category */
const ROOT = /^\$[a-z]+\d*\$\/?(?:top(?:\/|$))?/i

/**
 * Returns a category path of Moodle without its root, or null if nothing else is left.
 * @example withoutRoot('$course$/top/Netze/Ports') // 'Netze/Ports'
 */
export function withoutRoot(path: string): string | null {
  return path.trim().replace(ROOT, '').trim() || null
}
