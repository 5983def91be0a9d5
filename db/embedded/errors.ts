/**
 * The reason why the embedded store cannot be used; the message is one German line for the person who starts the
 * service.
 */
export class EmbeddedStoreError extends Error {
  override name = 'EmbeddedStoreError'
}

export class EmbeddedStoreInUseError extends EmbeddedStoreError {
  override name = 'EmbeddedStoreInUseError'
}
