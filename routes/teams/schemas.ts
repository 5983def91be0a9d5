import { Type } from '@sinclair/typebox'
import { changedSince, Deleted, NextChange, NextChangedSince, onlyWithChanges, page } from '../../src/http/query.js'
import { BasedOn, FormClientId, nullable, Timestamp } from '../../src/http/schemas.js'

export const TeamParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['3'] }) })

export const MemberParams = Type.Object({
  id: Type.String({ description: 'Id of the team, decimal digits.', examples: ['3'] }),
  userId: Type.String({ description: 'Id of the user, decimal digits.', examples: ['7'] }),
})

const Name = Type.String({ description: '1 to 200 characters after trimming; unique.', examples: ['Werkstatt'] })

const ExternalGroup = nullable(
  Type.String({
    description: 'Group of the sign-in provider (`OIDC_GROUPS_CLAIM`) whose persons are members; unique.',
    examples: ['training-werkstatt'],
  }),
)

const ExternalId = nullable(
  Type.String({
    description: `Id in the system that manages the teams: 1 to 128 characters after trimming, unique among all teams;
upper and lower case differ.`,
    examples: ['T-3'],
  }),
)

export const ExternalIdParams = Type.Object({
  external_id: Type.String({
    description: '1 to 128 characters after trimming, percent-encoded; upper and lower case differ.',
    examples: ['T-3'],
  }),
})

export const CreateTeamBody = Type.Object({
  name: Name,
  external_group: Type.Optional(ExternalGroup),
  external_id: Type.Optional(ExternalId),
  client_id: FormClientId,
})

export const ChangeTeamBody = Type.Object({
  name: Type.Optional(Name),
  external_group: Type.Optional(ExternalGroup),
  external_id: Type.Optional(ExternalId),
  version: BasedOn,
})

export const PutTeamBody = Type.Object({
  name: Type.Optional(
    Type.String({
      description: '1 to 200 characters after trimming; unique. Required for a new team.',
      examples: ['Werkstatt'],
    }),
  ),
  external_group: Type.Optional(ExternalGroup),
})

const TEAM = { id: Type.Integer({ examples: [3] }), name: Name }

const Version = Type.Integer({
  description: 'Starts at 1; each change of the name, the group or the external id adds 1.',
  examples: [1],
})

const Team = Type.Object(
  { ...TEAM, external_group: ExternalGroup, external_id: ExternalId, created_at: Timestamp, version: Version },
  { title: 'Team' },
)

/** A team with all fields for administrators, but only with id and name for leads */
const VIEWED_TEAM = {
  ...TEAM,
  external_group: Type.Optional(ExternalGroup),
  external_id: Type.Optional(ExternalId),
  created_at: Type.Optional(Timestamp),
  version: Type.Optional(Version),
}

export const TeamResponse = Type.Object({ team: Team })

const paging = page({ maximum: 1_000, fallback: 1_000, cursor: 'int64' })

/** `limit` and `after` apply only with `changed_since`; the list without it has all teams. */
export const TeamsQuery = Type.Object({
  changed_since: changedSince,
  after: onlyWithChanges(paging.after),
  limit: onlyWithChanges(paging.limit),
})

export const TeamList = Type.Object({
  teams: Type.Array(
    Type.Union([
      Type.Object({ ...VIEWED_TEAM, members: Type.Integer({ description: 'Current members, leads included.' }) }),
      Deleted,
    ]),
  ),
  next_after: NextChange,
  next_changed_since: NextChangedSince,
})

const Role = Type.Unsafe<'member' | 'lead'>({ type: 'string', enum: ['member', 'lead'], examples: ['member'] })

/** The default is large, because callers without `after` expect all members. */
export const TeamQuery = Type.Object(page({ maximum: 1_000, fallback: 1_000, cursor: 'int32' }))

export const TeamWithMembers = Type.Object({
  team: Type.Object({
    ...VIEWED_TEAM,
    by_scim: Type.Optional(Type.Boolean({ description: 'Whether an identity provider manages the team by SCIM.' })),
  }),
  members: Type.Array(
    Type.Object({
      id: Type.Integer({ examples: [7] }),
      username: Type.Optional(Type.String({ examples: ['erika'] })),
      display_name: Type.String({ examples: ['Erika Muster'] }),
      role: Role,
      by_group: Type.Optional(Type.Boolean({ description: "Whether the provider's groups make the person a member." })),
      by_hand: Type.Optional(
        Type.Boolean({
          description: `Whether an administrator has made the person a member, or SCIM left the membership when the team
was released; both may be true.`,
        }),
      ),
    }),
    { description: 'Leads first, then by name.' },
  ),
  next_after: nullable(Type.Integer({ description: '`after` of the next page; null on the last page.' })),
})

export const MemberBody = Type.Object({ role: Role })
