import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { findPicture } from '../../db/queries/content/media.js'
import { PICTURE_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { PICTURE_TYPES } from '../../src/domain/pictures/index.js'
import { answers } from '../../src/http/schemas.js'
import { MediaParams, PictureFile } from './schemas.js'

/** The SHA-256 of a picture, with or without the file extension that texts append */
const NAME = /^([0-9a-f]{64})(?:\.(?:png|jpg|gif|webp|avif))?$/

/** Policy for a picture opened as a page: it shows itself and loads nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** Pictures of cards and sheets. */
const media: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:sha',
    {
      schema: {
        operationId: 'getPicture',
        summary: 'A picture of a card or a sheet',
        description: 'Texts reference it as `media/<sha>.<extension>`; its content never changes.',
        tags: ['content'],
        produces: Object.values(PICTURE_TYPES),
        params: MediaParams,
        response: answers(PictureFile, [PICTURE_NOT_FOUND]),
      },
    },
    async (request, reply) => {
      const [, sha] = NAME.exec(request.params.sha) ?? []
      if (sha === undefined) throw PICTURE_NOT_FOUND
      const picture = await findPicture(app.db, sha)
      if (picture === undefined) throw PICTURE_NOT_FOUND
      reply
        .type(PICTURE_TYPES[picture.extension])
        .header('content-security-policy', POLICY)
        .header('cache-control', 'private, max-age=31536000, immutable')
      return reply.send(picture.bytes as unknown as Static<typeof PictureFile>)
    },
  )
}

export default media
