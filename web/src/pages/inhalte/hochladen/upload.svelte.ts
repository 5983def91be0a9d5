import { api, badRequestOf } from '../../../api/client.js'
import { ForeignResponse, hasCode, sentenceOf, Unreachable } from '../../../api/faults.js'
import { queryClient } from '../../../api/query-client.js'
import type { Query } from '../../../api/types.js'
import { isolate } from '../../../words/isolate.js'
import { bytes } from '../../../words/numbers.js'
import type { FileFinding, Upload } from '../content-queries.js'

/** What was chosen for the columns of a table: roles separated by commas, with whether the first row has headings */
export interface TableChoice {
  columns?: string
  headings?: boolean
  separator?: Query<'/api/content/imports', 'post'>['separator']
}

/** The user's choices for an upload; `text` is a pasted table, sent if there is no file. */
export interface UploadOptions {
  file: File | undefined
  text: string
  name: string
  deck: string
  level: string
  isMirror: boolean
  /**
   * For content changed in the browser: whether to keep its text (`ours`) or take that of the file (`theirs`). The list
   * `theirs` contains the ids of single cards that take the text of the file.
   */
  keep: 'ours' | 'theirs'
  theirs: readonly number[]
  table: TableChoice
}

export interface Failure {
  sentence: string
  /** Faults in the response, which may be fewer than `total` */
  errors: FileFinding[]
  total: number
}

/** Timeout in milliseconds. Uploading a large file takes minutes, and reading it up to one minute more. */
const TIMEOUT_MS = 20 * 60_000
/** Default upload limit of the service in bytes */
const USUAL_LIMIT = 64 * 2 ** 20
const PASTED = 'Eingefügte Tabelle'

export class UploadJob {
  doing = $state<'nothing' | 'check' | 'import'>('nothing')
  /** Whether the upload waits because the service is busy with other files */
  isWaiting = $state(false)
  preview = $state.raw<Upload>()
  done = $state.raw<Upload>()
  failure = $state.raw<Failure>()
  /** Source to update, `new` for a new one, undefined if undecided */
  target = $state<number | 'new'>()
  #stop = new AbortController()
  /** Incremented when the input changes, so that the result of an outdated check is discarded */
  #round = 0

  constructor(source: number | undefined) {
    this.target = source
  }

  check(options: UploadOptions): Promise<void> {
    return this.#work('check', options)
  }

  import(options: UploadOptions, isActive: boolean): Promise<void> {
    return this.#work('import', options, isActive)
  }

  cancel(): void {
    this.#stop.abort()
  }

  forget(): void {
    this.#round++
    this.preview = undefined
    this.failure = undefined
  }

  async #work(doing: 'check' | 'import', options: UploadOptions, isActive = false): Promise<void> {
    if (this.doing !== 'nothing') return
    this.doing = doing
    this.failure = undefined
    this.#stop = new AbortController()
    const round = this.#round
    try {
      const response = await this.#sendInTurn(options, doing === 'check', isActive)
      if (doing === 'import') this.done = response
      else if (round === this.#round) this.preview = response
    } catch (error) {
      this.failure = failureOf(error, options.file)
      if (this.failure.errors.length > 0) this.preview = undefined
    } finally {
      this.doing = 'nothing'
      this.isWaiting = false
    }
    if (doing === 'import' && this.done !== undefined) await queryClient.invalidateQueries()
  }

  async #sendInTurn(options: UploadOptions, isCheck: boolean, isActive: boolean): Promise<Upload> {
    for (;;) {
      try {
        return await this.#send(options, isCheck, isActive)
      } catch (error) {
        if (!hasCode(error, 'readers_busy')) throw error
        this.isWaiting = true
        await pause((error.retryAfter ?? 5) * 1000, this.#stop.signal)
      }
    }
  }

  async #send(
    { file, text, name, deck, level, isMirror, keep, theirs, table }: UploadOptions,
    isCheck: boolean,
    isActive: boolean,
  ): Promise<Upload> {
    // A file that was changed after its selection cannot be read. Reading a byte throws in this case, whereas `fetch`
    // reports only a network error.
    if (file !== undefined) await file.slice(0, 1).arrayBuffer()
    return api.post('/api/content/imports', {
      query: {
        name: name.trim() || (file?.name ?? (typeof this.target === 'number' ? undefined : PASTED)),
        source: typeof this.target === 'number' ? this.target : undefined,
        new: this.target === 'new' || undefined,
        deck: deck.trim(),
        level: level.trim(),
        mirror: isMirror || undefined,
        keep: keep === 'ours' ? undefined : keep,
        theirs: theirs.join(','),
        columns: table.columns,
        headings: table.headings,
        separator: table.separator,
        active: isActive || undefined,
        check: isCheck || undefined,
      },
      upload: { type: 'application/octet-stream', content: file ?? text },
      timeoutMs: TIMEOUT_MS,
      signal: this.#stop.signal,
    })
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
  signal.throwIfAborted()
}

function failureOf(error: unknown, file: File | undefined): Failure {
  const { errors = [], errors_total = errors.length } = badRequestOf<'/api/content/imports', 'post'>(error) ?? {}
  return { sentence: wordsOf(error, file), errors, total: errors_total }
}

function wordsOf(error: unknown, file: File | undefined): string {
  if (error instanceof DOMException && error.name === 'AbortError') return 'Abgebrochen. Es ist nichts geändert.'
  if (error instanceof DOMException) return 'Die Datei lässt sich nicht mehr lesen. Bitte noch einmal wählen.'
  // The message of the service has a hint for scripts.
  if (hasCode(error, 'source_exists')) return `Eine Quelle „${isolate(String(error.details.name))}“ gibt es schon.`
  // A proxy has refused the file. A refusal of the service itself is `Refused`, and its message names the limit.
  if (error instanceof ForeignResponse && error.status === 413) return tooLarge(file)
  if (error instanceof Unreachable && (file?.size ?? 0) > USUAL_LIMIT) {
    // A server that refuses a large file may close the connection during the upload.
    return `Der Dienst hat sie nicht angenommen. ${tooLarge(file)}`
  }
  return sentenceOf(error)
}

function tooLarge(file: File | undefined): string {
  const size = file === undefined ? '' : ` mit ${bytes(file.size)}`
  return `Die Datei ist${size} zu groß zum Hochladen. Auf dem Server liest „import“ auch größere ein.`
}
