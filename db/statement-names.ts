/** More texts than the service has; statements made up on the fly must not fill the memory of the server. */
const MAX_NAMES = 200

/** A leading comment keeps a statement out: one whose best plan depends on its values. */
const NAMEABLE = /^\s*(select|with|insert|update|delete)\b/i

const names = new Map<string, string>()

/**
 * The name under which a connection prepares a statement, the same for the same text; undefined when it shall be
 * planned each time: with arrays the plan depends on their lengths.
 */
export function nameStatement(text: string, values: readonly unknown[]): string | undefined {
  const known = names.get(text)
  if (known === undefined && (names.size >= MAX_NAMES || !NAMEABLE.test(text))) return undefined
  if (values.some(Array.isArray)) return undefined
  const name = known ?? `svc_${names.size + 1}`
  names.set(text, name)
  return name
}
