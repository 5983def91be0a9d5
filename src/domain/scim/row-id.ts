const MAX_ID = 2 ** 31 - 1

/**
 * Returns the number of a SCIM id; undefined if no row can have the id.
 * @example toRowId('17') // 17
 */
export function toRowId(id: string): number | undefined {
  if (!/^[1-9]\d{0,9}$/.test(id)) return undefined
  const number = Number(id)
  return number <= MAX_ID ? number : undefined
}
