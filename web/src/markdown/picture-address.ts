const KEPT = /^media\/(?<sha>[0-9a-f]{64})\.(?:png|jpg|gif|webp|avif)$/

/** The hash of a picture that the service keeps, from its place in Markdown; undefined for every other target. */
export function pictureHash(target: string): string | undefined {
  return KEPT.exec(target)?.groups?.sha
}

/** Where such a picture is had. */
export function pictureAddress(target: string): string | undefined {
  return pictureHash(target) === undefined ? undefined : `api/content/${target}`
}
