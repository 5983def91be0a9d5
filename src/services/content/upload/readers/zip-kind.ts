import type { Zip } from './zip.js'

/** Versions of Anki packages, named as in Anki's source; each stores its collection under another name. */
export type PackageFormat = 'legacy1' | 'legacy2' | 'latest'

export const ANKI_COLLECTIONS: Readonly<Record<PackageFormat, string>> = {
  legacy1: 'collection.anki2',
  legacy2: 'collection.anki21',
  latest: 'collection.anki21b',
}

export function isAnkiPackage(zip: Zip): boolean {
  return zip.has('meta') || Object.values(ANKI_COLLECTIONS).some((name) => zip.has(name))
}

export function isOfficeDocument(zip: Zip): boolean {
  return zip.has('[Content_Types].xml')
}
