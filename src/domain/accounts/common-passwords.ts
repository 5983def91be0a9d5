/** Size of the list of common passwords; ASVS requires at least 3,000. */
const COUNT = 10_000

let common: Promise<ReadonlySet<string>> | undefined

/**
 * Returns whether the password is among the most common ones. The specification allows it, so the caller only warns.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= load()
  return (await common).has(password.toLowerCase())
}

/** Loaded on first use, because the list takes a few megabytes. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set((dictionary['passwords-common'] as string[]).slice(0, COUNT))
}
