import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { actorOf } from '../../plugins/auth.js'
import { acceptFile } from '../../plugins/bodies.js'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import {
  CONTENT_CHANGES,
  EntryTooLarge,
  IMPORT_RUNS,
  MediaFull,
  NO_FILE,
  NO_ROOM,
  OwnMediaFull,
  ReadersBusy,
  SOURCE_NOT_FOUND,
  UPLOAD_TOO_SLOW,
  UploadTooLarge,
} from '../../src/domain/content/refusals.js'
import { parseUploadQuery } from '../../src/domain/content/upload/query.js'
import { parseFlag, parseId } from '../../src/domain/text/parameters.js'
import { abortOnClose } from '../../src/http/abort-on-close.js'
import { FILE_ONLY, SHUTDOWN_REFUSALS } from '../../src/http/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { isImporting } from '../../src/services/content/import-lock.js'
import { checkUpload, importUpload } from '../../src/services/content/upload/import.js'
import { LIMIT_REFUSALS } from '../../src/services/content/upload/readers/limits.js'
import { type ReceivedFile, withReceivedFile } from '../../src/services/content/upload/receive.js'
import { reportProgress } from '../../src/services/content/write.js'
import { SOURCE_EXISTS, UploadDone, UploadFile, UploadQuery, UploadRefused } from './schemas.js'

const REFUSALS = [
  ...[
    AUTHORS_ONLY,
    NOT_AN_EDITOR,
    SOURCE_NOT_FOUND,
    IMPORT_RUNS,
    CONTENT_CHANGES,
    SOURCE_EXISTS,
    new MediaFull(2_048),
    FILE_ONLY,
    NO_ROOM,
  ],
  ...[
    ...SHUTDOWN_REFUSALS,
    new ReadersBusy(),
    UPLOAD_TOO_SLOW,
    new OwnMediaFull(200),
    new UploadTooLarge(64 * 2 ** 20),
    new EntryTooLarge('decks/git.md', 64 * 2 ** 20),
    ...LIMIT_REFUSALS,
  ],
]

/**
 * Returns the id of the source to update. Returns undefined if the upload creates a new source, or if the id is absent
 * or malformed; the handler refuses a malformed id.
 */
function sourceOf({ query }: FastifyRequest): string | undefined {
  const { source, new: isNew } = query as { source?: string; new?: string }
  return source !== undefined && parseId(source) !== undefined && isNew !== 'true' ? source : undefined
}

const imports: FastifyPluginAsyncTypebox = async (app) => {
  const { tmpDir, importMaxBytes, mediaMaxBytes } = app.config
  acceptFile(app)

  app.post(
    '/imports',
    {
      schema: {
        operationId: 'importFile',
        summary: 'Import an Anki package, a table or a Markdown archive, or check it',
        description: `The body is the file, as \`application/octet-stream\`: an Anki package (.apkg, .colpkg), a table (.xlsx,
.csv, .tsv, Anki's text export), questions as Moodle XML, GIFT or Aiken, a .zip of such tables and questions, or a .zip of
Markdown and pictures, recognised by its contents. The import changes nothing
if there is any fault. \`check=true\` returns the same report without writing. Content of the content folder or of another
source is not changed and causes a warning; sources that the caller may not edit are neither matched nor named. The
creator of a source becomes its editor. Cards and sheets that were changed in the browser keep their text, unless
\`keep=theirs\` or \`theirs\` names the card; \`edited\` lists them. Decks that the file lacks are kept, unless \`mirror=true\`. New decks are
placed last, unless an archive has an order, and are inactive until a learner activates them, unless \`active=true\` or
cards of other decks move there.`,
        tags: ['content'],
        querystring: UploadQuery,
        body: { content: { 'application/octet-stream': { schema: UploadFile } } },
        response: responses(UploadDone, REFUSALS, { 400: UploadRefused }),
      },
      config: { isUpload: true },
      // No schema validation: the body is the file, which the handler reads.
      validatorCompiler: () => () => true,
      onRequest: [app.requireAuthor, app.requireEditorOf('source', 'source', (_body, request) => sourceOf(request))],
    },
    async (request, reply) => {
      const isCheck = parseFlag(request.query.check, 'check')
      const { sourceId, ...wishes } = parseUploadQuery(request.query)
      if (sourceId === null) throw SOURCE_NOT_FOUND.at('source')
      if (Number(request.headers['content-length'] ?? 0) > importMaxBytes) throw new UploadTooLarge(importMaxBytes)
      if (!isCheck && isImporting(app.db)) throw IMPORT_RUNS
      if (!(request.body instanceof Readable)) throw NO_FILE
      // A check is aborted when the client disconnects; an import continues.
      const signal = isCheck ? AbortSignal.any([app.stopping, abortOnClose(reply)]) : app.stopping
      const handle = async (file: ReceivedFile) => {
        const onProgress = reportProgress('Import', (line) => request.log.info(line))
        const { editable, user } = request
        const upload = { ...wishes, sourceId, editable, userId: user.id, mediaMaxBytes, onProgress, signal }
        if (isCheck) {
          return { message: 'Geprüft, nichts geändert', check: true, ...(await checkUpload(app.db, file, upload)) }
        }
        const report = await importUpload(app.db, actorOf(request), file, upload)
        const message = report.source.id === null ? 'Es gab nichts zu übernehmen' : 'Import abgeschlossen'
        return { message, check: false, ...report }
      }
      return withReceivedFile(request.body, tmpDir, importMaxBytes, handle, { signal })
    },
  )
}

export default imports
