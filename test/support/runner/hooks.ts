interface Resolved {
  url: string
  shortCircuit?: boolean
}

/** Resolves `tap` in a test file to a module that exports the subtest of this file instead of tap's root test. */
export async function resolve(
  specifier: string,
  context: { parentURL?: string },
  next: (specifier: string, context: object) => Promise<Resolved>,
): Promise<Resolved> {
  const { parentURL } = context
  if (specifier !== 'tap' || !parentURL?.endsWith('.test.js')) return next(specifier, context)
  const source = `export default globalThis.testOfFile(${JSON.stringify(parentURL)})`
  return { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true }
}
