import { encode } from 'uqr'
import { groupCode } from '../../domain/certificates/code.js'
import type { CertificateSnapshot, ProvenPart } from '../../domain/certificates/snapshot.js'
import { PRINTED_LOGO } from '../../domain/company/logo.js'
import type { Language } from '../../domain/text/language.js'
import { CERTIFICATE_WORDS, type CertificateWords } from './certificate-words.js'
import { createPdf, type Document, formatDay, isPrintable, MARGIN, MUTED, SMALL, TEXT, writeText } from './document.js'

export interface PrintedCertificate {
  code: string
  /** Language of the printed words; names, titles and notes are printed as they are */
  language: Language
  /** URL of the page that shows the same data for comparison; null if the service has no public address */
  address: string | null
  /** Logo of the company, PNG or JPEG; null if none is configured */
  logo: Uint8Array | null
  issued_at: Date
  snapshot: CertificateSnapshot
  revoked_at: Date | null
  replaced_by: string | null
}

const QR_SIZE = 110

/** Returns the PDF of a certificate. The output is deterministic. */
export function printCertificate(certificate: PrintedCertificate): Promise<Buffer> {
  const { snapshot, issued_at, language } = certificate
  const words = CERTIFICATE_WORDS[language]
  const title = `${words.certificate}: ${snapshot.title}, ${snapshot.name}`
  return createPdf({ title, at: issued_at, lang: words.tag }, (document) => writeCertificate(document, certificate))
}

function writeCertificate(
  document: Document,
  { code, address, logo, snapshot, revoked_at, replaced_by, issued_at, language }: PrintedCertificate,
) {
  const words = CERTIFICATE_WORDS[language]
  const dayOf = (day: string) => formatDay(day, language)
  const root = document.struct('Document')
  document.addStructure(root)
  const add = (type: string, write: () => void) => root.add(document.struct(type, {}, write))
  const line: WriteLine = (text, { bold = false, size = TEXT, color = 'black', after = 4 } = {}) => {
    writeText(document, text, { isBold: bold, fontSize: size, color })
    document.y += after
  }

  const { format, issuer, personnel_number, for_period } = snapshot
  // Certificates of format 1 do not name the company that issued them.
  if (logo !== null && format !== 1) {
    root.add(document.struct('Figure', { alt: `Logo: ${issuer ?? words.company}` }, () => drawLogo(document, logo)))
  }
  if (issuer) add('P', () => line(issuer, { bold: true, size: 13, after: 12 }))
  add('H1', () => line(words.certificate, { bold: true, size: 24, after: 10 }))
  add('P', () => line(snapshot.title, { bold: true, size: 15, after: 14 }))
  if (revoked_at !== null) add('P', () => line(words.revoked, { bold: true, after: 10 }))
  if (replaced_by !== null) {
    add('P', () => line(words.replacedBy(groupCode(replaced_by)), { bold: true, after: 10 }))
  }
  for (const [label, value] of [
    [words.name, snapshot.name],
    ...(personnel_number ? [[words.personnelNumber, personnel_number]] : []),
    [words.completedOn, dayOf(snapshot.completed_on)],
    ...(for_period ? [[words.forPeriod, `${dayOf(for_period.from)}–${dayOf(for_period.to)}`]] : []),
    [words.validUntil, snapshot.valid_until === null ? words.unlimited : dayOf(snapshot.valid_until)],
  ] as [label: string, value: string][]) {
    add('P', () => {
      line(label, { size: SMALL, color: MUTED, after: 0 })
      line(value, { bold: label === words.name, size: label === words.name ? 15 : TEXT, after: 8 })
    })
  }
  const parts = snapshot.parts.map((part) => ({
    title: `${words.partNames[part.kind]}: ${part.title}`,
    text: describePart(part, { words, language, day: dayOf(part.done_on) }),
  }))
  const texts = [
    issuer ?? '',
    snapshot.name,
    personnel_number ?? '',
    snapshot.title,
    ...parts.flatMap(({ title, text }) => [title, text]),
  ]
  if (!texts.every((text) => isPrintable(text))) {
    add('P', () => line(words.missingCharacters, { size: SMALL }))
  }
  add('H2', () => line(words.parts, { bold: true, size: 13, after: 6 }))
  for (const { title, text } of parts) {
    add('P', () => {
      line(title, { bold: true, after: 0 })
      line(text, { size: 10, color: MUTED, after: 8 })
    })
  }
  writeCode(document, root, { code, address, issued_at, language }, line)
}

type WriteLine = (text: string, options?: { bold?: boolean; size?: number; color?: string; after?: number }) => void

function writeCode(
  document: Document,
  root: PDFKit.PDFStructureElement,
  { code, address, issued_at, language }: Pick<PrintedCertificate, 'code' | 'address' | 'issued_at' | 'language'>,
  line: WriteLine,
): void {
  const words = CERTIFICATE_WORDS[language]
  const top = document.page.height - MARGIN - QR_SIZE
  if (document.y > top - 12) document.addPage()
  if (address !== null) {
    const figure = document.struct('Figure', { alt: words.qrCode(address) }, () =>
      drawQr(document, address, { x: MARGIN, y: top }),
    )
    root.add(figure)
    document.x = MARGIN + QR_SIZE + 18
  }
  document.y = top + 4
  const part = document.struct('P', {}, () => {
    line(words.compare, { size: SMALL, color: MUTED, after: 0 })
    line(address ?? words.enterCode, { size: SMALL, after: 6 })
    line(groupCode(code), { bold: true, size: 10, after: 6 })
    const day = formatDay(issued_at.toISOString().slice(0, 10), language)
    line(words.issuedOn(day), { size: SMALL, color: MUTED, after: 0 })
  })
  root.add(part)
}

function drawLogo(document: Document, logo: Uint8Array): void {
  const { width, height } = PRINTED_LOGO
  const bytes = Buffer.from(logo.buffer, logo.byteOffset, logo.byteLength)
  // Without coordinates, PDFKit moves its position below the picture.
  document.image(bytes, { fit: [width, height] })
  document.y += 12
}

function drawQr(document: Document, text: string, { x, y }: { x: number; y: number }): void {
  const { data, size } = encode(text, { border: 0, ecc: 'M' })
  const module = QR_SIZE / size
  for (const [row, cells] of data.entries()) {
    for (const [column, isDark] of cells.entries()) {
      if (isDark) document.rect(x + column * module, y + row * module, module, module)
    }
  }
  document.fill('black')
}

function describePart(
  part: ProvenPart,
  { words, language, day }: { words: CertificateWords; language: Language; day: string },
): string {
  const rest = languageOf(part, words, language) + versionOf(part, words)
  switch (part.kind) {
    case 'sheet':
      return words.sheetRead(day) + rest
    case 'test':
      return words.testPassed(day) + rest
    case 'deck':
      return words.deckLearned(day) + rest
    case 'personal':
      return words.instructed(day, part.confirmed_by) + (part.note ? `. ${part.note}` : '')
  }
}

/** Returns the language in which a part was done, unless it is the original in the language of the document. */
function languageOf(part: ProvenPart, words: CertificateWords, language: Language): string {
  if (part.kind === 'personal') return ''
  const { lang = null, variant_title = null } = part
  return lang === null || (variant_title === null && lang === language) ? '' : words.inLanguage(lang, variant_title)
}

/**
 * Returns the version of a sheet or test and the first 16 digits of its hash, as far as they are known, with a leading
 * separator; an empty string for other parts.
 */
function versionOf(part: ProvenPart, words: CertificateWords): string {
  if (part.kind !== 'sheet' && part.kind !== 'test') return ''
  const version = part.version === null ? '' : `, ${words.version(part.version)}`
  return version + (part.sha256 === null ? '' : ` (SHA-256 ${part.sha256.slice(0, 16)})`)
}
