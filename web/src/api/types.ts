import type { paths } from '../../../dist/client/api.js'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never
}[keyof paths]
export type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>
type Json<T> = T extends { content: { 'application/json': infer Value } } ? Value : never
/** A body whose lists have no deleted entries, because the app never sends `changed_since` */
type Present<B> = { [K in keyof B]: B[K] extends (infer Entry)[] ? Exclude<Entry, { deleted: true }>[] : B[K] }
export type ResponseBody<P extends keyof paths, M extends Method = 'get'> =
  Operation<P, M> extends { responses: { 200: infer Success } } ? Present<Json<Success>> : never
type Content<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody?: infer Sent } ? NonNullable<Sent> : never
export type Body<P extends keyof paths, M extends Method> = Json<Content<P, M>>
/** Query of an operation. Parameters that are undefined or empty are not sent. */
export type Query<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { parameters: { query?: infer Sent } }
    ? { [Name in keyof NonNullable<Sent>]: NonNullable<Sent>[Name] | '' | undefined }
    : never
/** Media types of a request, except JSON */
export type MediaType<P extends keyof paths, M extends Method> =
  Content<P, M> extends { content: infer Types } ? Exclude<keyof Types, 'application/json'> : never
/** Body of a refusal with status 400 */
export type BadRequest<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: { 400: infer Refusal } } ? Json<Refusal> : never

export type CardState = Query<'/api/review/cards', 'get'>['state']
export type User = ResponseBody<'/api/auth/me'>['user']
export type Roles = ResponseBody<'/api/auth/me'>['roles']
export type Queue = ResponseBody<'/api/review/queue'>
export type Stats = ResponseBody<'/api/review/stats'>
export type DeckChoice = ResponseBody<'/api/review/decks'>['decks'][number]
export type SearchHit = ResponseBody<'/api/search'>['results'][number]
export type ReviewSettings = ResponseBody<'/api/review/settings'>
export type Fit = ResponseBody<'/api/review/settings/fit'>
export type CardPage = ResponseBody<'/api/review/cards'>
export type ReviewCard = CardPage['cards'][number]
export type CardDetail = ResponseBody<'/api/review/cards/{id}'>
export type HistoryEntry = ResponseBody<'/api/review/history'>['entries'][number]
