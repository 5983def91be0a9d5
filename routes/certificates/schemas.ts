import { Type } from '@sinclair/typebox'
import { CERTIFICATE_STATES } from '../../db/queries/certificates/search.js'
import { LANGUAGES } from '../../src/domain/text/language.js'
import { parseChoice } from '../../src/domain/text/parameters.js'
import {
  choice,
  Deleted,
  id,
  NEXT_OF_NEWEST_FIRST,
  NextChangedSince,
  newestFirst,
  pageOrChanges,
  parameter,
} from '../../src/http/query.js'
import { nullable, optional, Timestamp } from '../../src/http/schemas.js'

const Code = Type.String({ description: '26 characters.', examples: ['AB7K9QF2M4X8ZC6T3VN5HRWDJE'] })
const Day = Type.String({ format: 'date', examples: ['2026-12-05'] })

export const CertificateParams = Type.Object({ code: Type.String({ examples: ['AB7K9QF2M4X8ZC6T3VN5HRWDJE'] }) })

export const OwnCertificatesQuery = Type.Object({
  ...newestFirst({ maximum: 100, fallback: 50, cursor: 'int32' }),
})

export const OwnCertificates = Type.Object({
  proofs: Type.Array(
    Type.Object({
      code: Code,
      title: Type.String({ examples: ['IT-Sicherheit, jährlich'] }),
      completed_on: Day,
      issued_at: Timestamp,
      valid_until: nullable(Day),
      revoked_at: nullable(Timestamp),
      replaced_by: nullable(Code),
    }),
  ),
  ...NEXT_OF_NEWEST_FIRST,
})

export const Verified = Type.Object({
  proof: Type.Object({
    code: Code,
    issuer: nullable(
      Type.String({ description: 'Company at the time of issue; null if none was set.', examples: ['Muster GmbH'] }),
    ),
    name: Type.String({ examples: ['Erika Muster'] }),
    title: Type.String({ examples: ['IT-Sicherheit, jährlich'] }),
    completed_on: Day,
    for_period: nullable(
      Type.Object({ from: Day, to: Day }, { description: 'Period that was completed late; null if it was in time.' }),
    ),
    issued_at: Timestamp,
    valid_until: nullable(Day),
    revoked_at: nullable(Timestamp),
    replaced_by: nullable(Code),
    replaces: nullable(Code),
    parts: Type.Array(
      Type.Object({
        kind: Type.Unsafe<'sheet' | 'test' | 'deck' | 'personal'>({
          type: 'string',
          enum: ['sheet', 'test', 'deck', 'personal'],
        }),
        title: Type.String({ description: 'Title of the original.' }),
        lang: nullable(
          Type.String({ description: 'Language in which it was done (BCP 47); null if unknown.', examples: ['en'] }),
        ),
        variant_title: nullable(
          Type.String({ description: 'Title in that language; null if it was done as the original.' }),
        ),
        done_on: Day,
        version: nullable(Type.Integer({ description: 'Version of the content; null if it has none.' })),
        confirmed_by: nullable(Type.String({ description: 'Instructor of a personal part.' })),
      }),
    ),
  }),
})

const Person = Type.Object({
  display_name: Type.String({ description: 'Name on the proof.', examples: ['Erika Muster'] }),
  personnel_number: nullable(Type.String({ examples: ['00417'] })),
})

const DAYS = ['30', '60', '90']
const days = parameter<number>(
  {
    type: 'integer',
    enum: DAYS.map(Number),
    default: 30,
    description: 'What ends within this number of days.',
    examples: [30],
  },
  (text, name) => Number(parseChoice(text, name, DAYS) ?? 30),
)

const places = {
  team: id('int32', 'Id of a team: only its current members.'),
  assignment: id('int32', 'Id of an assignment.'),
}

export const CertificatesQuery = Type.Object({
  q: optional('Part of the name or personnel number on the proof, case-insensitive.', 'muster'),
  person: id('int32', 'Id of a user.'),
  ...places,
  completed_from: optional('First day of completion.', '2026-01-01'),
  completed_to: optional('Last day of completion.', '2026-12-31'),
  state: choice(CERTIFICATE_STATES, '`expiring`: valid, but not longer than `days`; `valid` includes these.'),
  days,
  ...pageOrChanges({ maximum: 100, fallback: 50 }),
})

export const CertificateList = Type.Object({
  proofs: Type.Array(
    Type.Union([
      Type.Object({
        id: Type.Optional(Type.Integer({ description: 'Only with `changed_since`.' })),
        code: Code,
        person: Person,
        titles: Type.Array(Type.String(), {
          description: 'Title of the assignment, then the titles of its parts.',
          examples: [['Brandschutz', 'Fluchtwege']],
        }),
        completed_on: Day,
        valid_until: nullable(Day),
        revoked_at: nullable(Timestamp),
      }),
      Deleted,
    ]),
  ),
  next_after: NEXT_OF_NEWEST_FIRST.next_after,
  next_changed_since: NextChangedSince,
})

export const EndingQuery = Type.Object({ days, ...places })

export const EndingTableQuery = Type.Object({
  ...EndingQuery.properties,
  purpose: optional(
    'Purpose of the export; recorded in the audit trail. Required for auditors.',
    'Audit ISO 27001, 2026',
  ),
})

export const EndingList = Type.Object({
  items: Type.Array(
    Type.Object({
      kind: Type.Unsafe<'proof' | 'task'>({ type: 'string', enum: ['proof', 'task'] }),
      code: nullable(Type.String({ description: 'Code of the proof; null for a task.' })),
      person: Person,
      assignment: Type.Object({ id: Type.Integer(), title: Type.String({ examples: ['Brandschutz'] }) }),
      ends_on: Type.String({ format: 'date', description: 'Last day of the proof, or due day of the task.' }),
      teams: Type.Array(Type.String(), { description: 'Names of the current teams of the person.' }),
    }),
  ),
  complete: Type.Boolean({ description: 'False if there are more than these 1,000 items; the table has all.' }),
})

export const CertificateChoices = Type.Object({
  assignments: Type.Array(Type.Object({ id: Type.Integer(), title: Type.String() })),
  teams: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
})

export const CertificateFileQuery = Type.Object({
  lang: choice(
    LANGUAGES,
    'Language of the printed words, default that of the app for the caller; titles and notes are printed as they are.',
  ),
})

export const CertificateExportQuery = Type.Object({
  purpose: Type.String({
    description: 'Purpose of the export; recorded in the audit trail.',
    examples: ['Audit ISO 27001, 2026'],
  }),
})

export const CertificateArchiveQuery = Type.Object({
  ...CertificateExportQuery.properties,
  ...CertificateFileQuery.properties,
})

export const RevokeBody = Type.Object({ reason: Type.String({ examples: ['Falsche Person'] }) })

export const Replaced = Type.Object({ code: Code })

export const CertificateFile = Type.Unsafe<never>({ type: 'string', format: 'binary' })
export const CertificateTable = Type.String({ description: 'UTF-8 with a byte order mark, separated by semicolons.' })
