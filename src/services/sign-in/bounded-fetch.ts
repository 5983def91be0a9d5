/** Maximum size of a response body after decompression, in bytes */
const MAX_BYTES = 2 ** 20
/** Timeout of a request until the end of the response body */
const TIMEOUT_MS = 10_000

/** Options of `fetch`; the calling libraries set absent ones to undefined. */
type Options = { [Key in keyof RequestInit]?: RequestInit[Key] | undefined }

interface Bounds {
  maxBytes?: number
  timeoutMs?: number
}

/**
 * Fetches like `fetch`, but reads the whole body before it returns. Limits the size of the body, because the calling
 * libraries hold the complete response of the provider in memory. The default limits are 1 MiB and 10 s.
 * @throws TypeError `fetch failed`, like a network error, if the body is larger than `maxBytes`
 * @throws DOMException `TimeoutError` if the complete response takes longer than `timeoutMs`
 */
export async function boundedFetch(
  url: string | URL,
  options: Options = {},
  { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS }: Bounds = {},
): Promise<Response> {
  const signals = [AbortSignal.timeout(timeoutMs), options.signal ?? []].flat()
  const bounded = { ...options, signal: AbortSignal.any(signals) } as RequestInit
  const { body, status, statusText, headers } = await fetch(url, bounded)
  return new Response(body && (await readAll(body, maxBytes)), { status, statusText, headers })
}

async function readAll(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  // Throwing inside the loop cancels the body, which closes the connection.
  for await (const piece of body) {
    size += piece.length
    if (size > maxBytes) {
      throw new TypeError('fetch failed', { cause: new Error(`the response is larger than ${maxBytes} bytes`) })
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
