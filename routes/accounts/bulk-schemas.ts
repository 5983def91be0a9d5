import { Type } from '@sinclair/typebox'
import { UPDATED_FIELDS, type ValueChange } from '../../src/domain/accounts/user-changes.js'
import { MAX_CHANGED_USERS } from '../../src/domain/accounts/user-list.js'
import type { Details } from '../../src/domain/refusal.js'
import { choice, choiceOr, flag, id } from '../../src/http/query.js'
import { DETAILS, errorWith, nullable } from '../../src/http/schemas.js'

export const BulkQuery = Type.Object({
  check: flag('Only checks the list.'),
  mode: choiceOr(['create', 'update'], 'create', 'Whether the list creates users or changes existing ones.'),
  missing: choice(['disable'], 'With `mode=update`: disables the users who are missing from the list.'),
  confirm_disabled: id('int32', 'With `missing`: the number `missing` that the check returned.'),
})

export const JSON_BODY = Type.Object({
  users: Type.Array(
    Type.Object({
      username: Type.Optional(
        nullable(
          Type.String({
            description:
              '1 to 200 characters after trimming; may be absent with `mode=update` and a `personnel_number`.',
            examples: ['erika'],
          }),
        ),
      ),
      display_name: Type.Optional(
        nullable(Type.String({ description: 'Default: the user name.', examples: ['Erika Muster'] })),
      ),
      is_admin: Type.Optional(nullable(Type.Boolean())),
      is_author: Type.Optional(nullable(Type.Boolean())),
      is_auditor: Type.Optional(nullable(Type.Boolean())),
      auditor_until: Type.Optional(
        nullable(Type.String({ description: 'Last day on which the user is an auditor.', examples: ['2026-12-04'] })),
      ),
      password: Type.Optional(
        nullable(
          Type.String({
            description: '6 to 1,000 characters; generated if absent or empty.',
            examples: ['vier zufällige Wörter'],
          }),
        ),
      ),
      must_change_password: Type.Optional(nullable(Type.Boolean({ description: 'Default: `true`.' }))),
      disabled_on: Type.Optional(
        nullable(Type.String({ description: 'First day on which the account is disabled.', examples: ['2026-12-31'] })),
      ),
      email: Type.Optional(
        nullable(Type.String({ description: 'Several users may share an address.', examples: ['erika@example.org'] })),
      ),
      personnel_number: Type.Optional(
        nullable(Type.String({ description: 'At most 40 characters, unique.', examples: ['00417'] })),
      ),
      external_id: Type.Optional(
        nullable(Type.String({ description: 'At most 128 characters, unique.', examples: ['P-417'] })),
      ),
      team: Type.Optional(
        nullable(
          Type.String({ description: 'Name of an existing team that the user joins.', examples: ['Werkstatt'] }),
        ),
      ),
      teams: Type.Optional(
        nullable(
          Type.Array(Type.String(), {
            description: 'Names of existing teams that the user joins; replaces `team`.',
            examples: [['Werkstatt', 'Ersthelfer']],
          }),
        ),
      ),
    }),
    { minItems: 1, maxItems: MAX_CHANGED_USERS },
  ),
})

export const CSV_BODY = Type.String({
  description: `UTF-8 (or Windows-1252, as Excel writes it), separated by semicolons, commas or tabs. Headings:
\`username\` (\`benutzername\`), \`display_name\` (\`name\`, \`anzeigename\`) or \`first_name\` (\`vorname\`) and
\`last_name\` (\`nachname\`; \`name\` beside a first name), \`is_admin\` (\`administrator\`),
\`is_author\` (\`autor\`) and \`is_auditor\` (\`prüfer\`): ja, nein, true, false, 1, 0 or nothing, \`auditor_until\`
(\`prüfer bis\`): a day, \`password\` (\`passwort\`), \`disabled_on\`
(\`deaktiviert ab\`): a day such as 2026-12-31 or 31.12.2026, \`email\` (\`e-mail\`), \`personnel_number\` (\`personalnummer\`),
\`external_id\` (\`externe kennung\`),
\`team\`: the name of an existing team, or \`teams\`: several names separated by \`|\`; only the first is required.
With \`mode=update\` a \`personnel_number\` may replace it, an empty field leaves the value unchanged, and the teams of the
list replace those that the user does not lead and that were set by hand.`,
  examples: ['benutzername;name;administrator\nerika;Erika Muster;nein\n'],
})

const Line = Type.Integer({
  description: 'Line of the file, or position in the JSON list; starts at 1.',
  examples: [2],
})

const rowSchema = (message: string) =>
  Type.Object({
    line: Line,
    field: nullable(Type.String({ examples: ['username'] })),
    code: Type.String({ description: 'Stable name of the fault.', examples: ['username_taken'] }),
    details: Type.Unsafe<Details | null>({ ...DETAILS, type: ['object', 'null'] }),
    message: Type.String({ examples: [message] }),
  })

const Value = Type.Unsafe<ValueChange['from']>({
  description: 'Text, boolean, names of teams, or null.',
  anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
  examples: ['Erika Muster'],
})

export const BulkAccountsResponse = Type.Object({
  check: Type.Boolean({ description: 'Whether the list was only checked.' }),
  users: Type.Array(
    Type.Object({
      line: Line,
      id: nullable(Type.Integer({ description: 'Null with `check`.', examples: [7] })),
      username: Type.String({ examples: ['erika'] }),
      display_name: Type.String({ examples: ['Erika Muster'] }),
      is_admin: Type.Boolean(),
      is_author: Type.Boolean(),
      is_auditor: Type.Boolean(),
      auditor_until: nullable(Type.String({ format: 'date' })),
      must_change_password: Type.Boolean(),
      disabled_on: nullable(Type.String({ format: 'date' })),
      email: nullable(Type.String({ examples: ['erika@example.org'] })),
      personnel_number: nullable(Type.String({ examples: ['00417'] })),
      external_id: nullable(Type.String({ examples: ['P-417'] })),
      team: nullable(Type.String({ description: 'The first team.', examples: ['Werkstatt'] })),
      teams: Type.Array(Type.String({ examples: ['Werkstatt'] })),
      password: nullable(
        Type.String({
          description: 'Generated password, returned only once; null if none was generated, and with `check`.',
          examples: ['k7mf-3xqv-9dtw-2hcr'],
        }),
      ),
    }),
  ),
  changes: Type.Optional(
    Type.Array(
      Type.Object({
        line: nullable({ ...Line, description: 'Line of the user; null for a user who is missing from the list.' }),
        id: Type.Integer({ examples: [7] }),
        username: Type.String({ examples: ['erika'] }),
        field: Type.Unsafe<ValueChange['field']>({ type: 'string', enum: [...UPDATED_FIELDS] }),
        from: Value,
        to: Value,
      }),
      { description: 'Only with `mode=update`: each value that changes, by line.' },
    ),
  ),
  missing: Type.Optional(
    Type.Integer({
      description: `Only with \`mode=update\`: number of enabled accounts that are missing from the list, without
administrators, emergency accounts and the caller.`,
      examples: [3],
    }),
  ),
  too_many_missing: Type.Optional(
    Type.Boolean({
      description: 'Only with `mode=update`: whether more than a tenth of the enabled accounts are missing.',
    }),
  ),
  service_tokens: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.Integer({ examples: [3] }),
        name: Type.String({ examples: ['nightly import'] }),
        username: Type.String({ examples: ['erika'] }),
      }),
      { description: 'Only with `mode=update`: the service tokens that end because the list disables their owners.' },
    ),
  ),
  hints: Type.Array(rowSchema('Der Benutzername enthält ein Leerzeichen. Das ist erlaubt, …'), {
    description: 'Allowed input that is often a mistake.',
  }),
})

export const BulkRefused = errorWith(
  {
    errors: Type.Optional(
      Type.Array(rowSchema('Benutzername existiert bereits'), { description: 'Every fault of the list.' }),
    ),
  },
  'BulkError',
)
