import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { InvalidInput, Refusal } from '../src/domain/refusal.js'
import { INVALID_JSON } from '../src/http/refusals.js'
import { invalidField } from '../src/http/schema-errors.js'
import { requireOwnPassword } from './auth.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Error message for a body that does not match the schema; default: a message about the first invalid field */
    invalidBody?: string
  }
}

/**
 * Refuses invalid input after authorization, because unauthorized callers must not learn whether their input is valid.
 * Fastify validates before the preHandler hooks, so each route attaches the validation error to the request, and the
 * last preHandler of the route throws it.
 */
export default fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      route.attachValidation = true
      const isPublic = route.schema?.security?.length === 0
      route.preHandler = [route.preHandler ?? [], isPublic ? [] : requireOwnPassword, rejectInvalid].flat()
    })
    app.addHook('preValidation', async (request) => {
      const bodySchema = request.routeOptions.schema?.body
      if (bodySchema !== undefined && request.body === undefined) request.body = {}
    })
  },
  { name: 'validation' },
)

async function rejectInvalid(request: FastifyRequest): Promise<void> {
  if (request.body !== undefined && !isObject(request.body)) throw INVALID_JSON
  const { validationError } = request
  if (validationError === undefined) return
  if (validationError instanceof Refusal) throw validationError
  // Other errors are not caused by the input, for example if a schema does not compile.
  if (!Array.isArray(validationError.validation)) throw validationError
  const first = validationError.validation[0]
  if (first === undefined) throw validationError
  const refusal = invalidField(first)
  const { invalidBody } = request.routeOptions.config
  if (validationError.validationContext !== 'body' || invalidBody === undefined) throw refusal
  throw new InvalidInput(invalidBody, refusal.code, { field: refusal.field })
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
