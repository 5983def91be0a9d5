/** Number of common passwords that are checked; ASVS requires at least 3,000. */
const COUNT = 10_000

let common: Promise<ReadonlySet<string>> | undefined

/**
 * Returns whether the password is among the 10,000 most common passwords, ignoring case. The specification allows them,
 * so callers only warn.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= load()
  return (await common).has(password.toLowerCase())
}

/** Loads the list. `isCommonPassword` loads it only on first use, because the list takes a few megabytes of memory. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set((dictionary['passwords-common'] as string[]).slice(0, COUNT))
}
