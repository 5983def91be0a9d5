const ESCAPE = /_x([0-9a-f]{4})_/gi

/**
 * Replaces the escapes for characters that XML cannot hold (ECMA-376, ST_Xstring); line ends become `\n`.
 * @example decodeEscapes('a_x000D_\nb') // 'a\nb'
 */
export function decodeEscapes(text: string): string {
  const decoded = text.includes('_x') ? text.replace(ESCAPE, (_, hex) => String.fromCharCode(parseInt(hex, 16))) : text
  return decoded.includes('\r') ? decoded.replace(/\r\n?/g, '\n') : decoded
}
