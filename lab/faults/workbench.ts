import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import ts from 'typescript'
import { ROOT } from './fault.js'

/** Parts of the checkout that the tests do not need, or that the copy links to */
const NOT_COPIED = ['.git', '.tap', 'lab', 'node_modules']

/** Maximum number of characters of an assertion's name */
const MAX_NAME = 80
/** Time for a PostgreSQL server to stop */
const STOP_MS = 15_000

/** Result of a test file. `by` is the first failed assertion, or how the process ended. */
export type TestResult = { kind: 'passed' } | { kind: 'failed' | 'timeout'; by: string }

/** A copy of the built tree in a temporary folder, in which one file at a time is replaced. */
export class Workbench {
  readonly #folder: string
  #running: ChildProcess | undefined

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async create(): Promise<Workbench> {
    const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-faults-'))
    const names = (await readdir(ROOT)).filter((name) => !NOT_COPIED.includes(name))
    await promisify(execFile)('cp', ['-a', ...names, folder], { cwd: ROOT })
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
    return new Workbench(folder)
  }

  remove(): void {
    this.#kill('SIGTERM')
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }

  /** Sends a signal to the running test and the processes that it has started. */
  #kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid, exitCode, signalCode } = this.#running ?? {}
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal)
  }

  read(file: string): Promise<string> {
    return readFile(path.join(this.#folder, file), 'utf8')
  }

  /** Replaces a source file and its compiled file during `work`. @throws Error if the source cannot be parsed */
  async withSource<T>(file: string, source: string, work: () => Promise<T>): Promise<T> {
    const { outputText, diagnostics = [] } = ts.transpileModule(source, {
      fileName: file,
      reportDiagnostics: true,
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
      },
    })
    const [problem] = diagnostics
    if (problem !== undefined) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'))
    const changes: [name: string, text: string][] = [
      [file, source],
      [compiledOf(file), outputText],
    ]
    const paths = changes.map(([name]) => path.join(this.#folder, name))
    const originals = await Promise.all(paths.map((name) => readFile(name)))
    try {
      await Promise.all(changes.map(([, text], index) => writeFile(paths[index] as string, text)))
      return await work()
    } finally {
      await Promise.all(originals.map((bytes, index) => writeFile(paths[index] as string, bytes)))
    }
  }

  /**
   * Runs a test file until its end or its first failed assertion, because a fault can leave a later test waiting. A run
   * that exceeds `timeoutMs` is ended with all its processes.
   */
  async test(file: string, { server, timeoutMs }: { server: boolean; timeoutMs: number }): Promise<TestResult> {
    const test = ['node', compiledOf(file)]
    const [program = '', ...args] = server ? ['node', 'dist/test/support/with-postgres.js', ...test] : test
    const child = spawn(program, args, {
      cwd: this.#folder,
      detached: true,
      // Tap's own limit of 30 s would be too short on a busy machine.
      env: { ...process.env, TAP_TIMEOUT: String(Math.ceil((2 * timeoutMs) / 1_000)) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running = child
    let result: TestResult | undefined
    const timers: NodeJS.Timeout[] = []
    const end = (early: TestResult) => {
      if (result !== undefined) return
      result = early
      this.#kill('SIGTERM')
      timers.push(setTimeout(() => this.#kill('SIGKILL'), STOP_MS))
    }
    const seconds = Math.round(timeoutMs / 1_000)
    timers.push(setTimeout(() => end({ kind: 'timeout', by: `no end within ${seconds} s` }), timeoutMs))
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        const by = failureIn(line)
        if (by !== undefined) end({ kind: 'failed', by })
      })
    }
    const [status, signal] = await once(child, 'close')
    for (const timer of timers) clearTimeout(timer)
    if (result !== undefined) return result
    return status === 0 ? { kind: 'passed' } : { kind: 'failed', by: `exit status ${status ?? signal}` }
  }
}

function compiledOf(file: string): string {
  return `dist/${file.replace(/\.ts$/, '.js')}`
}

/** Returns the beginning of the name of an assertion; undefined unless the line of the test's output says that it failed. */
function failureIn(line: string): string | undefined {
  const [, name] = /^ *not ok \d+ - (.+?)(?: # time=.*)?(?: \{)?$/.exec(line) ?? []
  return name?.slice(0, MAX_NAME)
}
