/** Maximum length of a name in bytes: the 255 bytes that file systems allow, minus 31 for the code and the extension */
const MAX_BYTES = 200

/**
 * Returns the name of the PDF of a certificate in an archive: the person's name without characters that file systems
 * refuse, then the code.
 * @example fileNameOf('Erika Muster', 'AB7K9QF2M4X8ZC6T3VN5HRWDJE') // 'Erika Muster-AB7K9QF2M4X8ZC6T3VN5HRWDJE.pdf'
 */
export function fileNameOf(name: string, code: string): string {
  const characters = [...name.normalize('NFC').replaceAll(/[\p{Cc}\p{Cf}\p{Cs}/\\:*?"<>|]/gu, '_')]
  while (Buffer.byteLength(characters.join('')) > MAX_BYTES) characters.pop()
  const cut = characters
    .join('')
    .replace(/^[\s.]+/, '')
    .trim()
  return `${cut}-${code}.pdf`
}
