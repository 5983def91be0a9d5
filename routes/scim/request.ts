import type { FastifyRequest } from 'fastify'
import { parseSearchFilter } from '../../src/domain/scim/filter.js'
import { parseScimPage } from '../../src/domain/scim/page.js'
import { SCIM_NOT_FOUND } from '../../src/domain/scim/refusals.js'
import { toRowId } from '../../src/domain/scim/row-id.js'

/** Returns the address of `/scim/v2`, without a slash at its end. */
export function baseOf({ server: { config }, protocol, host }: FastifyRequest): string {
  const root = config.publicUrl ?? `${protocol}://${host}${config.basePath}`
  return `${root}scim/v2`
}

/** @throws SCIM_NOT_FOUND if no resource can have the id */
export function idOf({ id }: { id: string }): number {
  const parsed = toRowId(id)
  if (parsed === undefined) throw SCIM_NOT_FOUND
  return parsed
}

/** Parameters of a list, in the query or in the body of `/.search` */
export interface Search {
  filter?: unknown
  startIndex?: unknown
  count?: unknown
  attributes?: unknown
  excludedAttributes?: unknown
}

/** @throws ScimRefusal `invalidValue` or `invalidFilter` if a parameter is malformed */
export function parseSearch({ filter, ...page }: Search) {
  return { ...parseScimPage(page), conditions: parseSearchFilter(filter) }
}
