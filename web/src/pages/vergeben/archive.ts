import { asUnreachable, fetchExport, saveResponse } from '../decks/save-export.js'
import { countFiles } from './count-files.js'

export interface Progress {
  /** Number of files that have begun to arrive */
  files: number
  /** Number of files of the archive */
  count: number
}

/**
 * Downloads the proofs of an assignment as a ZIP and saves it when it is complete. Saves nothing if there are none.
 * Returns their number.
 * @throws Fault if the request fails
 * @throws DOMException if the signal is aborted
 */
export async function saveArchive(
  { assignmentId, purpose }: { assignmentId: number; purpose: string },
  { signal, onprogress }: { signal: AbortSignal; onprogress: (progress: Progress) => void },
): Promise<number> {
  const query = new URLSearchParams({ purpose })
  const response = await fetchExport(`api/assignments/${assignmentId}/proofs.zip?${query}`, signal)
  const count = Number(response.headers.get('x-file-count'))
  const filesIn = countFiles()
  let files = 0
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const reader = response.body?.getReader()
  for (
    let next = await reader?.read().catch(asUnreachable);
    next?.value;
    next = await reader?.read().catch(asUnreachable)
  ) {
    chunks.push(next.value)
    // The data of a file may contain the same bytes.
    files = Math.min(filesIn(next.value), count)
    onprogress({ files, count })
  }
  if (files > 0) saveResponse(response, new Blob(chunks, { type: 'application/zip' }))
  return files
}
