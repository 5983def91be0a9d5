import { send, urlOf } from '../../../../api/client.js'
import { Refused, sentenceOf, Unreachable } from '../../../../api/faults.js'
import { queryClient } from '../../../../api/query-client.js'
import { bytes } from '../../../../words/numbers.js'
import type { Upload } from '../../admin-queries.js'
import type { FileFault } from '../content-job.svelte.js'

/** What a person has chosen; what is pasted is a table. */
export interface Wishes {
  file: File | undefined
  text: string
  name: string
  deck: string
  level: string
  isMirror: boolean
}

export interface Failure {
  sentence: string
  /** What is wrong in the file, and how much of that is not listed. */
  errors: FileFault[]
  total: number
}

/** Whole books of cards take a while to arrive, and a minute to read. */
const PATIENCE_MS = 20 * 60_000
/** What the service takes unless it was told otherwise. */
const USUAL_LIMIT = 64 * 2 ** 20
/** What the service adds for scripts. */
const FOR_SCRIPTS = /: source=\d+ aktualisiert sie, new=true legt eine zweite an$/
const PASTED = 'Eingefügte Tabelle'

/** One upload: a look first, then the import. */
export class UploadJob {
  doing = $state<'nothing' | 'check' | 'import'>('nothing')
  /** What would happen; forgotten as soon as anything is chosen anew. */
  look = $state.raw<Upload>()
  done = $state.raw<Upload>()
  failure = $state.raw<Failure>()
  /** The source that is updated, `new` for one of its own, or not decided. */
  target = $state<number | 'new'>()
  #stop = new AbortController()
  /** Counts what was chosen anew: a check that runs meanwhile has looked at something else. */
  #round = 0

  constructor(source: number | undefined) {
    this.target = source
  }

  check(wishes: Wishes): Promise<void> {
    return this.#work('check', wishes)
  }

  import(wishes: Wishes): Promise<void> {
    return this.#work('import', wishes)
  }

  cancel(): void {
    this.#stop.abort()
  }

  forget(): void {
    this.#round++
    this.look = undefined
    this.failure = undefined
  }

  async #work(doing: 'check' | 'import', wishes: Wishes): Promise<void> {
    if (this.doing !== 'nothing') return
    this.doing = doing
    this.failure = undefined
    this.#stop = new AbortController()
    const round = this.#round
    try {
      const answer = await this.#send(wishes, doing === 'check')
      if (doing === 'import') this.done = answer
      else if (round === this.#round) this.look = answer
    } catch (error) {
      this.failure = failureOf(error, wishes.file)
      if (this.failure.errors.length > 0) this.look = undefined
    } finally {
      this.doing = 'nothing'
    }
    if (doing === 'import' && this.done !== undefined) await queryClient.invalidateQueries()
  }

  async #send({ file, text, name, deck, level, isMirror }: Wishes, isCheck: boolean): Promise<Upload> {
    // A file that has changed since it was chosen cannot be read any more, and no request says so.
    if (file !== undefined) await file.slice(0, 1).arrayBuffer()
    const url = urlOf(
      '/api/content/imports',
      {},
      {
        name: name.trim() || (file?.name ?? (typeof this.target === 'number' ? undefined : PASTED)),
        source: typeof this.target === 'number' ? this.target : undefined,
        new: this.target === 'new' || undefined,
        deck: deck.trim(),
        level: level.trim(),
        mirror: isMirror || undefined,
        check: isCheck || undefined,
      },
    )
    return (await send('POST', url, {
      headers: { accept: 'application/json', 'content-type': 'application/octet-stream' },
      body: file ?? text,
      patience: PATIENCE_MS,
      signal: this.#stop.signal,
    })) as Upload
  }
}

function failureOf(error: unknown, file: File | undefined): Failure {
  if (error instanceof Refused) {
    const { errors = [], errors_total } = (error.content ?? {}) as { errors?: FileFault[]; errors_total?: number }
    const sentence = error.status === 413 ? tooLarge(file) : error.message.replace(FOR_SCRIPTS, '')
    return { sentence, errors, total: errors_total ?? errors.length }
  }
  return { sentence: wordsOf(error, file), errors: [], total: 0 }
}

function wordsOf(error: unknown, file: File | undefined): string {
  if (error instanceof DOMException && error.name === 'AbortError') return 'Abgebrochen. Es ist nichts geändert.'
  if (error instanceof DOMException) return 'Die Datei lässt sich nicht mehr lesen. Bitte noch einmal wählen.'
  if (error instanceof Unreachable && (file?.size ?? 0) > USUAL_LIMIT) {
    // Who refuses a large file may close the door while it is still coming in.
    return `Der Dienst hat sie nicht angenommen. ${tooLarge(file)}`
  }
  return sentenceOf(error)
}

function tooLarge(file: File | undefined): string {
  const size = file === undefined ? '' : ` mit ${bytes(file.size)}`
  return `Die Datei ist${size} zu groß zum Hochladen. Auf dem Server liest „import“ auch größere ein.`
}
