import { type Caller, callerOf, type Service } from './service.js'

export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** Creates an administrator and a token with the scope `scim`. Returns a caller that sends the token. */
export async function connectProvider(
  service: Service,
  name = 'Entra',
): Promise<Caller & { owner: Caller & { id: number }; token: string }> {
  const owner = await service.admin()
  const { body } = await owner.post('/api/auth/tokens', { name, scopes: ['scim'] })
  return { ...callerOf(service.app, undefined, body.token), owner, token: body.token }
}

export function patchOf(...operations: object[]) {
  return { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations }
}

export function scimError(status: number, detail: string, scimType?: string) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail,
  }
}
