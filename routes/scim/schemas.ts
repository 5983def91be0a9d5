import { type TSchema, Type } from '@sinclair/typebox'
import { SCIM_TYPE } from '../../plugins/scim.js'
import { MAX_RESULTS } from '../../src/domain/scim/page.js'
import { ENTERPRISE_SCHEMA } from '../../src/domain/scim/schemas.js'
import { parameter } from '../../src/http/query.js'

const JSON_TYPE = 'application/json'

const Schemas = Type.Array(Type.String(), { examples: [['urn:ietf:params:scim:schemas:core:2.0:User']] })

const Meta = Type.Object(
  {
    resourceType: Type.String({ examples: ['User'] }),
    created: Type.Optional(Type.String({ format: 'date-time' })),
    location: Type.String({ examples: ['https://training.example.org/scim/v2/Users/7'] }),
  },
  { title: 'ScimMeta' },
)

const Email = Type.Object({
  value: Type.Optional(Type.String({ examples: ['erika@example.org'] })),
  type: Type.Optional(Type.String({ examples: ['work'] })),
  primary: Type.Optional(Type.Boolean()),
})

const Name = Type.Object({
  formatted: Type.Optional(Type.String({ examples: ['Erika Muster'] })),
  givenName: Type.Optional(Type.String()),
  familyName: Type.Optional(Type.String()),
})

const USER = {
  externalId: Type.Optional(Type.String({ description: 'At most 128 characters; unique.', examples: ['P-417'] })),
  displayName: Type.Optional(Type.String({ examples: ['Erika Muster'] })),
  name: Type.Optional(Name),
  active: Type.Optional(Type.Boolean()),
  emails: Type.Optional(Type.Array(Email)),
  [ENTERPRISE_SCHEMA]: Type.Optional(
    Type.Object({ employeeNumber: Type.Optional(Type.String({ examples: ['00417'] })) }),
  ),
}

const UserName = Type.String({ description: 'Compared without case; unique.', examples: ['erika'] })

const Id = Type.String({ examples: ['7'] })

/** All except `schemas` and `id` are missing if `attributes` or `excludedAttributes` leave them out. */
const User = Type.Object(
  { schemas: Schemas, id: Id, userName: Type.Optional(UserName), ...USER, meta: Type.Optional(Meta) },
  { title: 'ScimUser' },
)

const Member = Type.Object({
  value: Type.Optional(Type.String({ description: 'Id of the user.', examples: ['7'] })),
  display: Type.Optional(Type.String({ examples: ['Erika Muster'] })),
  type: Type.Optional(Type.String({ examples: ['User'] })),
})

const GROUP = {
  externalId: Type.Optional(Type.String({ examples: ['T-3'] })),
  members: Type.Optional(Type.Array(Member)),
}

const GroupName = Type.String({ description: 'Name of the team; unique.', examples: ['Werkstatt'] })

const Group = Type.Object(
  { schemas: Schemas, id: Id, displayName: Type.Optional(GroupName), ...GROUP, meta: Type.Optional(Meta) },
  { title: 'ScimGroup' },
)

const open = { additionalProperties: true }

const UserInput = Type.Object({ userName: UserName, ...USER }, open)
const GroupInput = Type.Object({ displayName: GroupName, ...GROUP }, open)

const patchInput = (...examples: { op: string; path: string; value?: unknown }[]) =>
  Type.Object(
    {
      schemas: Type.Optional(Schemas),
      Operations: Type.Array(
        Type.Object({
          op: Type.String({ description: '`add`, `replace` or `remove`, in any case.', examples: ['replace'] }),
          path: Type.Optional(Type.String({ examples: ['active'] })),
          value: Type.Optional(Type.Unknown()),
        }),
      ),
    },
    {
      ...open,
      examples: examples.map((one) => ({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [one],
      })),
    },
  )

const SearchInput = Type.Object(
  {
    filter: Type.Optional(Type.String({ examples: ['userName eq "erika"'] })),
    startIndex: Type.Optional(Type.Integer()),
    count: Type.Optional(Type.Integer()),
    attributes: Type.Optional(Type.Array(Type.String())),
    excludedAttributes: Type.Optional(Type.Array(Type.String())),
  },
  open,
)

const Described = Type.Object({ schemas: Schemas, meta: Meta }, open)

const ScimError = Type.Object(
  {
    schemas: Type.Array(Type.String(), { examples: [['urn:ietf:params:scim:api:messages:2.0:Error']] }),
    status: Type.String({ examples: ['409'] }),
    scimType: Type.Optional(Type.String({ description: 'Keyword of RFC 7644, table 9.', examples: ['uniqueness'] })),
    detail: Type.String({ examples: ['Another resource has this userName'] }),
  },
  { title: 'ScimError' },
)

const listOf = (resource: TSchema) =>
  Type.Object({
    schemas: Schemas,
    totalResults: Type.Integer(),
    startIndex: Type.Integer(),
    itemsPerPage: Type.Integer(),
    Resources: Type.Array(resource),
  })

const asScim = (schema: TSchema) => ({ content: { [SCIM_TYPE]: { schema } } })
const ERRORS = { '4xx': asScim(ScimError), '5xx': asScim(ScimError) }

const Empty = Type.Null({ description: 'Done; the response has no body.' })

/** Response schemas of the endpoints, by status */
export const USER_RESPONSE = { 200: asScim(User), ...ERRORS }
export const USER_CREATED = { 201: asScim(User), ...ERRORS }
export const USER_LIST = { 200: asScim(listOf(User)), ...ERRORS }
export const GROUP_RESPONSE = { 200: asScim(Group), ...ERRORS }
export const GROUP_CREATED = { 201: asScim(Group), ...ERRORS }
export const GROUP_LIST = { 200: asScim(listOf(Group)), ...ERRORS }
export const NO_CONTENT = { 204: Empty, ...ERRORS }
export const DISCOVERED = { 200: asScim(Described), ...ERRORS }
export const DISCOVERED_LIST = { 200: asScim(listOf(Described)), ...ERRORS }

const bodyOf = (schema: TSchema) => ({ content: { [SCIM_TYPE]: { schema }, [JSON_TYPE]: { schema } } })

export const USER_BODY = bodyOf(UserInput)
export const GROUP_BODY = bodyOf(GroupInput)
export const USER_PATCH = bodyOf(patchInput({ op: 'replace', path: 'active', value: false }))
export const GROUP_PATCH = bodyOf(
  patchInput({ op: 'add', path: 'members', value: [{ value: '7' }] }, { op: 'remove', path: 'members[value eq "7"]' }),
)
export const SEARCH_BODY = bodyOf(SearchInput)

export const ScimParams = Type.Object({ id: Type.String({ description: 'Id of the resource.', examples: ['7'] }) })

const whole = (description: string, example: number) =>
  parameter<string | undefined>({ type: 'integer', description, examples: [example] }, (text) => text)

const SHOWN = {
  attributes: Type.Optional(Type.String({ description: 'Names, separated by commas.', examples: ['userName,active'] })),
  excludedAttributes: Type.Optional(Type.String({ description: 'Names, separated by commas.', examples: ['members'] })),
}

export const ShownQuery = Type.Object(SHOWN)

export const ListQuery = Type.Object({
  filter: Type.Optional(
    Type.String({
      description: 'Comparisons with `eq`, joined with `and`; at most 2,000 characters.',
      examples: ['userName eq "erika"'],
    }),
  ),
  startIndex: whole('Counts from 1.', 1),
  count: whole(`At most ${MAX_RESULTS}; default 100.`, 100),
  ...SHOWN,
})
