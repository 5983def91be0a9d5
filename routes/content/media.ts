import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { findPicture } from '../../db/queries/content/media.js'
import { PICTURE_TYPES } from '../../src/domain/content/pictures.js'
import { PICTURE_NOT_FOUND } from '../../src/domain/refusals.js'
import { answers } from '../../src/http/schemas.js'
import { MediaParams, PictureFile } from './schemas.js'

/** The SHA-256, with or without the extension that texts write behind it. */
const NAME = /^([0-9a-f]{64})(?:\.(?:png|jpg|gif|webp|avif))?$/

/** Whoever opens one in a browser sees the picture and nothing else. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** The pictures of cards and sheets. */
const media: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:sha',
    {
      schema: {
        operationId: 'getPicture',
        summary: 'A picture of a card or a sheet',
        description: 'Texts name it as `media/<sha>.<extension>`; what it is never changes.',
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
