import { Refusal, type RefusalKind } from '../refusal.js'

/** Keywords of RFC 7644, table 9 */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness'

/** A refusal whose message is the English `detail` for the administrators of a provider. */
export class ScimRefusal extends Refusal {
  readonly scimType: ScimType | undefined

  constructor(kind: RefusalKind, code: string, detail: string, scimType?: ScimType) {
    super(kind, code, detail)
    this.scimType = scimType
  }
}

export function invalidFilter(problem: string): ScimRefusal {
  return new ScimRefusal('invalid', 'scim_invalid_filter', `Invalid filter: ${problem}`, 'invalidFilter')
}

export function invalidPath(path: string): ScimRefusal {
  return new ScimRefusal('invalid', 'scim_invalid_path', `Invalid path "${path.slice(0, 100)}"`, 'invalidPath')
}

export function invalidSyntax(problem: string): ScimRefusal {
  return new ScimRefusal('invalid', 'scim_invalid_syntax', problem, 'invalidSyntax')
}

export function invalidValue(attribute: string, problem: string): ScimRefusal {
  return new ScimRefusal('invalid', 'scim_invalid_value', `Attribute "${attribute}" ${problem}`, 'invalidValue')
}

export function isRequired(attribute: string): ScimRefusal {
  const detail = `Attribute "${attribute}" is required and cannot be removed`
  return new ScimRefusal('invalid', 'scim_mutability', detail, 'mutability')
}

export const NO_TARGET = new ScimRefusal('invalid', 'scim_no_target', 'A remove operation needs a path', 'noTarget')

/** @param isHidden whether the other account is one that SCIM has deleted, which the provider cannot see */
export function notUnique(attribute: string, isHidden = false): ScimRefusal {
  const hint = isHidden ? ': it is held by an account that was deleted by SCIM; an administrator can change it' : ''
  const detail = `Another resource has this ${attribute}${hint}`
  return new ScimRefusal('conflict', 'scim_uniqueness', detail, 'uniqueness')
}

export const SCIM_NO_TOKEN = new ScimRefusal(
  'unauthenticated',
  'scim_no_token',
  'A valid token with the scope "scim" is required',
)
export const SCIM_WRONG_TOKEN = new ScimRefusal(
  'forbidden',
  'scim_wrong_token',
  'The token does not have the scope "scim"',
)
export const SCIM_NO_ADMIN = new ScimRefusal(
  'forbidden',
  'scim_no_admin',
  'The owner of the token is no longer an administrator',
)
export const SCIM_NOT_FOUND = new ScimRefusal('not_found', 'scim_not_found', 'Resource not found')
export const SCIM_UNKNOWN = new ScimRefusal('not_found', 'scim_unknown_endpoint', 'Unknown endpoint')
export const SCIM_METHOD = new ScimRefusal(
  'method_not_allowed',
  'scim_method_not_allowed',
  'The endpoint does not support this method',
)
export const SCIM_NOT_SUPPORTED = new ScimRefusal(
  'not_implemented',
  'scim_not_supported',
  'The service does not support this endpoint; see /scim/v2/ServiceProviderConfig',
)
export const LAST_ADMIN_STAYS = new ScimRefusal(
  'conflict',
  'scim_last_admin',
  'The last administrator cannot be deactivated',
)
export const EMERGENCY_STAYS = new ScimRefusal(
  'conflict',
  'scim_emergency_account',
  'An account with emergency access cannot be deactivated',
)
export const GROUP_OF_LOGINS = new ScimRefusal(
  'conflict',
  'scim_group_of_logins',
  'The team follows a group of the sign-in provider (OIDC_GROUPS_CLAIM) and cannot be managed by SCIM too',
)
