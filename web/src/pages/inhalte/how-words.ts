const WORDS: Record<string, string> = {
  create: 'angelegt',
  edit: '',
  bulk: 'viele auf einmal',
  restore: 'wiederhergestellt',
  suggestion: 'Vorschlag',
  upload: 'hochgeladen',
  folder: 'aus dem Ordner',
  undo: 'zurückgenommen',
  adopt: 'aus dem Ordner übernommen',
}

/**
 * Returns a German text for the kind of change that created a version; empty for a plain edit and an unknown kind.
 * @example howWords('restore') // 'wiederhergestellt'
 */
export function howWords(how: string | null): string {
  return WORDS[how ?? ''] ?? ''
}
