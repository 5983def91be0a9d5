import { packageFileName } from '../anki/text-export.js'

export const EXPORT_FORMATS = ['apkg', 'csv', 'markdown'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The content type of each format, and the name under which a browser saves it on that day (`YYYY-MM-DD`). */
export const EXPORT_FILES: Readonly<Record<ExportFormat, { type: string; nameOf: (day: string) => string }>> = {
  apkg: { type: 'application/octet-stream', nameOf: packageFileName },
  csv: { type: 'text/csv; charset=utf-8', nameOf: (day) => `svc_training_karten_${day}.csv` },
  markdown: { type: 'application/zip', nameOf: (day) => `svc_training_inhalte_${day}.zip` },
}
