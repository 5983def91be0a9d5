import { AjvCompiler } from '@fastify/ajv-compiler'
import { type TObject, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify'
import { InvalidField, InvalidParameter, Refusal } from '../domain/refusal.js'
import {
  parseChoice,
  parseCursor,
  parseFlag,
  parseInstantParameter,
  parseIntegerCursor,
  parseNumber,
  splitList,
} from '../domain/text/parameters.js'
import { nullable } from './schemas.js'

/** Schema key of the function that parses a parameter. A parameter without one stays text. */
const PARSE = Symbol('parse')

type Parse<T> = (text: string | undefined, name: string, query: Query) => T

interface Range {
  minimum: number
  maximum: number
  fallback: number
}

/** A parameter that callers may omit; handlers get what `parse` returns. */
export function parameter<T>(schema: object, parse: Parse<T>): TUnsafe<T> {
  return Type.Optional(Type.Unsafe<T>({ ...schema, [PARSE]: parse }))
}

/** A number that is clamped to its range, as `parseNumber` does. */
export function clamped({ minimum, maximum, fallback }: Range, meaning = '') {
  const description = `${meaning}Other numbers are clamped; a fraction is truncated; empty means the default.`
  const schema = { type: 'integer', minimum, maximum, default: fallback, description, examples: [fallback] }
  return parameter(schema, (text, name) => parseNumber(text, name, { minimum, maximum, fallback }))
}

/** A whole number; one outside the range is refused. */
export function ranged({ minimum, maximum, fallback }: Range) {
  const schema = { type: 'integer', minimum, maximum, default: fallback, examples: [fallback] }
  return parameter(schema, (text, name) => {
    if (text === undefined || text === '') return fallback
    const number = Number(text)
    if (/^[0-9]+$/.test(text) && number >= minimum && number <= maximum) return number
    throw new InvalidParameter(name, `muss eine ganze Zahl von ${minimum} bis ${maximum} sein`)
  })
}

/** `true` or `false` */
export function flag(description: string) {
  return parameter({ type: 'boolean', default: false, description, examples: [false] }, parseFlag)
}

/** One of some words; undefined if absent or empty */
export function choice<const T extends string>(words: readonly T[], description: string) {
  const schema = { type: 'string', enum: words, description, examples: words.slice(0, 1) }
  return parameter(schema, (text, name) => parseChoice(text, name, words))
}

/** One of some words; the fallback if absent or empty */
export function choiceOr<const T extends string>(words: readonly T[], fallback: NoInfer<T>, description: string) {
  const schema = { type: 'string', enum: words, default: fallback, description, examples: [fallback] }
  return parameter(schema, (text, name) => parseChoice(text, name, words) ?? fallback)
}

/** Some of the words, separated by commas; all of `fallback` if absent or empty */
export function choices<const T extends string>(words: readonly T[], fallback: readonly NoInfer<T>[], shown: string) {
  const description = `One or more of ${words.join(', ')}, separated by commas; default ${shown}.`
  const examples = [words.slice(0, 2).join(',')]
  return parameter({ type: 'string', description, examples }, (text = '', name) =>
    text === '' ? fallback : splitList(text).flatMap((word) => parseChoice(word, name, words) ?? []),
  )
}

/** An id: `int32` if its column is an integer, `int64` if it is a bigint; undefined if absent or empty */
export function id(format: 'int32' | 'int64', description: string, more: object = {}) {
  const parse = format === 'int32' ? parseIntegerCursor : parseCursor
  return parameter({ type: 'integer', format, description, examples: [17], ...more }, parse)
}

/** An instant with its offset from UTC; undefined if absent or empty */
export function instant(description: string) {
  const schema = { type: 'string', format: 'date-time', description, examples: ['2026-11-21T08:00:00.000Z'] }
  return parameter(schema, parseInstantParameter)
}

/** The parameter `changed_since` of a list, which then takes `limit` and `after`, and the cursor for both orders */
export const changedSince = instant(`Only entries that have changed since this instant, inclusive, in the order of their
ids. An entry that was deleted comes as \`{ id, deleted: true }\`. An entry may come again without a change. 410 if it is
more than 90 days ago, more than a minute in the future, before an upgrade or a restored backup that lost the changes, or
before the caller became administrator or auditor: read the whole list then.`)

interface Paging {
  maximum: number
  fallback: number
  /** Format of the cursor: `int32` if its column is an integer */
  cursor: 'int32' | 'int64'
}

/** The parameters `limit` and `after` of a list */
export function page({ maximum, fallback, cursor }: Paging) {
  return {
    after: id(cursor, '`next_after` of the previous page.'),
    limit: clamped({ minimum: 1, maximum, fallback }),
  }
}

/** `page` of a list with `changed_since`, whose cursors are larger than ids */
export function pageOrChanges({ maximum, fallback }: Omit<Paging, 'cursor'>) {
  return { changed_since: changedSince, ...page({ maximum, fallback, cursor: 'int64' }) }
}

/** A parameter of a list that did not know it before `changed_since`: without that, any value is ignored. */
export function onlyWithChanges<T extends TSchema>(schema: T): T {
  const parse = parseOf(schema)
  if (parse === undefined) return schema
  const parseWithChanges: Parse<unknown> = (text, name, query) =>
    parse(query.changed_since ? text : undefined, name, query)
  return { ...schema, [PARSE]: parseWithChanges }
}

/** The parameters of a list in newest-first order. `before` is the older name of `after`. */
export function newestFirst({ maximum, fallback, cursor }: Paging) {
  return {
    ...page({ maximum, fallback, cursor }),
    before: id(cursor, 'The same as `after`, which wins if both are given.', { deprecated: true }),
  }
}

/** Fields of the response of a list in newest-first order; both have the same value. */
export const NEXT_OF_NEWEST_FIRST = {
  next_after: nullable(Type.Integer({ description: '`after` of the next page; null on the last page.' })),
  next_before: nullable(Type.Integer({ description: 'The same as `next_after`.', deprecated: true })),
}

/** An entry of a list with `changed_since` that was deleted */
export const Deleted = Type.Object(
  { id: Type.Integer({ examples: [7] }), deleted: Type.Literal(true) },
  { title: 'Deleted' },
)

/** Fields of the response of a list with `changed_since` */
export const NextChange = Type.Optional(
  nullable(
    Type.Integer({ description: '`after` of the next page, null on the last page; only with `changed_since`.' }),
  ),
)
export const NextChangedSince = Type.Optional(
  Type.Unsafe<Date>({
    type: 'string',
    format: 'date-time',
    description: '`changed_since` of the next run, if this is the last page; only with `changed_since`.',
    examples: ['2026-11-21T08:00:00.000Z'],
  }),
)

type Query = Record<string, string | undefined>

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>
type ValidatorFactory = NonNullable<NonNullable<SchemaController['compilersFactory']>['buildValidator']>
/** Fastify accepts any validator, but its type of the factory describes only those of Ajv. */
type BuildValidator = (...options: unknown[]) => FastifySchemaCompiler<unknown>

/** Extends Fastify's validation: queries are parsed, all other parts are validated as `controller` does. */
export function parsingQueries(controller: SchemaController): SchemaController {
  const build = (controller.compilersFactory?.buildValidator ?? AjvCompiler()) as BuildValidator
  const buildValidator: BuildValidator = (...options) => {
    const compile = build(...options)
    return (route) => (route.httpPart === 'querystring' ? queryParser(route.schema as TObject) : compile(route))
  }
  const compilersFactory = { ...controller.compilersFactory, buildValidator: buildValidator as ValidatorFactory }
  return { ...controller, compilersFactory }
}

/** Validator compiler of a route that parses its query, and whose handler checks the body */
export const parseOnlyQuery: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) =>
  httpPart === 'querystring' ? queryParser(schema as TObject) : () => true

/** Returns a validator that replaces the texts of a query with the values that its schema describes. */
function queryParser({ properties, required = [] }: Pick<TObject, 'properties' | 'required'>) {
  const parsers = Object.entries(properties).flatMap(([name, schema]) => {
    const parse = parseOf(schema)
    return parse === undefined ? [] : [{ name, parse }]
  })
  return (query: Query): { value: Record<string, unknown> } | { error: Error } => {
    const missing = required.find((name) => query[name] === undefined)
    if (missing !== undefined) return { error: new InvalidField(missing, 'fehlt') }
    try {
      const parsed = parsers.map(({ name, parse }) => [name, parse(query[name], name, query)] as const)
      return { value: { ...query, ...Object.fromEntries(parsed) } }
    } catch (error) {
      if (error instanceof Refusal) return { error }
      throw error
    }
  }
}

function parseOf(schema: TSchema & { [PARSE]?: Parse<unknown> }): Parse<unknown> | undefined {
  return schema[PARSE]
}
