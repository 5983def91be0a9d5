import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { findPicture, readPicture } from '../../db/queries/content/media.js'
import { acceptPicture } from '../../plugins/bodies.js'
import { AUTHORS_ONLY } from '../../src/domain/accounts/refusals.js'
import {
  BadPicture,
  MediaFull,
  NO_FILE,
  OwnMediaFull,
  PICTURE_NOT_FOUND,
  PICTURE_TOO_LARGE_TO_STORE,
} from '../../src/domain/content/refusals.js'
import { MAX_PICTURE_BYTES, PICTURE_TYPES } from '../../src/domain/pictures/index.js'
import { FILE_ONLY } from '../../src/http/refusals.js'
import { responses, sentAs } from '../../src/http/schemas.js'
import { uploadPicture } from '../../src/services/content/editing/pictures.js'
import { MediaParams, PictureFile, UploadedPicture } from './schemas.js'

/** SHA-256 of a picture in hex, with or without the file extension that texts add when they refer to the picture */
const NAME = /^([0-9a-f]{64})(?:\.(?:png|jpg|gif|webp|avif))?$/

/** Content security policy for a picture that a browser opens as a page. The page must not load or run anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const media: FastifyPluginAsyncTypebox = async (app) => {
  acceptPicture(app)

  app.get(
    '/:sha',
    {
      schema: {
        operationId: 'getPicture',
        summary: 'A picture of a card, sheet or test',
        description: `Texts reference it as \`media/<sha>.<extension>\`; its content never changes. A picture that no
visible text shows is returned only to its uploader and to editors of a source that uses it.`,
        tags: ['content'],
        produces: Object.values(PICTURE_TYPES),
        params: MediaParams,
        response: responses(sentAs<Readable>(PictureFile), [PICTURE_NOT_FOUND]),
      },
    },
    async (request, reply) => {
      const [, sha] = NAME.exec(request.params.sha) ?? []
      if (sha === undefined) throw PICTURE_NOT_FOUND
      const picture = await findPicture(app.db, sha, request.user)
      if (picture === undefined) throw PICTURE_NOT_FOUND
      reply
        .type(PICTURE_TYPES[picture.extension])
        .header('content-length', picture.size_bytes)
        .header('content-security-policy', POLICY)
        .header('cache-control', 'private, max-age=31536000, immutable')
      const pieces = reply.takeTurns(readPicture(app.db, sha, picture.size_bytes))
      return Readable.from(pieces, { objectMode: false })
    },
  )

  app.post(
    '/',
    {
      onRequest: [app.requireAuthor, refuseLargePicture],
      bodyLimit: MAX_PICTURE_BYTES,
      schema: {
        operationId: 'uploadPicture',
        summary: 'Upload a picture for a text',
        description: `The body is the picture: PNG, JPEG, GIF, WebP or AVIF, recognised by its contents. A picture that no
text shows is deleted after seven days.`,
        tags: ['content'],
        body: { content: { 'application/octet-stream': { schema: PictureFile }, 'image/*': { schema: PictureFile } } },
        response: responses(UploadedPicture, [
          ...[AUTHORS_ONLY, new BadPicture('ist beschädigt'), NO_FILE, PICTURE_TOO_LARGE_TO_STORE],
          ...[new OwnMediaFull(200), new MediaFull(2_048), FILE_ONLY],
        ]),
      },
      // No schema validation: the body is the picture, which the handler checks.
      validatorCompiler: () => () => true,
    },
    async ({ body, user }) => {
      if (!Buffer.isBuffer(body) || body.length === 0) throw NO_FILE
      return uploadPicture(app.db, user.id, body, app.config)
    },
  )
}

/**
 * Refuses a large picture before its body is read, with a message that contains the limit. The body limit of the route
 * refuses a large picture without a `Content-Length`.
 */
async function refuseLargePicture({ headers }: FastifyRequest): Promise<void> {
  if (Number(headers['content-length'] ?? 0) > MAX_PICTURE_BYTES) throw PICTURE_TOO_LARGE_TO_STORE
}

export default media
