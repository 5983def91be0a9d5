import { MAX_RESULTS } from './page.js'
import { ENTERPRISE_SCHEMA, GROUP_SCHEMA, USER_SCHEMA } from './schemas.js'

// The answers of discovery (RFC 7643, 5 to 7). They name only what the service stores.

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema'
const RESOURCE_TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
const CONFIG = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'

export function viewConfig(base: string) {
  const no = { supported: false }
  return {
    schemas: [CONFIG],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_RESULTS },
    changePassword: no,
    sort: no,
    etag: no,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'API token',
        description: 'A token with the scope "scim", as Authorization: Bearer',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

export function listResourceTypes(base: string) {
  const describe = (name: 'User' | 'Group', schema: string, schemaExtensions: object[]) => ({
    schemas: [RESOURCE_TYPE],
    id: name,
    name,
    endpoint: `/${name}s`,
    description: name === 'User' ? 'Accounts' : 'Teams',
    schema,
    schemaExtensions,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  })
  return [
    describe('User', USER_SCHEMA, [{ schema: ENTERPRISE_SCHEMA, required: false }]),
    describe('Group', GROUP_SCHEMA, []),
  ]
}

interface Attribute {
  name: string
  type: 'string' | 'boolean' | 'complex' | 'reference'
  description: string
  multiValued: boolean
  required: boolean
  caseExact: boolean
  mutability: 'readWrite' | 'readOnly' | 'immutable'
  returned: 'default' | 'always'
  uniqueness: 'none' | 'server'
  subAttributes?: Attribute[]
}

const attribute = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
})

const EXTERNAL_ID = attribute('externalId', 'Id at the provider, at most 128 characters', {
  caseExact: true,
  uniqueness: 'server',
})

const USER: Attribute[] = [
  attribute('userName', 'User name, at most 200 characters', { required: true, uniqueness: 'server' }),
  EXTERNAL_ID,
  attribute('displayName', 'Display name, at most 200 characters; if absent, the name or the user name'),
  attribute('name', 'Parts of the display name; only the whole name is stored', {
    type: 'complex',
    subAttributes: [
      attribute('formatted', 'The display name'),
      attribute('givenName', 'Used only if displayName and formatted are absent'),
      attribute('familyName', 'Used only if displayName and formatted are absent'),
    ],
  }),
  attribute('active', 'Whether the account is not disabled', { type: 'boolean' }),
  attribute('emails', 'One address: the primary one, otherwise that of work, otherwise the first', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The address'),
      attribute('type', 'Always work'),
      attribute('primary', 'Always true', { type: 'boolean' }),
    ],
  }),
]

const ENTERPRISE: Attribute[] = [
  attribute('employeeNumber', 'Personnel number, at most 40 characters', { caseExact: true, uniqueness: 'server' }),
]

const GROUP: Attribute[] = [
  attribute('displayName', 'Name of the team, at most 200 characters', {
    required: true,
    caseExact: true,
    uniqueness: 'server',
  }),
  EXTERNAL_ID,
  attribute('members', 'All current members; a change affects only memberships that SCIM has added', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Id of the user', { mutability: 'immutable', caseExact: true }),
      attribute('display', 'Display name of the user', { mutability: 'readOnly' }),
      attribute('type', 'Always User', { mutability: 'immutable' }),
    ],
  }),
]

export function listSchemas(base: string) {
  const describe = (id: string, name: string, description: string, attributes: Attribute[]) => ({
    schemas: [SCHEMA],
    id,
    name,
    description,
    attributes,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  })
  return [
    describe(USER_SCHEMA, 'User', 'An account', USER),
    describe(ENTERPRISE_SCHEMA, 'EnterpriseUser', 'The personnel number of an account', ENTERPRISE),
    describe(GROUP_SCHEMA, 'Group', 'A team', GROUP),
  ]
}
