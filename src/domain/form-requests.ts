import { Refusal } from './refusal.js'

/** What a form creates with a `client_id`; `attempt`: one more attempt at the tests of an occurrence */
export type FormKind = 'assignment' | 'team' | 'deck' | 'source' | 'token' | 'attempt'

/** The caller has created another object with this client id; the details name it. */
export const CLIENT_ID_USED = new Refusal(
  'conflict',
  'client_id_used',
  'Das ist schon angelegt, aber mit anderen Angaben',
)
