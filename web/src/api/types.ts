import type { Answer } from './client.js'

export type User = Answer<'/api/auth/me'>['user']
export type Queue = Answer<'/api/review/queue'>
export type QueueCard = Queue['cards'][number]
export type Stats = Answer<'/api/review/stats'>
export type DeckChoice = Answer<'/api/review/decks'>['decks'][number]
export type ReviewSettings = Answer<'/api/review/settings'>
