/** How many of the most common ones count; ASVS asks for 3,000. */
const COUNT = 10_000

let common: Promise<ReadonlySet<string>> | undefined

/**
 * Whether the password is one that attackers try first. The specification sets the rules for passwords, so such a
 * one is accepted, but whoever sets it is warned.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= load()
  return (await common).has(password.toLowerCase())
}

/** On first use: the list takes a few megabytes. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set((dictionary['passwords-common'] as string[]).slice(0, COUNT))
}
