import { type Details, Refusal } from './refusal.js'

/** What a form creates with a `client_id`; `attempt`: one more attempt at the tests of an occurrence */
export type FormKind = 'assignment' | 'team' | 'deck' | 'source' | 'token' | 'attempt' | 'webhook'

/** The caller has created another object with this client id. */
export class ClientIdUsed extends Refusal {
  /** @param object names the object, as in the path of its endpoint */
  constructor(object: Details) {
    const concern = { field: 'client_id', details: object }
    super('conflict', 'client_id_used', 'Das ist schon angelegt, aber mit anderen Angaben', concern)
  }
}
