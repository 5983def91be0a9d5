import { InvalidField, InvalidInput, Refusal } from '../refusal.js'

const NAMED_FAULTS = 3

/** The sections of a test have faults, so the test can be neither published nor exported. */
export class NotPublishable extends Refusal {
  /** @param faults German sentences */
  constructor(faults: readonly string[]) {
    const more = faults.length - NAMED_FAULTS
    const named = faults.slice(0, NAMED_FAULTS).join('; ')
    super('conflict', 'not_publishable', more > 0 ? `${named}; dazu ${more} weitere Fehler` : named)
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
