const LABELS: Record<string, string> = {
  title: 'Titel',
  description: 'Beschreibung',
  parts: 'Was zu tun ist',
  audience: 'Für wen',
  starts: 'Beginn',
  due: 'Fällig',
  days_after_start: 'Tage Zeit',
  every_months: 'Monate',
  window_end: 'Letzter Tag im Jahr',
  opens_days_before: 'Öffnet sich vorher',
  retention_years: 'Nachweis aufbewahren',
  responsible_id: 'Verantwortlich',
  reason: 'Grund',
  until: 'Tag',
  held_on: 'Tag der Unterweisung',
  note: 'Notiz',
}

/**
 * Replaces field names in a message of the service with their German labels.
 * @example labelFields('Das Feld „reason“ darf nicht leer sein') // 'Das Feld „Grund“ darf nicht leer sein'
 */
export function labelFields(message: string): string {
  return message.replaceAll(/„([\w.[\]]+)“/g, (whole, field: string) => {
    const part = /^parts\[(\d+)\]/.exec(field)
    if (part) return `„Teil ${Number(part[1]) + 1}“`
    const label = LABELS[field.split('.').at(-1) ?? ''] ?? LABELS[field]
    return label === undefined ? whole : `„${label}“`
  })
}
