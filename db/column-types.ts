import type { ColumnType } from 'kysely'
import type { IncomingPicture } from '../src/domain/content/upload/incoming.js'

/** A column that database triggers maintain; the type rules out inserts and updates of it */
export type Derived<T> = ColumnType<T, never, never>
/** A column that only an insert sets */
export type Fixed<T> = ColumnType<T, T, never>
/** A column that is null until an update sets it */
export type SetLater<T> = ColumnType<T | null, never, T>
/** A JSON column, read as a value and written as text */
export type JsonText<T> = ColumnType<T, string, string>
export type NullableJsonText<T> = ColumnType<T | null, string | null, string | null>
export type FixedJsonText<T> = ColumnType<T, string, never>
export type FixedNullableJsonText<T> = ColumnType<T | null, string | null, never>

export type SignInMethod = 'password' | 'passkey' | 'oidc'

export type AuditVia = 'session' | 'token' | 'cli' | 'oidc' | 'scim'

export type PictureExtension = IncomingPicture['extension']

export type ChangeKind = 'create' | 'edit' | 'bulk' | 'restore' | 'undo' | 'suggestion' | 'upload' | 'folder' | 'adopt'

/** State of a card or sheet before or after a change in the browser; `version` identifies its texts. */
export interface ItemState {
  /** Null for a sheet */
  deck_id: number | null
  archived: boolean
  draft: boolean
  version: number
  /** Sort order of a card, so that undoing a move restores its place */
  sort_order?: number
}
