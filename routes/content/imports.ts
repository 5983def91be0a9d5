import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { actorOf } from '../../plugins/auth.js'
import { acceptFile } from '../../plugins/bodies.js'
import { parseUploadQuery } from '../../src/domain/content/upload-query.js'
import {
  ADMINS_ONLY,
  CONTENT_CHANGES,
  FILE_ONLY,
  FILE_TOO_LARGE,
  IMPORT_RUNS,
  NO_FILE,
  NO_ROOM,
  SOURCE_NOT_FOUND,
} from '../../src/domain/refusals.js'
import { parseFlag } from '../../src/domain/text/parameters.js'
import { answers } from '../../src/http/schemas.js'
import { isImporting } from '../../src/services/content/import-turns.js'
import { checkUpload, importUpload } from '../../src/services/content/import-upload.js'
import { reportProgress } from '../../src/services/content/progress.js'
import { readUpload } from '../../src/services/content/read-upload.js'
import { withReceivedFile } from '../../src/services/content/receive-file.js'
import { MEDIA_FULL } from '../admin/schemas.js'
import { SOURCE_EXISTS, UploadDone, UploadFile, UploadQuery, UploadRefused } from './schemas.js'

export interface ImportsOptions {
  /** A folder on a disk, for uploads while they are read. */
  tmpDir: string
  /** What an upload may take, and what all pictures together. */
  importMaxBytes: number
  mediaMaxBytes: number
}

const REFUSALS = [
  ...[ADMINS_ONLY, SOURCE_NOT_FOUND, IMPORT_RUNS, CONTENT_CHANGES, SOURCE_EXISTS, FILE_TOO_LARGE, MEDIA_FULL],
  ...[FILE_ONLY, NO_ROOM],
]

/** Anki packages, tables and archives that administrators bring in. */
const imports: FastifyPluginAsyncTypebox<ImportsOptions> = async (app, options) => {
  const { tmpDir, importMaxBytes, mediaMaxBytes } = options
  acceptFile(app)

  app.post(
    '/imports',
    {
      schema: {
        operationId: 'importFile',
        summary: 'Import an Anki package, a table or an archive of Markdown, or see what that would do',
        description: `The body is the file itself, as \`application/octet-stream\`. With \`check=true\` nothing is written, and the
answer is the same. All or nothing: a fault anywhere stops it. What belongs to the content folder or to another source
stays there, with a warning. Decks that are not in the file stay, unless \`mirror=true\`.`,
        tags: ['content'],
        querystring: UploadQuery,
        body: { content: { 'application/octet-stream': { schema: UploadFile } } },
        response: answers(UploadDone, REFUSALS, { 400: UploadRefused }),
      },
      config: { isUpload: true },
      // The body is the file, and read by the handler.
      validatorCompiler: () => () => true,
      onRequest: app.requireAdmin,
    },
    async (request) => {
      const isCheck = parseFlag(request.query.check, 'check')
      const { sourceId, deck, level, ...wishes } = parseUploadQuery(request.query)
      if (sourceId === null) throw SOURCE_NOT_FOUND
      if (Number(request.headers['content-length'] ?? 0) > importMaxBytes) throw FILE_TOO_LARGE
      if (!isCheck && isImporting(app.db)) throw IMPORT_RUNS
      if (!(request.body instanceof Readable)) throw NO_FILE
      return withReceivedFile(request.body, tmpDir, importMaxBytes, async ({ path, size, folder }) => {
        const onProgress = reportProgress('Import', (line) => request.log.info(line))
        const upload = { ...wishes, sourceId, size, mediaMaxBytes, onProgress }
        const fileName = wishes.fileName ?? (wishes.name || 'Tabelle')
        const read = () =>
          readUpload(app.db, path, {
            sourceId,
            name: wishes.name,
            fileName,
            workFolder: folder,
            deck,
            level,
            maxPictureBytes: mediaMaxBytes,
          })
        if (isCheck) {
          return { message: 'Geprüft, nichts geändert', check: true, ...(await checkUpload(app.db, read, upload)) }
        }
        const report = await importUpload(app.db, actorOf(request), read, upload)
        return { message: 'Import abgeschlossen', check: false, ...report }
      })
    },
  )
}

export default imports
