import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { LOGIN_TOO_OLD } from '../domain/accounts/refusals.js'
import { type Refusal, TemporaryRefusal } from '../domain/refusal.js'
import { nullable } from '../services/schemas.js'
import { sentMessage, statusOf } from './error-body.js'

export { DETAILS, FINDING_CODE, nullable } from '../services/schemas.js'

/** An instant; in JSON, a string in ISO 8601 and UTC */
export const Timestamp = Type.Unsafe<Date>({
  type: 'string',
  format: 'date-time',
  examples: ['2026-11-21T08:00:00.000Z'],
})

/** A user in responses. The title becomes the name of the schema below `components` in the OpenAPI document. */
export const User = Type.Object(
  {
    id: Type.Integer({ examples: [7] }),
    username: Type.String({ examples: ['erika'] }),
    display_name: Type.String({ examples: ['Erika Muster'] }),
    is_admin: Type.Boolean(),
    created_at: Timestamp,
  },
  { title: 'User' },
)

const errorFields = {
  statusCode: Type.Integer({ examples: [400] }),
  error: Type.String({ description: 'The English name of the status.', examples: ['Bad Request'] }),
  message: Type.String({ description: 'German message for users.', examples: ['Ungültiger JSON-Inhalt'] }),
  requestId: Type.Optional(Type.String({ description: 'Only with 5xx: request id in the log.' })),
}

export const ErrorBody = Type.Object(errorFields, { title: 'Error' })

export function errorWith<T extends TProperties>(fields: T, title: string) {
  return Type.Object({ ...errorFields, ...fields }, { title })
}

export const Done = Type.Object({ ok: Type.Literal(true, { examples: [true] }) })

/**
 * Returns the schema of a response that the handler sends as a string, bytes or a stream. The schema describes what the
 * client receives, `Sent` what the handler returns.
 */
export function sentAs<Sent>(schema: TSchema) {
  return Type.Unsafe<Sent>(schema)
}

export function optional(description: string, example: string) {
  return Type.Optional(Type.String({ description, examples: [example] }))
}

/** Version in the body of a change of an object that has a form */
export const BasedOn = Type.Optional(
  Type.Integer({
    description: 'The `version` that the change is based on; 409 if it is outdated. If absent, it is not checked.',
    examples: [1],
  }),
)

/** Client id in the body of a request of a form that creates an object */
export const FormClientId = Type.Optional(
  Type.String({
    minLength: 8,
    maxLength: 64,
    description:
      'Chosen by the client, unique for the caller. A repeated request returns the same object and creates none; with \
other fields it gets 409, and `X-Error-Details` names the object.',
    examples: ['5f0e9a550a3c2f7f3f1c9a4e6f0b4f0e'],
  }),
)

/** Schema key of the refusals that `responses` stores for the OpenAPI document */
export const REFUSALS_KEY = 'x-refusals'

/**
 * Returns the response schemas of a route: the success body, refusals other than the shared ones, and further bodies by
 * status.
 */
export function responses<T extends TSchema, E extends Record<number, TSchema> = Record<never, never>>(
  success: T,
  refusals: Refusal[] = [],
  bodies?: E,
) {
  const refused = refusals.length === 0 ? ErrorBody : { ...ErrorBody, [REFUSALS_KEY]: refusals.map(describeRefusal) }
  return { 200: success, '4xx': refused, '5xx': ErrorBody, ...bodies } as {
    200: T
    '4xx': typeof ErrorBody
    '5xx': typeof ErrorBody
  } & E
}

/** Body of a response with the status 304 */
export const Unchanged = Type.Null({ description: '`If-None-Match` contains the current ETag.' })

export function redirects(description: string) {
  const headers = { Location: { type: 'string', description: 'Target of the redirect.' } }
  return { 302: Type.Null({ description, headers }), '4xx': ErrorBody, '5xx': ErrorBody }
}

export interface DescribedRefusal {
  status: number
  code: string
  message: string
  isForLater: boolean
  asksForLogin: boolean
  hasField: boolean
  hasDetails: boolean
}

export function describeRefusal(refusal: Refusal): DescribedRefusal {
  return {
    status: statusOf(refusal),
    code: refusal.code,
    message: sentMessage(refusal),
    isForLater: refusal instanceof TemporaryRefusal,
    asksForLogin: refusal === LOGIN_TOO_OLD,
    hasField: refusal.field !== undefined,
    hasDetails: refusal.details !== undefined,
  }
}

export const LANG = { description: 'Language of the texts (BCP 47).', examples: ['de'] }

const Original = Type.String({
  description: 'Slug of the original, of the same source; null unless this is a variant in another language.',
  examples: ['git'],
})

const VARIANT = {
  slug: Type.String({ examples: ['git-en'] }),
  lang: Type.String({ ...LANG, examples: ['en'] }),
  title: Type.String({ examples: ['Git for everyone'] }),
}
const VARIANTS = { description: 'The variants of an original, by language; empty for a variant.' }

/** Language, original and variants of a deck, sheet or test */
export const GROUP = {
  lang: Type.String(LANG),
  translation_of: nullable(Original),
  variants: Type.Array(Type.Object(VARIANT, { title: 'Variant' }), VARIANTS),
}

const TRANSLATION_OUTDATED = Type.Boolean({
  description: 'Whether the original has changed since the variant was checked against it; false for an original.',
})

/** The same for its editors */
export const EDITED_GROUP = {
  ...GROUP,
  translation_outdated: TRANSLATION_OUTDATED,
  variants: Type.Array(
    Type.Object({ ...VARIANT, translation_outdated: TRANSLATION_OUTDATED }, { title: 'EditedVariant' }),
    VARIANTS,
  ),
}

/** A deck, sheet or test in the lists of learners, who see one variant of each group */
export const LEARNER_GROUP = {
  lang: Type.String(LANG),
  translation_of: nullable(Original),
  preferred: Type.Boolean({
    description: `Whether this is the variant that the caller has chosen, or else the one in the caller's language, or else
the original; true without variants.`,
  }),
}

/** Language and original in the body of a request */
export const GroupEdit = {
  lang: Type.Optional(Type.String(LANG)),
  translation_of: Type.Optional(nullable(Original)),
}
