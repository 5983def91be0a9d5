import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { BadRequest, INVALID_JSON } from '../src/domain/refusals.js'
import { invalidField } from '../src/domain/text/schema-errors.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the endpoint answers when a field of the body is missing or of the wrong type. */
    invalidBody?: string
  }
}

/**
 * Fastify validates before the preHandler hooks, but who may not ask must not learn what is wrong with the question.
 * So each route attaches the outcome, and its own last preHandler, which runs after those of the scopes, throws it.
 */
export default fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      route.attachValidation = true
      route.preHandler = [route.preHandler ?? [], rejectInvalid].flat()
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
  // No judgement of the request: a schema that cannot be compiled, for example.
  if (!Array.isArray(validationError.validation)) throw validationError
  const { invalidBody } = request.routeOptions.config
  if (validationError.validationContext === 'body' && invalidBody !== undefined) throw new BadRequest(invalidBody)
  const first = validationError.validation[0]
  if (first === undefined) throw validationError
  throw invalidField(first)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
