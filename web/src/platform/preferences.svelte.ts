import { readStored, writeStored } from './storage.js'

export type Theme = 'system' | 'light' | 'dark'
export type TextSize = 'normal' | 'large' | 'larger'

/** Appearance and shortcuts on this device. `public/theme.js` applies the appearance before the first paint. */
interface Preferences {
  theme: Theme
  textSize: TextSize
  /** Whether single-key shortcuts are on (WCAG 2.2, 2.1.4) */
  singleKeys: boolean
}

const STORED = 'training.look'

export const preferences = $state<Preferences>({
  theme: 'system',
  textSize: 'normal',
  singleKeys: true,
  ...readStored<Preferences>(STORED),
})

export function changePreferences(change: Partial<Preferences>): void {
  Object.assign(preferences, change)
  writeStored(STORED, preferences)
  const { dataset } = document.documentElement
  if (preferences.theme === 'system') delete dataset.theme
  else dataset.theme = preferences.theme
  if (preferences.textSize === 'normal') delete dataset.textSize
  else dataset.textSize = preferences.textSize
}
