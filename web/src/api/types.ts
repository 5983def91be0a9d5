import type { Answer } from './client.js'

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
