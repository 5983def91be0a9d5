/** Language of the content of a part. Formats 1 and 2 have none of the keys. */
interface PartLanguage {
  /** Language in which the part was done (BCP 47); null if it is not known */
  lang?: string | null
  /** Title in that language, beside that of the original in `title`; null if the part was done as the original */
  variant_title?: string | null
}

/** One part of a training duty, as recorded in the certificate. Dates are `YYYY-MM-DD`. */
export type ProvenPart =
  | ({ kind: 'sheet'; title: string; done_on: string; version: number | null; sha256: string | null } & PartLanguage)
  | ({
      kind: 'test'
      title: string
      done_on: string
      version: number | null
      sha256: string | null
      /** Percentage needed to pass the test; null, like `version`, if the passed attempt was not found */
      pass_percent: number | null
    } & PartLanguage)
  | ({ kind: 'deck'; title: string; done_on: string; share_percent: number | null } & PartLanguage)
  | { kind: 'personal'; title: string; done_on: string; confirmed_by: string; note: string | null }

/** Content of a certificate; deliberately has no field for a score or an answer. Dates are `YYYY-MM-DD`. */
export interface CertificateSnapshot {
  /** Version of this structure; 1 has neither `issuer` nor the following two keys, 1 and 2 do not name languages */
  format: 1 | 2 | 3
  /** Name of the company at the time of issue; null if none was configured */
  issuer?: string | null
  personnel_number?: string | null
  /** Period that was completed late, with its due day without extension; null if it was completed in time */
  for_period?: { from: string; to: string } | null
  /** Display name of the account at completion, or at the correction that created this certificate */
  name: string
  title: string
  /** First day of the period for which the duty was fulfilled */
  period: string
  completed_on: string
  /** Last day on which the certificate covers the duty; null for a duty that does not recur */
  valid_until: string | null
  parts: ProvenPart[]
  /** Code of the certificate that this certificate replaces because of a wrong name */
  replaces?: string
}

/**
 * Returns the canonical JSON of a snapshot: sorted keys, no spaces (RFC 8785), so that equal snapshots give equal
 * strings.
 * @example writeSnapshot(snapshot).slice(0, 16) // '{"completed_on":'
 */
export function writeSnapshot(snapshot: CertificateSnapshot): string {
  return JSON.stringify(snapshot, (_key, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}

/**
 * Parses JSON written by `writeSnapshot`, without validation.
 * @example readSnapshot(writeSnapshot(snapshot)).format // 1
 */
export function readSnapshot(text: string): CertificateSnapshot {
  return JSON.parse(text) as CertificateSnapshot
}
