import { api, onDate, urlOf } from '../api/client.js'
import { REVIEW_KEY } from '../api/queries.js'
import { queryClient } from '../api/query-client.js'
import { readStored, writeStored } from '../platform/storage.js'
import { createDurableStore } from '../storage/entries.js'
import type { Entry, UndoEntry } from '../storage/entry.js'
import { newId } from '../storage/id.js'
import { forgetKept } from '../storage/kept.js'
import { takeTurn } from '../storage/turn.js'
import type { Rating } from '../words/ratings.js'
import { learnOffset } from './clock.js'
import { createMemoryStore } from './memory.js'
import { Outbox, type UndoResult } from './outbox.js'
import { Sender } from './sender.js'
import { post } from './state.svelte.js'
import { createTransport } from './transport.js'
import type { Obstacle } from './verdict.js'

/** What happens beside the page that is looked at. */
export type PostEvent =
  | { kind: 'rated'; user: number; card_id: number; rating: Rating }
  | { kind: 'undo refused'; user: number; card_id: number; message: string }
  | { kind: 'changed'; user: number }

const REMEMBERED = 'training.user'
const OFFSET = 'training.clock'
/** How long it is believed who is here; another page of the app says at once when that changes. */
const BELIEVED_MS = 60_000
/** So long it may take to say so; the ratings wait meanwhile. */
const PATIENCE_MS = 10_000

const outbox = new Outbox(createDurableStore(), createMemoryStore())
const listeners = new Set<(event: PostEvent) => void>()
/** The other pages of the app in this browser. */
const others = new BroadcastChannel(`training ${new URL(document.baseURI).pathname}`)
let user: number | undefined
let offset = readStored<number>(OFFSET) ?? 0
let askedAt = 0

const sender = new Sender({
  outbox,
  transport: createTransport(urlOf, learnClock),
  takeTurn,
  whoIsHere,
  // Receipts are compared with the moment of a kept queue, also after a reload.
  now: Date.now,
  random: Math.random,
  later: (work, ms) => {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
  onChange: (obstacle) => void changed(obstacle),
  onUndoRefused: ({ user, card_id }: UndoEntry, message) => tell({ kind: 'undo refused', user, card_id, message }),
})

function learnClock(date: string | null, askedAt: number, answeredAt: number): void {
  const found = learnOffset(offset, date, askedAt, answeredAt)
  if (found === offset) return
  offset = found
  writeStored(OFFSET, offset)
}

/** From now on it is this person who learns here. */
export function openPost(id: number): void {
  if (user !== id) void forgetKept(id)
  user = id
  askedAt = performance.now()
  void refresh()
  sender.wake('changed')
}

/** Resolves when the rating is safe; by its name it can be taken back. */
export async function sendRating(name: string, card_id: number, rating: Rating, duration_ms?: number): Promise<void> {
  const owner = ownerOf()
  const reviewed_at = new Date(Date.now() + offset).toISOString()
  await outbox.add(owner, { id: name, card_id, rating, duration_ms, reviewed_at })
  post.waiting += 1
  others.postMessage({ kind: 'rated', user: owner, card_id, rating } satisfies PostEvent)
  sender.wake()
}

export async function takeBack(name: string): Promise<UndoResult> {
  const result = await outbox.undo(ownerOf(), name)
  void refresh()
  sender.wake()
  return result
}

export async function discard(entry: Entry): Promise<void> {
  await outbox.discard(entry.user, entry.id)
  await refresh()
}

export function sendNow(): void {
  sender.wake('changed')
}

export const unconfirmed = (): Promise<Set<number>> => outbox.unconfirmed(ownerOf())
export const ratedSince = (at: number) => outbox.ratedSince(ownerOf(), at)
export const nameOfRating = newId

export function onPost(listener: (event: PostEvent) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function ownerOf(): number {
  if (user === undefined) throw new Error('nobody is here')
  return user
}

/** Who the browser's cookie belongs to: what the last login in any page has left, asked for now and then. */
async function whoIsHere(): Promise<number | undefined> {
  const remembered = readStored<{ id: number }>(REMEMBERED)?.id ?? user
  if (performance.now() - askedAt < BELIEVED_MS) return remembered
  try {
    const init = { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(PATIENCE_MS) }
    const answer = await fetch(urlOf('/api/auth/me'), init)
    if (!answer.ok) return remembered
    const found = ((await answer.json()) as { user: { id: number } }).user.id
    askedAt = performance.now()
    return found
  } catch {
    // The ratings will meet the same obstacle.
    return remembered
  }
}

async function changed(obstacle: Obstacle | undefined): Promise<void> {
  const isNew = obstacle !== post.obstacle
  post.obstacle = obstacle
  const before = post.waiting
  await refresh()
  if (user !== undefined) others.postMessage({ kind: 'changed', user } satisfies PostEvent)
  if (post.waiting === 0 && before > 0) void queryClient.invalidateQueries({ queryKey: REVIEW_KEY })
  // The client asks for the login, in a dialog over the page, and comes back when somebody has logged in.
  // By the provider somebody else may log in, of whom no page hears: before anything is sent again, it is asked.
  if (obstacle === 'login') askedAt = Number.NEGATIVE_INFINITY
  if (isNew && obstacle === 'login') api.get('/api/auth/me').then(sendNow, () => undefined)
}

async function refresh(): Promise<void> {
  if (user !== undefined) Object.assign(post, await outbox.load(user))
}

function tell(event: PostEvent): void {
  for (const listener of listeners) listener(event)
}

onDate(learnClock)
others.addEventListener('message', ({ data }: MessageEvent<PostEvent>) => {
  if (data.user !== user) return
  if (data.kind === 'changed') void refresh()
  else tell(data)
})
addEventListener('online', sendNow)
addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') sendNow()
})
addEventListener('beforeunload', (event) => {
  if (post.volatile > 0) event.preventDefault()
})
