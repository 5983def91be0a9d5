import { readStored, writeStored } from './storage.js'

export type Theme = 'system' | 'light' | 'dark'
export type TextSize = 'normal' | 'large' | 'larger'

/** Appearance and shortcuts on this device. `public/theme.js` applies the appearance before the first paint. */
interface Look {
  theme: Theme
  textSize: TextSize
  /** Whether single-key shortcuts are on (WCAG 2.2, 2.1.4) */
  singleKeys: boolean
}

const STORED = 'training.look'

export const look = $state<Look>({ theme: 'system', textSize: 'normal', singleKeys: true, ...readStored<Look>(STORED) })

export function changeLook(change: Partial<Look>): void {
  Object.assign(look, change)
  writeStored(STORED, look)
  const { dataset } = document.documentElement
  if (look.theme === 'system') delete dataset.theme
  else dataset.theme = look.theme
  if (look.textSize === 'normal') delete dataset.textSize
  else dataset.textSize = look.textSize
}
