import { type Answer, send, urlOf } from '../../api/client.js'

export interface Source {
  id: number
  kind: string
  name: string
}

export type AuthorDeck = Answer<'/api/content/decks'>['decks'][number]

/** A card as its own route returns it; cards in lists lack the fields of `Origin` */
type CardWithOrigin = Answer<'/api/content/cards/{id}'>['card']
type Origin = 'source' | 'file' | 'line' | 'learners' | 'findings'
export type AuthorCard = Omit<CardWithOrigin, Origin> & Partial<Pick<CardWithOrigin, Origin>>

export type Option = Omit<AuthorCard['options'][number], 'feedback'> & { feedback?: string | null }

export interface Version {
  version: number
  changed_at: string
  changed_by: string | null
  /** Kind of change that created the version; null if it is not recorded */
  how: string | null
}

export type CardVersion = Version & Pick<AuthorCard, 'question' | 'answer' | 'level' | 'options'>

export type AuthorSheet = Answer<'/api/content/sheets/{slug}'>['sheet'] & { file?: string | null; line?: number | null }

export type SheetVersion = Answer<'/api/content/sheets/{slug}/versions'>['versions'][number]

type Query = Parameters<typeof urlOf>[2]
type Params = Parameters<typeof urlOf>[1]

/**
 * Sends a request to an API route for authors and returns the JSON of the response.
 * @throws Fault if the request fails
 */
export async function request<T>(
  method: string,
  path: string,
  params?: Params,
  body?: object,
  query?: Query,
): Promise<T> {
  const isRead = method === 'GET' || method === 'DELETE'
  const init = {
    headers: { accept: 'application/json', ...(!isRead && { 'content-type': 'application/json' }) },
    ...(!isRead && { body: JSON.stringify(body ?? {}) }),
  }
  return (await send(method, urlOf(path, params, query), init)) as T
}
