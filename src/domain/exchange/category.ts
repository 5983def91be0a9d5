/** Root of a category path in Moodle: the context, such as `$course$` or `$cat1$`, and its top category */
const ROOT = /^\$[a-z]+\d*\$\/?(?:top(?:\/|$))?/i

/**
 * Returns a category path of Moodle without its root, or null if nothing else is left.
 * @example withoutRoot('$course$/top/Netze/Ports') // 'Netze/Ports'
 */
export function withoutRootCategory(path: string): string | null {
  return path.trim().replace(ROOT, '').trim() || null
}

/**
 * Returns the names of a category and its parents; Moodle writes a slash within a name as `//`.
 * @example namesOfCategory('TCP//IP/Ports') // ['TCP/IP', 'Ports']
 */
export function namesOfCategory(path: string): string[] {
  return path.split(/(?<!\/)\/(?!\/)/).map((name) => name.replaceAll('//', '/'))
}

/** Returns the path of a category. @example categoryPath(['TCP/IP', 'Ports']) // 'TCP//IP/Ports' */
export function categoryPath(names: readonly string[]): string {
  return names.map((name) => name.replaceAll('/', '//')).join('/')
}
