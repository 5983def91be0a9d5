import { InvalidField, InvalidInput, Refusal } from '../refusal.js'
import type { Cause } from './sections.js'

const NAMED_FAULTS = 3

export interface SectionFault {
  /** German sentence */
  message: string
  cause: Cause
  /** Index of the section; undefined for the whole test */
  section: number | undefined
}

/**
 * The sections of a test have faults, so the test can be neither published nor exported. The details describe the first
 * of them: `section` from 1, or null for the whole test, `kind` and the values of its message.
 */
export class NotPublishable extends Refusal {
  /** @param faults at least one */
  constructor(faults: readonly SectionFault[]) {
    const more = faults.length - NAMED_FAULTS
    const named = faults
      .slice(0, NAMED_FAULTS)
      .map(({ message, section }) => (section === undefined ? message : `Abschnitt ${section + 1}: ${message}`))
      .join('; ')
    const [first] = faults
    const section = first?.section === undefined ? null : first.section + 1
    super('conflict', 'not_publishable', more > 0 ? `${named}; dazu ${more} weitere Fehler` : named, {
      details: { ...first?.cause, section },
    })
  }
}

export class FaultyDefinition extends InvalidInput {
  /** @param field path of the faulty key, such as `sections/0/draw` */
  constructor(message: string, field: string) {
    super(message, 'faulty_definition', { field })
  }
}

export const SOURCE_MISSING = new InvalidField('source_id', 'fehlt', { code: 'source_missing' })
export const TEST_VERSION_MISSING = new InvalidField('version', 'fehlt', { code: 'test_version_missing' })
export const OTHER_SOURCE = new Refusal('conflict', 'other_source', 'Der Test gehört einer anderen Quelle', {
  field: 'source_id',
})
export const BAD_TEST_SLUG = new InvalidInput(
  'Der Slug hat 1 bis 200 Zeichen, ohne Tabulatoren, Zeilenumbrüche und Steuerzeichen',
  'bad_test_slug',
)
export const TEST_ARCHIVED = new Refusal(
  'conflict',
  'test_archived',
  'Der Test ist archiviert; bitte zuerst wiederherstellen',
)
