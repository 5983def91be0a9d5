interface Resolved {
  url: string
  shortCircuit?: boolean
}

/**
 * In a process that runs one file after another, each gets as `t` the test that stands for it instead of tap's root, and
 * tap tells which one has thrown by which one runs.
 */
export async function resolve(
  specifier: string,
  context: { parentURL?: string },
  next: (specifier: string, context: object) => Promise<Resolved>,
): Promise<Resolved> {
  const { parentURL } = context
  if (specifier === 'async-hook-domain') {
    return { url: new URL('latest-test.js', import.meta.url).href, shortCircuit: true }
  }
  if (specifier !== 'tap' || !parentURL?.endsWith('.test.js')) return next(specifier, context)
  const source = `export default globalThis.testOfFile(${JSON.stringify(parentURL)})`
  return { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true }
}
