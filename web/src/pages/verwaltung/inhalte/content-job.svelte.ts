import { api } from '../../../api/client.js'
import { isRefused, Refused, sentenceOf } from '../../../api/faults.js'
import { queryClient } from '../../../api/query-client.js'
import { say } from '../../../parts/toasts.svelte.js'
import { go, place } from '../../../platform/router.svelte.js'
import type { CheckAnswer, ContentState, ImportStats } from '../admin-queries.js'
import { adminQueries } from '../admin-queries.js'

export interface FileFault {
  file: string
  line: number
  message: string
}

/** How a check or an import has ended, for the person who waits for it. */
export type Outcome =
  | { kind: 'checked'; preview: CheckAnswer }
  | { kind: 'imported'; stats: ImportStats }
  | { kind: 'faulty'; errors: FileFault[] }
  /** Most of the content would go: a person has to want that. */
  | { kind: 'most'; reason: string }
  | { kind: 'failed'; sentence: string }

interface Job {
  doing: 'nothing' | 'check' | 'import' | 'wait'
  outcome: Outcome | undefined
}

const PATH = '/verwaltung/inhalte'
/** A large import takes minutes. */
const PATIENCE_MS = 20 * 60_000
const LOOK_AGAIN_MS = 3_000
/** What the service adds for scripts. */
const FOR_SCRIPTS = /; force=true erlaubt es$/
const RUNS_ALREADY = 'Import läuft bereits'

/** One check or import at a time; it goes on while the person is on another page. */
export const job = $state<Job>({ doing: 'nothing', outcome: undefined })

export async function checkContent(): Promise<void> {
  await work('check', async () => {
    const preview = await api.post('/api/content/check', { patience: PATIENCE_MS })
    return { kind: 'checked', preview }
  })
}

export async function importContent(force: boolean): Promise<void> {
  const before = queryClient.getQueryData(adminQueries.contentState().queryKey)?.last_import?.at
  await work('import', async () => {
    try {
      const { stats } = await api.post('/api/admin/import', {
        query: { force: force || undefined },
        patience: PATIENCE_MS,
      })
      return { kind: 'imported', stats }
    } catch (error) {
      // Somebody else has begun one, or a proxy did not wait: the service goes on, and says how it ended.
      const isElsewhere = isRefused(error, 409) && error.message === RUNS_ALREADY
      if (isElsewhere || !(error instanceof Refused)) return waitForOther(before)
      throw error
    }
  })
  await queryClient.invalidateQueries({ queryKey: ['admin'] })
  await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'admin' })
  if (place.path !== PATH) tellElsewhere()
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
    if (FOR_SCRIPTS.test(error.message)) return { kind: 'most', reason: error.message.replace(FOR_SCRIPTS, '') }
  }
  return { kind: 'failed', sentence: sentenceOf(error) }
}

/** Looks at how the import of somebody else ends. */
async function waitForOther(before: string | undefined): Promise<Outcome> {
  job.doing = 'wait'
  const until = Date.now() + PATIENCE_MS
  while (Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
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

function tellElsewhere(): void {
  const isDone = job.outcome?.kind === 'imported'
  say(isDone ? 'Die Inhalte sind eingelesen.' : 'Die Inhalte ließen sich nicht einlesen.', {
    tone: isDone ? 'plain' : 'bad',
    action: { label: 'Ansehen', onclick: () => void go(PATH.slice(1)) },
  })
}
