import { Type } from '@sinclair/typebox'
import { NEXT_OF_NEWEST_FIRST, newestFirst } from '../../src/http/query.js'
import { nullable, Timestamp } from '../../src/http/schemas.js'

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
        title: Type.String(),
        done_on: Day,
        version: nullable(Type.Integer({ description: 'Version of the content; null if it has none.' })),
        confirmed_by: nullable(Type.String({ description: 'Instructor of a personal part.' })),
      }),
    ),
  }),
})

export const CertificateExportQuery = Type.Object({
  purpose: Type.String({
    description: 'Purpose of the export; recorded in the audit trail.',
    examples: ['Audit ISO 27001, 2026'],
  }),
})

export const RevokeBody = Type.Object({ reason: Type.String({ examples: ['Falsche Person'] }) })

export const Replaced = Type.Object({ code: Code })

export const CertificateFile = Type.Unsafe<never>({ type: 'string', format: 'binary' })
export const CertificateTable = Type.String({ description: 'UTF-8 with a byte order mark, separated by semicolons.' })
