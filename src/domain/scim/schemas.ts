export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const LIST_MESSAGE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const ERROR_MESSAGE = 'urn:ietf:params:scim:api:messages:2.0:Error'

const CORE = [USER_SCHEMA, GROUP_SCHEMA].map((urn) => urn.toLowerCase())
const ENTERPRISE = ENTERPRISE_SCHEMA.toLowerCase()

/**
 * Returns the name of an attribute in lower case, because SCIM compares names without case. Removes the URN of a core
 * schema; the URN of the enterprise extension becomes `enterprise`.
 * @example attributeName('urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber') // 'enterprise.employeenumber'
 */
export function attributeName(given: string): string {
  const name = given.trim().toLowerCase()
  if (name === ENTERPRISE) return 'enterprise'
  if (name.startsWith(`${ENTERPRISE}:`) || name.startsWith(`${ENTERPRISE}.`)) {
    return `enterprise.${name.slice(ENTERPRISE.length + 1)}`
  }
  const urn = CORE.find((core) => name.startsWith(`${core}:`))
  return urn === undefined ? name : name.slice(urn.length + 1)
}
