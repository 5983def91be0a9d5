import { Refusal } from '../refusal.js'

export const CALENDAR_NOT_FOUND = new Refusal('not_found', 'calendar_not_found', 'Diesen Kalender gibt es nicht')
