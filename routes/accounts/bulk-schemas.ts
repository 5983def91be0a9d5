import { Type } from '@sinclair/typebox'
import { MAX_USERS } from '../../src/domain/accounts/user-list.js'
import { errorWith, nullable, optional } from '../../src/http/schemas.js'

export const BulkQuery = Type.Object({
  check: optional('`true` judges the list and writes nothing; absent, empty or `false` creates the users.', 'true'),
})

export const JSON_BODY = Type.Object({
  users: Type.Array(
    Type.Object({
      username: Type.String({ description: '1 to 200 characters after trimming.', examples: ['erika'] }),
      display_name: Type.Optional(
        nullable(Type.String({ description: 'The user name when absent.', examples: ['Erika Muster'] })),
      ),
      is_admin: Type.Optional(nullable(Type.Boolean())),
      password: Type.Optional(
        nullable(
          Type.String({
            description: '6 to 1,000 characters; one is made up when it is absent or empty.',
            examples: ['vier zufällige Wörter'],
          }),
        ),
      ),
      must_change_password: Type.Optional(nullable(Type.Boolean({ description: '`true` when absent.' }))),
    }),
    { minItems: 1, maxItems: MAX_USERS },
  ),
})

export const CSV_BODY = Type.String({
  description: `UTF-8 (or Windows-1252, as Excel writes it), separated by semicolons, commas or tabs. Headings:
\`username\` (\`benutzername\`), \`display_name\` (\`name\`, \`anzeigename\`), \`is_admin\` (\`administrator\`: ja, nein, true,
false, 1, 0 or nothing), \`password\` (\`passwort\`); only the first is required.`,
  examples: ['benutzername;name;administrator\nerika;Erika Muster;nein\n'],
})

const Line = Type.Integer({ description: 'Of the file; of JSON the place in the list, from 1 on.', examples: [2] })

export const BulkAnswer = Type.Object({
  check: Type.Boolean({ description: 'Whether the list was only judged.' }),
  users: Type.Array(
    Type.Object({
      line: Line,
      id: nullable(Type.Integer({ description: 'Null with `check`.', examples: [7] })),
      username: Type.String({ examples: ['erika'] }),
      display_name: Type.String({ examples: ['Erika Muster'] }),
      is_admin: Type.Boolean(),
      must_change_password: Type.Boolean(),
      password: nullable(
        Type.String({
          description: 'Only one that was made up, and only this time; null with `check`.',
          examples: ['k7mf-3xqv-9dtw-2hcr'],
        }),
      ),
    }),
  ),
})

export const BulkRefused = errorWith(
  {
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          line: Line,
          field: nullable(Type.String({ examples: ['username'] })),
          message: Type.String({ examples: ['Benutzername existiert bereits'] }),
        }),
        { description: 'Every fault of the list.' },
      ),
    ),
  },
  'BulkError',
)
