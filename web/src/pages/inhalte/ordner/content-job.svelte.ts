import { api, badRequestOf } from '../../../api/client.js'
import { hasCode, Refused, sentenceOf } from '../../../api/faults.js'
import { queryClient } from '../../../api/query-client.js'
import { showToast } from '../../../parts/toasts.svelte.js'
import { go, place } from '../../../platform/router.svelte.js'
import { count } from '../../../words/numbers.js'
import type { CheckResponse, ContentState, FileFault, ImportStats } from '../content-queries.js'
import { contentQueries } from '../content-queries.js'

export type Outcome =
  | { kind: 'checked'; preview: CheckResponse }
  | { kind: 'imported'; stats: ImportStats }
  | { kind: 'faulty'; errors: FileFault[] }
  /** The import would archive most of the cards or cheat sheets, so it needs a confirmation. */
  | { kind: 'most'; reason: string }
  | { kind: 'failed'; sentence: string }

interface Job {
  doing: 'nothing' | 'check' | 'import' | 'wait'
  outcome: Outcome | undefined
}

const PATH = '/inhalte/ordner'
/** Timeout in milliseconds; a large import takes minutes. */
const TIMEOUT_MS = 20 * 60_000
const POLL_MS = 3_000

/** State of the check or import, which continues while other pages of the app are open */
export const job = $state<Job>({ doing: 'nothing', outcome: undefined })

export async function checkContent(): Promise<void> {
  await work('check', async () => {
    const preview = await api.post('/api/content/check', { timeoutMs: TIMEOUT_MS })
    return { kind: 'checked', preview }
  })
}

export async function importContent(force: boolean): Promise<void> {
  const before = queryClient.getQueryData(contentQueries.contentState().queryKey)?.last_import?.at
  await work('import', async () => {
    try {
      const { stats } = await api.post('/api/admin/import', {
        query: { force: force || undefined },
        timeoutMs: TIMEOUT_MS,
      })
      // The response of the import has warnings without codes.
      const { last_import } = await api.get('/api/content/state')
      return { kind: 'imported', stats: last_import?.stats ?? stats }
    } catch (error) {
      // Another import is running, or no response of the service has arrived, for example because a proxy timed out.
      // In both cases, the outcome is read from the state of the service later.
      if (hasCode(error, 'import_runs') || !(error instanceof Refused)) return waitForOther(before)
      throw error
    }
  })
  await queryClient.invalidateQueries({ queryKey: ['author'] })
  await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'author' })
  if (place.path !== PATH) announceOutcome()
}

export function forgetOutcome(): void {
  job.outcome = undefined
}

async function work(doing: 'check' | 'import', request: () => Promise<Outcome>): Promise<void> {
  if (job.doing !== 'nothing') return
  Object.assign(job, { doing, outcome: undefined })
  try {
    job.outcome = await request()
  } catch (error) {
    job.outcome = outcomeOf(error)
  } finally {
    job.doing = 'nothing'
  }
}

function outcomeOf(error: unknown): Outcome {
  const { errors = [] } = badRequestOf<'/api/admin/import', 'post'>(error) ?? {}
  if (errors.length > 0) return { kind: 'faulty', errors }
  // The user may overrule these two refusals by confirming the import.
  for (const [code, what] of [
    ['most_cards_archived', 'Karten'],
    ['most_sheets_archived', 'Spickzetteln'],
  ] as const) {
    if (hasCode(error, code)) {
      const { archived, live } = error.details
      return { kind: 'most', reason: mostArchived(Number(archived), Number(live), what) }
    }
  }
  // The message of an internal error does not say what is wrong.
  const isUnreadable = hasCode(error, 'unreadable_content')
  return {
    kind: 'failed',
    sentence: isUnreadable ? 'Der Ordner der Inhalte (CONTENT_DIR) ist nicht lesbar.' : sentenceOf(error),
  }
}

/** Returns the reason for which an import needs a confirmation, without the full stop. */
export function mostArchived(archived: number, live: number, what: 'Karten' | 'Spickzetteln'): string {
  return `Es würden ${count(archived)} von ${count(live)} ${what} archiviert`
}

/** Waits for the end of another import, or of an import whose response was lost. */
async function waitForOther(before: string | undefined): Promise<Outcome> {
  job.doing = 'wait'
  const until = Date.now() + TIMEOUT_MS
  while (Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    const last = await api.get('/api/content/state').then(
      ({ last_import }) => last_import,
      () => null,
    )
    if (last !== null && last.at !== before) return outcomeOfOther(last)
  }
  return { kind: 'failed', sentence: 'Der Dienst hat nicht gesagt, wie das Einlesen ausging. Bitte später nachsehen.' }
}

function outcomeOfOther(last: NonNullable<ContentState['last_import']>): Outcome {
  if (last.stats !== null) return { kind: 'imported', stats: last.stats }
  if (last.errors.length > 0) return { kind: 'faulty', errors: last.errors }
  return { kind: 'failed', sentence: last.error ?? '' }
}

function announceOutcome(): void {
  const isDone = job.outcome?.kind === 'imported'
  showToast(isDone ? 'Die Inhalte sind eingelesen.' : 'Die Inhalte ließen sich nicht einlesen.', {
    tone: isDone ? 'plain' : 'bad',
    action: { label: 'Ansehen', onclick: () => void go(PATH.slice(1)) },
  })
}
