import localizeModule from 'ajv-i18n/localize/de/index.js'
import { InvalidField, type InvalidInput } from '../domain/refusal.js'
import { INVALID_JSON } from './refusals.js'

/** An Ajv validation error. */
export interface SchemaError {
  keyword: string
  instancePath: string
  params: Record<string, unknown>
  message?: string
}

/** The cast is needed because the package's types declare a `default` export that its CommonJS file does not have. */
const localize = localizeModule as unknown as (errors: SchemaError[]) => void

const TYPES: Record<string, string> = {
  integer: 'eine ganze Zahl',
  number: 'eine Zahl',
  string: 'ein Text',
  boolean: 'true oder false',
  array: 'eine Liste',
  object: 'ein JSON-Objekt',
}

/** Returns the refusal for the first validation error of a body; without an error, `INVALID_JSON`. */
export function invalidField(error: SchemaError | undefined): InvalidInput {
  if (error === undefined) return INVALID_JSON
  const { field, problem } = describeSchemaError(error)
  return new InvalidField(field, problem)
}

/**
 * Describes a validation error in German.
 * @example describeSchemaError(error) // { field: 'count', problem: 'muss eine Zahl sein' }
 */
export function describeSchemaError(error: SchemaError): { field: string; problem: string } {
  const { missingProperty, allowedValues, type } = error.params
  const path = error.instancePath.slice(1)
  const field = typeof missingProperty === 'string' ? [path, missingProperty].filter(Boolean).join('/') : path
  if (missingProperty !== undefined) return { field, problem: 'fehlt' }
  if (Array.isArray(allowedValues)) {
    return { field, problem: `muss eines von ${allowedValues.map(String).join(', ')} sein` }
  }
  if (error.keyword === 'type') {
    const names = [type].flat().flatMap((name) => TYPES[String(name)] ?? [])
    if (names.length > 0) return { field, problem: `muss ${names.join(' oder ')} sein` }
  }
  if (error.keyword === 'format' && error.params.format === 'date-time') {
    return { field, problem: 'muss ein Zeitpunkt sein, etwa 2026-11-21T08:00:00Z' }
  }
  const german = { ...error }
  localize([german])
  return { field, problem: german.message ?? 'ist ungültig' }
}
