export const EXPORT_FORMATS = ['apkg', 'csv', 'markdown'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Content type and file name by format; `day` is `YYYY-MM-DD` */
export const EXPORT_FILES: Readonly<Record<ExportFormat, { type: string; nameOf: (day: string) => string }>> = {
  // Anki offers to replace the whole collection if the file is named `collection.apkg` or `backup-….apkg`.
  apkg: { type: 'application/octet-stream', nameOf: (day) => `svc_training_anki_${day}.apkg` },
  csv: { type: 'text/csv; charset=utf-8', nameOf: (day) => `svc_training_karten_${day}.csv` },
  markdown: { type: 'application/zip', nameOf: (day) => `svc_training_inhalte_${day}.zip` },
}
