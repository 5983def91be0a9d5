import { type TSchema, Type } from '@sinclair/typebox'
import { PART_KINDS, type PartKind } from '../../src/domain/assignments/assignment.js'
import { PART_STATES, type PartState } from '../../src/domain/assignments/part-state.js'
import { OCCURRENCE_STATES, type OccurrenceState, OPEN_STATES } from '../../src/domain/assignments/plan.js'
import type { Due, Starts } from '../../src/domain/assignments/schedule.js'
import {
  choice,
  choices,
  Deleted,
  flag,
  id,
  NEXT_OF_NEWEST_FIRST,
  NextChangedSince,
  newestFirst,
  pageOrChanges,
} from '../../src/http/query.js'
import { BasedOn, FormClientId, GROUP, nullable, optional, Timestamp } from '../../src/http/schemas.js'
import { CertificateFileQuery } from '../certificates/schemas.js'

const MAX_PARTS = 20
const MAX_TEAMS = 1_000
const MAX_USERS = 10_000
const MAX_OCCURRENCES = 1_000

const Day = Type.String({ format: 'date', examples: ['2026-12-31'] })
/** Returns the schema of a day, without `format: date`: the handler checks the day and names the field in the error. */
const GivenDay = (description: string) => Type.String({ description, examples: ['2026-12-31'] })
const Id = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, examples: [7] })

export const AssignmentParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['3'] }) })
export const OccurrenceParams = AssignmentParams

const Kind = Type.Unsafe<PartKind>({ type: 'string', enum: [...PART_KINDS], examples: ['sheet'] })

const GivenPart = Type.Object({
  kind: Kind,
  slug: optional('Slug of the sheet, test or deck.', 'brandschutz'),
  title: optional('Title of a personal part.', 'Einweisung am Arbeitsplatz'),
  share_percent: Type.Optional(
    Type.Integer({
      description: `Share of the cards of a deck that must be rated \`medium\` or \`easy\` once; if absent, every card
must be rated once.`,
      examples: [80],
    }),
  ),
})

const Everybody = Type.Boolean({ description: 'All accounts, including future ones.', examples: [false] })
const TeamIds = Type.Array(Id, { maxItems: MAX_TEAMS })
const UserIds = Type.Array(Id, { maxItems: MAX_USERS })

const GivenAudience = Type.Object(
  { everybody: Type.Optional(Everybody), team_ids: Type.Optional(TeamIds), user_ids: Type.Optional(UserIds) },
  { description: 'At least one key.' },
)

const GivenStarts = Type.Unsafe<Starts>(
  Type.Union([
    GivenDay('The same day for all.'),
    Type.Object({ joining: Type.Literal(true) }, { description: 'The day on which a person joins the audience.' }),
    Type.Object(
      { days_after_joining: Type.Integer({ examples: [10] }) },
      { description: 'Days after the person has joined a team of the audience, or after the account was created.' },
    ),
  ]),
)

const GivenDue = Type.Unsafe<Due>(
  Type.Union([GivenDay('Last day.'), Type.Object({ days_after_start: Type.Integer({ examples: [30] }) })]),
)

const recurrence = {
  every_months: Type.Integer({
    description: 'Calendar months from the completion, or from one `window_end` to the next.',
    examples: [12],
  }),
  window_end: Type.Optional(Type.String({ description: 'Fixed last day, `MM-DD`.', examples: ['03-31'] })),
}

const GivenRecurrence = nullable(
  Type.Object({
    ...recurrence,
    opens_days_before: Type.Optional(
      Type.Integer({
        description: 'Days before the due day; at most 14 per month of `every_months`; default 30, or that maximum.',
        examples: [30],
      }),
    ),
  }),
)

const Ordered = Type.Boolean({
  description: 'Whether a part can be done only after all parts before it.',
  examples: [false],
})

const given = {
  title: Type.String({ description: '1 to 200 characters after trimming.', examples: ['Brandschutz'] }),
  description: Type.Optional(
    Type.String({ description: 'Up to 2,000 characters.', examples: ['Bitte bis Ende des Jahres'] }),
  ),
  parts: Type.Array(GivenPart, { minItems: 1, maxItems: MAX_PARTS }),
  audience: GivenAudience,
  starts: GivenStarts,
  due: GivenDue,
  recurrence: GivenRecurrence,
  mandatory: Type.Boolean({ description: 'Leads see the state of mandatory assignments.', examples: [true] }),
  ordered: Type.Optional(Ordered),
  retention_years: Type.Integer({ description: '1 to 30.', examples: [2] }),
  responsible_id: Type.Optional(nullable(Id)),
}

export const CreateAssignmentBody = Type.Object({ ...given, client_id: FormClientId })

export const ReachBody = Type.Object({ audience: GivenAudience })

export const ReachResponse = Type.Object({
  persons: Type.Integer({ description: 'Enabled accounts in the audience today, each once.', examples: [17] }),
  names: Type.Array(Type.String(), {
    description: 'The first names, at most 3.',
    examples: [['Ada Äpfel', 'Bo Birne', 'Cem Can']],
  }),
})

export const ChangeAssignmentBody = Type.Object({ ...Type.Partial(Type.Object(given)).properties, version: BasedOn })

const part = {
  kind: Kind,
  slug: nullable(Type.String({ description: 'Null for a personal part, or if the content was deleted.' })),
  title: Type.String(),
  share_percent: nullable(Type.Integer()),
}

const Assignment = Type.Object(
  {
    id: Id,
    title: Type.String({ examples: ['Brandschutz'] }),
    description: Type.String(),
    parts: Type.Array(
      Type.Object({
        ...part,
        available: Type.Boolean({ description: 'False if the content was archived or deleted.' }),
      }),
    ),
    audience: Type.Object({ everybody: Everybody, team_ids: TeamIds, user_ids: UserIds }),
    starts: GivenStarts,
    due: GivenDue,
    recurrence: nullable(Type.Object({ ...recurrence, opens_days_before: Type.Integer() })),
    mandatory: Type.Boolean(),
    ordered: Ordered,
    retention_years: Type.Integer(),
    responsible_id: nullable(Id),
    created_at: Timestamp,
    version: Type.Integer({
      description: 'Starts at 1; each change of the fields of a PATCH adds 1.',
      examples: [1],
    }),
    renewals: Type.Integer({ description: 'How often the assignment was renewed.', examples: [0] }),
  },
  { title: 'Assignment' },
)

const template = {
  ...Type.Pick(Assignment, ['title', 'description', 'mandatory', 'ordered', 'retention_years', 'recurrence'])
    .properties,
  parts: Type.Array(Type.Object(part)),
  starts: Type.Optional(Type.Object({ days_after_joining: Type.Integer({ examples: [10] }) })),
  due: Type.Object({ days_after_start: Type.Integer({ examples: [30] }) }),
}

export const TemplateList = Type.Object({
  templates: Type.Array(
    Type.Object({
      ...template,
      assignments: Type.Optional(
        Type.Array(Type.Object(template), {
          description: 'All assignments of a template that has several. The other fields are those of the first one.',
        }),
      ),
    }),
  ),
})

export const AssignmentResponse = Type.Object({ assignment: Assignment })

const NamedPerson = Type.Object({ id: Id, display_name: Type.String({ examples: ['Erika Muster'] }) })

const ListedAssignment = Type.Object(
  {
    ...Assignment.properties,
    responsible: nullable(NamedPerson),
    responsible_missing: Type.Boolean({
      description:
        'Whether there is no responsible person or the account is disabled; false for callers who may not change it.',
    }),
    teams: Type.Array(Type.Object({ id: Id, name: Type.String({ examples: ['Werkstatt'] }) }), {
      description: 'Teams of the audience; leads see only the teams that they lead.',
    }),
    rights: Type.Object(
      {
        change: Type.Boolean({ description: 'May change, renew and delete it.' }),
        see_state: Type.Boolean({ description: 'May see the state of persons.' }),
        decide: Type.Boolean({ description: 'May exempt, extend, recognise and grant attempts.' }),
      },
      { description: 'Operations to offer to the caller. Each request is authorized separately.' },
    ),
  },
  { title: 'ListedAssignment' },
)

export const AssignmentDetail = Type.Object({
  assignment: Type.Object(
    {
      ...ListedAssignment.properties,
      persons: Type.Array(NamedPerson, { description: 'Persons of the audience; empty for leads.' }),
      parts_in_use: Type.Boolean({
        description: 'Whether parts are fixed, because a person has done one. False if the caller may not change them.',
      }),
      changed_parts: Type.Array(Type.Object({ part: Type.Integer({ description: 'Index.' }), changed_at: Timestamp }), {
        description:
          'Parts whose content has changed since the assignment was created, renewed or corrected (`…/correction`).',
      }),
    },
    { title: 'AssignmentDetail' },
  ),
})

export const CorrectionBody = Type.Object({
  changed_at: Type.String({
    format: 'date-time',
    description: 'The latest `changed_at` of `changed_parts`. A time in the future is treated as now.',
    examples: ['2026-12-01T08:00:00.000Z'],
  }),
})

const urgent = {
  overdue: Type.Integer({ description: 'Open ones that are overdue.', examples: [2] }),
  due_this_week: Type.Integer({ description: 'Open ones due from today to Sunday and not overdue.', examples: [3] }),
}

export const UrgentCounts = Type.Object({
  ...urgent,
  week_ends_on: Type.String({ format: 'date', description: 'The Sunday of this week.', examples: ['2026-12-06'] }),
  assignments: Type.Array(Type.Object({ id: Id, title: Type.String({ examples: ['Brandschutz'] }), ...urgent }), {
    description: 'Assignments with such tasks, the most overdue first; at most 1,000.',
  }),
})

const NextId = nullable(Type.Integer({ description: 'Cursor of the next page; null on the last one.' }))

export const AssignmentsQuery = Type.Object({
  team: id('int32', 'Only assignments to this team; absent or empty means all.'),
  ...newestFirst({ maximum: 100, fallback: 50, cursor: 'int32' }),
})

export const AssignmentList = Type.Object({
  assignments: Type.Array(ListedAssignment),
  ...NEXT_OF_NEWEST_FIRST,
  without_responsible: nullable(
    Type.Integer({
      description: 'Assignments of the service whose responsible person is missing; null unless an administrator asks.',
    }),
  ),
})

const State = Type.Unsafe<OccurrenceState>({ type: 'string', enum: [...OCCURRENCE_STATES], examples: ['open'] })

const occurrence = {
  period: Type.String({ format: 'date', description: 'First day of the period.', examples: ['2026-12-01'] }),
  state: State,
  due: Type.String({
    format: 'date',
    description: 'Due day, including an extension.',
    examples: ['2026-12-31'],
  }),
  overdue: Type.Boolean(),
  extended_until: nullable(Day as TSchema as typeof Day),
  done_at: nullable(Timestamp),
  done_on: nullable(Type.String({ format: 'date', description: "Day of the completion, in the service's time zone." })),
  missed: Type.Integer({
    description: `Periods that the person has missed since the last one that was done, exempt or recognised. An open
occurrence with missed ones is overdue. 0 if it is not open.`,
    examples: [0],
  }),
}

const PartDoneOn = nullable(
  Type.String({ format: 'date', description: 'Day of the completion, for a personal part of the instruction.' }),
)

const PartStateName = Type.Unsafe<PartState>({
  type: 'string',
  enum: [...PART_STATES],
  description: '`closed`: not done, but the occurrence is over.',
})

export const OwnOccurrences = Type.Object({
  today: Type.String({ format: 'date', description: "The service's day, in `TIME_ZONE`.", examples: ['2026-12-05'] }),
  occurrences: Type.Array(
    Type.Object({
      id: Id,
      assignment: Type.Object({
        id: Id,
        title: Type.String(),
        description: Type.String(),
        mandatory: Type.Boolean(),
        responsible: nullable(Type.String({ description: 'Name of the responsible person.' })),
      }),
      ...occurrence,
      reason: nullable(
        Type.String({ description: 'Reason for the exemption, recognition, extension, reopening or granted attempt.' }),
      ),
      covered_until: nullable(
        Type.String({ format: 'date', description: 'Last day of the exemption or recognition.' }),
      ),
      parts: Type.Array(
        Type.Object({
          kind: Kind,
          slug: nullable(Type.String()),
          lang: nullable({ ...GROUP.lang, description: 'Language that is shown; null without content.' }),
          title: Type.String(),
          variants: Type.Array(GROUP.variants.items, {
            description: 'The content in other languages, the original first.',
          }),
          share_percent: nullable(Type.Integer()),
          state: PartStateName,
          locked: Type.Boolean({ description: 'Whether it has to wait for the parts before it.' }),
          available: Type.Boolean({ description: 'False if the content was archived or deleted.' }),
          done_at: nullable(Timestamp),
          done_on: PartDoneOn,
          held_on: nullable(Type.String({ format: 'date', description: 'Day of a personal part.' })),
          confirmed_by: nullable(Type.String({ description: 'Instructor of a personal part.' })),
        }),
      ),
      proof_code: nullable(
        Type.String({ description: 'Null until it is done.', examples: ['AB7K9QF2M4X8ZC6T3VN5HRWDJE'] }),
      ),
      proof_revoked_at: nullable(Timestamp),
    }),
  ),
})

const selection = {
  state: choices(OCCURRENCE_STATES, OCCURRENCE_STATES, 'all'),
  overdue: flag('Only open ones that are overdue.'),
  due_this_week: flag('Only open ones that are due from today to Sunday and not overdue.'),
  missing: choice(PART_KINDS, 'Only open ones with an open part of this kind.'),
  q: optional('Part of the name.', 'muster'),
}

export const OccurrencesQuery = Type.Object({
  ...pageOrChanges({ maximum: 200, fallback: 100 }),
  ...selection,
})

export const OccurrenceTableQuery = Type.Object({
  ...selection,
  purpose: optional(
    'Purpose of the export; recorded in the audit trail. Required for auditors.',
    'Audit ISO 27001, 2026',
  ),
})

export const OccurrenceTable = Type.String({ description: 'UTF-8 with a byte order mark, separated by semicolons.' })

export const OccurrenceList = Type.Object({
  occurrences: Type.Array(
    Type.Union([
      Type.Object({
        id: Id,
        user: Type.Object({
          ...NamedPerson.properties,
          personnel_number: nullable(Type.String({ examples: ['00417'] })),
          reachable: nullable(
            Type.Boolean({
              description:
                'Whether the account has an address for mail. Null for leads and auditors, and if the service sends no mail to persons.',
            }),
          ),
        }),
        ...occurrence,
        parts: Type.Array(Type.Object({ kind: Kind, title: Type.String(), state: PartStateName, done_on: PartDoneOn })),
        personal_open: Type.Boolean({ description: 'Whether a personal part is not confirmed yet.' }),
      }),
      Deleted,
    ]),
  ),
  next_after: NextId,
  next_changed_since: NextChangedSince,
  counts: nullable(
    Type.Object(
      {
        open: Type.Integer(),
        overdue: Type.Integer({ description: 'Number of open occurrences that are overdue.' }),
        due_this_week: Type.Integer({
          description: 'Number of open occurrences that are due from today to Sunday and not overdue.',
        }),
        missed: Type.Integer({ description: 'Number of occurrences whose time passed before they were done.' }),
        done: Type.Integer(),
        excused: Type.Integer({ description: 'Exempt or recognised.' }),
        left: Type.Integer(),
      },
      { description: 'Numbers of all occurrences that the caller sees; null after the first page.' },
    ),
  ),
  today: Day,
})

export const SignersQuery = Type.Object({
  state: choices(OCCURRENCE_STATES, OPEN_STATES, `${OPEN_STATES.join(',')} (not finished)`),
  ...CertificateFileQuery.properties,
})

export const SignersFile = Type.Unsafe<never>({ type: 'string', format: 'binary' })

export const ConfirmPartBody = Type.Object({
  part: Type.Integer({ description: 'Index of the part.', minimum: 0, maximum: MAX_PARTS - 1, examples: [0] }),
  lang: optional('Language in which the sheet was read; default: that in which `/mine` shows it to the caller.', 'en'),
  version: Type.Optional(
    Type.Integer({
      description: '`version` of the sheet that was shown; 409 if it is not the present one.',
      examples: [3],
    }),
  ),
  sheet_updated_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: '`updated_at` of the sheet that was read, for clients that do not send `version`.',
      examples: ['2026-11-21T08:00:00.000Z'],
    }),
  ),
})

export const ConfirmPersonalBody = Type.Object({
  ids: Type.Array(Id, { description: 'Ids of occurrences.', minItems: 1, maxItems: MAX_OCCURRENCES }),
  held_on: GivenDay('Day of the personal part, not before the period and not in the future.'),
  note: optional('Up to 2,000 characters.', 'Mit Rundgang'),
})

const reason = Type.String({ description: '1 to 2,000 characters.', examples: ['Technische Störung beim Test'] })

export const GrantBody = Type.Object({ reason, client_id: FormClientId })

export const DecisionBody = Type.Object({
  reason,
  until: Type.Optional(
    GivenDay('End of the exemption, external proof or extension, or of the time after a reopening.'),
  ),
})
