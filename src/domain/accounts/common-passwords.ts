/** Number of common passwords that are checked; ASVS requires at least 3,000. */
const COUNT = 10_000

let common: Promise<ReadonlySet<string>> | undefined

/**
 * Returns whether the password is common, ignoring case. The specification allows common passwords, so callers only
 * warn.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= load()
  return (await common).has(password.toLowerCase())
}

/** Loads the list when the first password is checked, because the list takes a few megabytes of memory. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set((dictionary['passwords-common'] as string[]).slice(0, COUNT))
}
