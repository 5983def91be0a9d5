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

/** Says how a version came about; nothing for the usual way. */
export function howWords(how: string | null): string {
  return WORDS[how ?? ''] ?? ''
}
