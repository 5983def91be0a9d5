import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { plainNode } from '../plain-node.js'

/** Options that tap adds to a test's process */
const OF_TAP = /^--(import=|enable-source-maps$)/

/**
 * JavaScript is optimised only when it runs seven times as much as V8 asks for: compiling it took a fifth of the
 * processor time. Later versions of Node.js do not know the option.
 */
const OPTIMISED_LATE = Number.parseInt(process.versions.node, 10) < 22 ? ['--interrupt-budget=500000'] : []

/** Runs a batch in a process that tap has not prepared, and ends as that does. */
export async function launchBatch(): Promise<void> {
  const batch = fileURLToPath(new URL('batch.js', import.meta.url))
  const options = process.execArgv.filter((option) => !OF_TAP.test(option))
  const child = spawn(...plainNode([...options, ...OPTIMISED_LATE, batch]), {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
}
