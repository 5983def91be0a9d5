import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listUsers } from '../../db/queries/accounts/users.js'
import { actorOf } from '../../plugins/auth.js'
import { MISSING_FIELDS, parseNewUser, parseUserId } from '../../src/domain/accounts/accounts.js'
import {
  CONTENT_CHANGES,
  IMPORT_RUNS,
  MediaFull,
  MostArchived,
  UnreadableContent,
} from '../../src/domain/content/refusals.js'
import { InvalidInput } from '../../src/domain/refusal.js'
import { warnOfCommonPassword } from '../../src/http/password-warning.js'
import { SHUTDOWN_REFUSALS, unknownEndpoint } from '../../src/http/refusals.js'
import { Done, responses } from '../../src/http/schemas.js'
import { createAccount, removeAccount } from '../../src/services/accounts/change-account.js'
import { importContent } from '../../src/services/content/folder/import.js'
import { reportProgress } from '../../src/services/content/write.js'
import { CreateUserBody, ImportDone, ImportQuery, ImportRefused, UserCreated, UserList, UserParams } from './schemas.js'

const IMPORT_REFUSALS = [
  IMPORT_RUNS,
  CONTENT_CHANGES,
  new MostArchived('Karten', 120, 196),
  new MostArchived('Cheat Sheets', 12, 20),
  new UnreadableContent('/srv/content', 'ENOENT'),
  new MediaFull(2_048),
  ...SHUTDOWN_REFUSALS,
]

const admin: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Admin-Endpunkt'))

  app.get(
    '/users',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'listUsers',
        summary: 'All users',
        tags: ['admin'],
        response: responses(UserList),
      },
    },
    async () => ({ users: await listUsers(app.db) }),
  )

  app.post(
    '/users',
    {
      schema: {
        operationId: 'createUser',
        summary: 'Create a user',
        tags: ['admin'],
        body: CreateUserBody,
        response: responses(UserCreated),
      },
      config: { invalidBody: MISSING_FIELDS },
    },
    async (request, reply) => {
      const id = await createAccount(app.db, actorOf(request), parseNewUser(request.body))
      await warnOfCommonPassword(reply, request.body.password)
      return { id, message: 'Benutzer erstellt' }
    },
  )

  app.delete(
    '/users/:id',
    {
      schema: {
        operationId: 'deleteUser',
        summary: 'Delete a user with progress, results and sessions',
        tags: ['admin'],
        params: UserParams,
        response: responses(Done),
      },
    },
    async (request) => {
      const id = parseUserId(request.params.id)
      if (id === request.user.id) throw new InvalidInput('Eigenen Account kann man nicht loeschen', 'own_account')
      if (id !== undefined)
        await removeAccount(app.db, actorOf(request), id, { offered: app.offeredMethods, context: app.assignments })
      return { ok: true as const }
    },
  )

  app.post(
    '/import',
    {
      schema: {
        operationId: 'importContent',
        summary: 'Import the content folder',
        tags: ['admin'],
        querystring: ImportQuery,
        response: responses(ImportDone, IMPORT_REFUSALS, { 400: ImportRefused }),
      },
    },
    async (request) => {
      const onProgress = reportProgress('Import', (line) => request.log.info(line))
      const { force } = request.query
      const { contentDir, mediaMaxBytes } = app.config
      const options = { force, mediaMaxBytes, onProgress, signal: app.stopping }
      const stats = await importContent(app.db, actorOf(request), contentDir, options)
      return { message: 'Import abgeschlossen', stats }
    },
  )
}

export default admin
