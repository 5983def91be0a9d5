import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { ROOT } from '../support/constants.js'
import { createStoreVariables, firstLogin, startProcess } from '../support/process.js'
import { SCRATCH } from '../support/scratch.js'

interface Step {
  command: string
  /** Expected output; `…` matches any text */
  output: string
}

t.test('the commands in the README print the output shown there', async (t) => {
  const variables = await createStoreVariables(t)
  const service = await startProcess(t, variables)
  const { password } = firstLogin(service, variables)
  const folder = await mkdtemp(path.join(SCRATCH, 'svc-training-tour-'))
  t.teardown(() => rm(folder, { recursive: true }))

  const steps = readSteps(await readFile(`${ROOT}README.md`, 'utf8'))
  t.ok(steps.length > 10)
  const shell = startShell(folder, { PASSWORD: password })
  t.teardown(shell.end)
  for (const { command, output } of steps) {
    const printed = await shell.run(command.replace('http://127.0.0.1:3000', service.url))
    t.match(printed, toPattern(output), command)
  }
  await service.stop()
})

function readSteps(readme: string): Step[] {
  const [, block = ''] = /```console\n([\s\S]*?)```/.exec(readme) ?? []
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...output] = text.trimEnd().split('\n')
      return { command, output: output.join('\n') }
    })
}

function toPattern(output: string): RegExp {
  const parts = output.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`)
}

/** Starts one shell for all commands, because later commands use variables of earlier ones. */
function startShell(cwd: string, env: Record<string, string>) {
  const shell = spawn('sh', { cwd, env: { PATH: process.env.PATH ?? '', ...env }, stdio: ['pipe', 'pipe', 'inherit'] })
  const END = '-- end of output --'
  return {
    end: () => shell.kill(),
    run: (command: string) =>
      new Promise<string>((resolve) => {
        let output = ''
        const read = (data: Buffer) => {
          output += data
          const end = output.indexOf(END)
          if (end < 0) return
          shell.stdout.off('data', read)
          resolve(output.slice(0, end).trim())
        }
        shell.stdout.on('data', read)
        shell.stdin.write(`${command}\necho; echo '${END}'\n`)
      }),
  }
}
