const KEPT = /^media\/(?<sha>[0-9a-f]{64})\.(?:png|jpg|gif|webp|avif)$/

/**
 * Returns the SHA-256 of a stored picture from its Markdown target; undefined for other targets.
 * @example pictureHash('https://example.org/a.png') // undefined
 */
export function pictureHash(target: string): string | undefined {
  return KEPT.exec(target)?.groups?.sha
}

export function pictureAddress(target: string): string | undefined {
  return pictureHash(target) === undefined ? undefined : `api/content/${target}`
}
