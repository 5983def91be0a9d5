/** Describes the way of access in German; an empty string for a session in a browser and for an unknown way. */
export function viaWords(via: string): string {
  if (via === 'oidc') return 'durch den Anbieter der Anmeldung'
  if (via === 'token') return 'mit einem Token'
  if (via === 'cli') return 'auf der Kommandozeile'
  if (via === 'start') return 'beim Start des Dienstes'
  return ''
}
