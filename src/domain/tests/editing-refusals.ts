import { InvalidInput, Refusal } from '../refusal.js'

/** Maximum number of faults that the message of a refused publication contains */
const NAMED_FAULTS = 3

/** A test cannot be published because its sections have faults. */
export class NotPublishable extends Refusal {
  /** @param faults German sentences */
  constructor(faults: readonly string[]) {
    const more = faults.length - NAMED_FAULTS
    const named = faults.slice(0, NAMED_FAULTS).join('; ')
    super('conflict', 'not_publishable', more > 0 ? `${named}; dazu ${more} weitere Fehler` : named)
  }
}

/** A definition in a request has a fault; `message` is German. */
export class FaultyDefinition extends InvalidInput {
  constructor(message: string) {
    super(message, 'faulty_definition')
  }
}

export const SOURCE_MISSING = new InvalidInput('Das Feld „source_id“ fehlt', 'source_missing')
export const TEST_VERSION_MISSING = new InvalidInput('Das Feld „version“ fehlt', 'test_version_missing')
export const OTHER_SOURCE = new Refusal('conflict', 'other_source', 'Der Test gehört einer anderen Quelle')
export const BAD_TEST_SLUG = new InvalidInput(
  'Der Slug hat 1 bis 200 Zeichen, ohne Tabulatoren, Zeilenumbrüche und Steuerzeichen',
  'bad_test_slug',
)
export const TEST_ARCHIVED = new Refusal(
  'conflict',
  'test_archived',
  'Der Test ist archiviert; bitte zuerst wiederherstellen',
)
