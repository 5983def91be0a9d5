import { Refusal } from './refusal.js'

/** Kinds of objects that a form creates with a `client_id` */
export type FormKind = 'assignment' | 'team' | 'deck'

/** The caller has created another object with this client id; the details name it. */
export const CLIENT_ID_USED = new Refusal(
  'conflict',
  'client_id_used',
  'Das ist schon angelegt, aber mit anderen Angaben',
)
