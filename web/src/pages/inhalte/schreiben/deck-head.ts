import { percent } from '../../../words/numbers.js'

const RETENTIONS = [0.8, 0.85, 0.9, 0.93, 0.95, 0.97]
export const NO_RETENTION = ''

/** Returns the options for the retention of a deck, including the current value if it is not one of `RETENTIONS`. */
export function retentionOptions(retention: number | null): { value: string; label: string }[] {
  const shares = [...new Set([...RETENTIONS, retention ?? 0.9])].sort()
  return [
    { value: NO_RETENTION, label: 'wie die Lernenden eingestellt haben' },
    ...shares.map((share) => ({ value: String(share), label: percent(share) })),
  ]
}

export function retentionValue(retention: number | null): string {
  return retention === null ? NO_RETENTION : String(retention)
}
