import { api } from '../api/client.js'

/** Upload limit of the service in bytes. A larger picture is encoded again, at most `MAX_WIDTH` pixels wide. */
const MAX_BYTES = 2 * 2 ** 20
const MAX_WIDTH = 2_000
const QUALITY = 0.85
const TIMEOUT_MS = 120_000

/**
 * Uploads a picture and returns its address for Markdown, such as `media/….png`.
 * @throws Fault if the upload fails
 */
export async function uploadPicture(file: File): Promise<string> {
  const content = file.size > MAX_BYTES ? await shrink(file) : file
  const { address } = await api.post('/api/content/media', {
    upload: { type: 'application/octet-stream', content },
    timeoutMs: TIMEOUT_MS,
  })
  return address.replace(/^.*(?=media\/)/, '')
}

/**
 * Returns the picture as WebP, at most `MAX_WIDTH` pixels wide. Returns the file itself if it cannot be decoded or
 * encoded, so that the service refuses it with a message.
 */
async function shrink(file: File): Promise<Blob> {
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (bitmap === undefined) return file
  const share = Math.min(1, MAX_WIDTH / bitmap.width)
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(bitmap.width * share)
  canvas.height = Math.round(bitmap.height * share)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? file), 'image/webp', QUALITY))
}
