import type { paths } from '../../../dist/client/api.js'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never
}[keyof paths]
export type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>
type Json<T> = T extends { content: { 'application/json': infer Value } } ? Value : never
export type Answer<P extends keyof paths, M extends Method = 'get'> =
  Operation<P, M> extends { responses: { 200: infer Success } } ? Json<Success> : never
type Content<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody?: infer Sent } ? NonNullable<Sent> : never
export type Body<P extends keyof paths, M extends Method> = Json<Content<P, M>>
/** Media types of a request, except JSON */
export type MediaType<P extends keyof paths, M extends Method> =
  Content<P, M> extends { content: infer Types } ? Exclude<keyof Types, 'application/json'> : never
/** Body of a refusal with status 400 */
export type BadRequest<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: { 400: infer Refusal } } ? Json<Refusal> : never

export type User = Answer<'/api/auth/me'>['user']
export type Roles = Answer<'/api/auth/me'>['roles']
export type Queue = Answer<'/api/review/queue'>
export type Stats = Answer<'/api/review/stats'>
export type DeckChoice = Answer<'/api/review/decks'>['decks'][number]
export type SearchHit = Answer<'/api/search'>['results'][number]
export type ReviewSettings = Answer<'/api/review/settings'>
export type Fit = Answer<'/api/review/settings/fit'>
export type CardPage = Answer<'/api/review/cards'>
export type ReviewCard = CardPage['cards'][number]
export type CardDetail = Answer<'/api/review/cards/{id}'>
export type HistoryEntry = Answer<'/api/review/history'>['entries'][number]
