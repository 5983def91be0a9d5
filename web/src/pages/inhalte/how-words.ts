const WORDS: Record<string, string> = {
  create: /* text */ 'angelegt',
  edit: '',
  bulk: 'viele auf einmal',
  restore: /* text */ 'wiederhergestellt',
  suggestion: 'Vorschlag',
  upload: /* text */ 'hochgeladen',
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
