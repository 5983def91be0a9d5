import { InvalidField } from '../refusal.js'
import { checkLine } from '../text/parameters.js'

const MAX_PURPOSE = 500

/**
 * Parses the purpose of an export.
 * @throws InvalidInput if the trimmed text is empty, has more than 500 code units or contains control characters
 * @example parsePurpose(' Audit 2026 ') // 'Audit 2026'
 */
export function parsePurpose(text: string): string {
  const purpose = text.trim()
  if (purpose === '') throw new InvalidField('purpose', 'darf nicht leer sein')
  if (purpose.length > MAX_PURPOSE) {
    throw new InvalidField('purpose', `darf höchstens ${MAX_PURPOSE} Zeichen haben`, {
      details: { maximum: MAX_PURPOSE },
    })
  }
  checkLine('purpose', purpose)
  return purpose
}

/** Parses the purpose of an export that only some callers must state, as `parsePurpose` does; undefined without one. */
export function parseOptionalPurpose(text: string | undefined, isRequired: boolean): string | undefined {
  return isRequired || text !== undefined ? parsePurpose(text ?? '') : undefined
}
