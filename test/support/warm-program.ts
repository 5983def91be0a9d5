import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** IPC message that starts one call of the program; the reply is an `Outcome`. */
export interface Call {
  variables: Record<string, string>
  args: string[]
  input: string
}

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

function replace(name: 'stdin' | 'stdout' | 'stderr' | 'argv' | 'env' | 'exit', value: unknown): void {
  Object.defineProperty(process, name, { value, configurable: true, writable: true })
}

// Runs the program repeatedly in this process. Each call evaluates the entry module again; other modules stay loaded.
// Each call has separate streams, arguments and environment variables.
const entry = new URL('../../src/cli.js', import.meta.url).href
const exit = process.exit.bind(process)
replace('exit', () => {})
let calls = 0
process.on('message', async ({ variables, args, input }: Call) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed = Promise.all([text(stdout), text(stderr)])
  replace('stdin', Readable.from([Buffer.from(input)]))
  replace('stdout', stdout)
  replace('stderr', stderr)
  replace('argv', [process.argv[0], entry, ...args])
  replace('env', variables)
  process.exitCode = undefined
  try {
    await import(`${entry}?call=${calls++}`)
  } catch (error) {
    process.exitCode = 1
    stderr.write(`${(error as Error).stack}\n`)
  }
  const code = Number(process.exitCode ?? 0)
  stdout.end()
  stderr.end()
  const [out, err] = await printed
  process.send?.({ code, stdout: out, stderr: err } satisfies Outcome)
})
process.on('disconnect', () => exit(0))
