/** The embedded store cannot be used. The message is one German line for the person who starts the service. */
export class EmbeddedStoreError extends Error {
  override name = 'EmbeddedStoreError'
}

/** Another process has the store open. */
export class EmbeddedStoreInUseError extends EmbeddedStoreError {
  override name = 'EmbeddedStoreInUseError'
}
