import { api } from '../../../api/client.js'
import { hasCode, Refused, sentenceOf } from '../../../api/faults.js'
import { queryClient } from '../../../api/query-client.js'
import { say } from '../../../parts/toasts.svelte.js'
import { go, place } from '../../../platform/router.svelte.js'
import type { CheckAnswer, ContentState, ImportStats } from '../content-queries.js'
import { contentQueries } from '../content-queries.js'

export interface FileFault {
  file: string
  line: number
  message: string
}

/** Outcome of a check or an import */
export type Outcome =
  | { kind: 'checked'; preview: CheckAnswer }
  | { kind: 'imported'; stats: ImportStats }
  | { kind: 'faulty'; errors: FileFault[] }
  /** The import would archive most of the content, so it needs a confirmation. */
  | { kind: 'most'; reason: string }
  | { kind: 'failed'; sentence: string }

interface Job {
  doing: 'nothing' | 'check' | 'import' | 'wait'
  outcome: Outcome | undefined
}

const PATH = '/inhalte/ordner'
/** Timeout in milliseconds; a large import takes minutes. */
const PATIENCE_MS = 20 * 60_000
const POLL_MS = 3_000
/** Error codes of refusals that the user may overrule by confirming the import */
const MOST = new Set(['most_cards_archived', 'most_sheets_archived'])
/** End of a message of the service; it is meant for scripts and not shown to users */
const FOR_SCRIPTS = /; force=true erlaubt es$/

/** The current check or import, which continues while other pages are open */
export const job = $state<Job>({ doing: 'nothing', outcome: undefined })

export async function checkContent(): Promise<void> {
  await work('check', async () => {
    const preview = await api.post('/api/content/check', { patience: PATIENCE_MS })
    return { kind: 'checked', preview }
  })
}

export async function importContent(force: boolean): Promise<void> {
  const before = queryClient.getQueryData(contentQueries.contentState().queryKey)?.last_import?.at
  await work('import', async () => {
    try {
      const { stats } = await api.post('/api/admin/import', {
        query: { force: force || undefined },
        patience: PATIENCE_MS,
      })
      return { kind: 'imported', stats }
    } catch (error) {
      // Another import is running, or no response of the service has arrived, for example because a proxy timed out.
      // The import continues in the service, which reports the outcome later.
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

async function work(doing: 'check' | 'import', ask: () => Promise<Outcome>): Promise<void> {
  if (job.doing !== 'nothing') return
  Object.assign(job, { doing, outcome: undefined })
  try {
    job.outcome = await ask()
  } catch (error) {
    job.outcome = outcomeOf(error)
  } finally {
    job.doing = 'nothing'
  }
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof Refused) {
    const { errors } = error.content as { errors?: FileFault[] }
    if (errors !== undefined && errors.length > 0) return { kind: 'faulty', errors }
    if (MOST.has(error.code)) return { kind: 'most', reason: error.message.replace(FOR_SCRIPTS, '') }
  }
  return { kind: 'failed', sentence: sentenceOf(error) }
}

/** Waits for the end of another import, or of one whose response was lost. */
async function waitForOther(before: string | undefined): Promise<Outcome> {
  job.doing = 'wait'
  const until = Date.now() + PATIENCE_MS
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
  say(isDone ? 'Die Inhalte sind eingelesen.' : 'Die Inhalte ließen sich nicht einlesen.', {
    tone: isDone ? 'plain' : 'bad',
    action: { label: 'Ansehen', onclick: () => void go(PATH.slice(1)) },
  })
}
