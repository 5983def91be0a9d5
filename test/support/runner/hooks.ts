interface Resolved {
  url: string
  shortCircuit?: boolean
}

/** In a batch, gives each test file as `t` the test that stands for it instead of tap's root. */
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
