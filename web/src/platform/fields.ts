/**
 * Returns the fields of a JSON object, whose values are not validated; no fields for any other value.
 * @example fieldsOf(JSON.parse('null')) // {}
 */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
