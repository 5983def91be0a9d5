import { isDisabled } from '../accounts/deactivation.js'
import { ENTERPRISE_SCHEMA, ERROR_MESSAGE, GROUP_SCHEMA, LIST_MESSAGE, USER_SCHEMA } from './schemas.js'

interface StoredUser {
  id: number
  username: string
  display_name: string
  email: string | null
  personnel_number: string | null
  external_id: string | null
  created_at: Date
  disabled_on: string | null
}

interface StoredGroup {
  id: number
  name: string
  external_id: string | null
  created_at: Date
}

/** @param base address of `/scim/v2`, without a slash at its end */
export function viewScimUser(user: StoredUser, { today, base }: { today: string; base: string }) {
  const { id, username, display_name, email, personnel_number, external_id } = user
  return {
    schemas: [USER_SCHEMA, ...(personnel_number === null ? [] : [ENTERPRISE_SCHEMA])],
    id: String(id),
    ...(external_id !== null && { externalId: external_id }),
    userName: username,
    displayName: display_name,
    name: { formatted: display_name },
    active: !isDisabled(user, today),
    ...(email !== null && { emails: [{ value: email, type: 'work', primary: true }] }),
    ...(personnel_number !== null && { [ENTERPRISE_SCHEMA]: { employeeNumber: personnel_number } }),
    meta: metaOf('User', user, base),
  }
}

/** @param members undefined if the response leaves them out */
export function viewScimGroup(
  group: StoredGroup,
  members: readonly { user_id: number; display_name: string }[] | undefined,
  base: string,
) {
  const { id, name, external_id } = group
  return {
    schemas: [GROUP_SCHEMA],
    id: String(id),
    ...(external_id !== null && { externalId: external_id }),
    displayName: name,
    ...(members && {
      members: members.map(({ user_id, display_name }) => ({
        value: String(user_id),
        display: display_name,
        type: 'User',
      })),
    }),
    meta: metaOf('Group', group, base),
  }
}

function metaOf(resourceType: 'User' | 'Group', { id, created_at }: { id: number; created_at: Date }, base: string) {
  return { resourceType, created: created_at.toISOString(), location: `${base}/${resourceType}s/${id}` }
}

/** @param offset number of resources before the first one */
export function viewList<T>(resources: readonly T[], { total, offset }: { total: number; offset: number }) {
  return {
    schemas: [LIST_MESSAGE],
    totalResults: total,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}

export function viewError({
  status,
  detail,
  scimType,
}: {
  status: number
  detail: string
  scimType?: string | undefined
}) {
  return { schemas: [ERROR_MESSAGE], status: String(status), ...(scimType !== undefined && { scimType }), detail }
}
