/**
 * Describes in German how an action was performed; an empty string for a browser session and for an unknown value.
 * @example viaWords('token') // 'mit einem Token'
 */
export function viaWords(via: string): string {
  if (via === 'oidc') return 'durch den Anbieter der Anmeldung'
  if (via === 'scim') return 'durch den Anbieter, über SCIM'
  if (via === 'token') return 'mit einem Token'
  if (via === 'cli') return 'auf der Kommandozeile'
  if (via === 'start') return 'beim Start des Dienstes'
  return ''
}
