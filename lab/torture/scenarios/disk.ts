import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Burst, findLost, startBurst } from '../../../dist/test/support/burst.js'
import { firstLogin, loginOver, type Send, startProcess } from '../../../dist/test/support/process.js'
import type { Outcome, Scope } from '../outcome.js'

const DISK_MB = 150
const RECOVERY_LIMIT_MS = 20_000

/**
 * Fills the small disk of the embedded database under load and frees it, three times. Then fills it again, kills the
 * service, and starts it on the full and on the freed disk.
 */
export async function fillDisk(scope: Scope): Promise<Outcome[]> {
  const disk = mountDisk(scope)
  if (disk === undefined) {
    const done = 'not tried: a file system of its own (tmpfs) can be mounted by root only'
    return [{ fault: 'disk full (embedded)', done, observed: '', lost: '', defects: [] }]
  }
  const variables = { DATA_DIR: path.join(disk, 'data'), PORT: '0', RATE_LIMIT: '0', LOG_LEVEL: 'fatal' }
  const service = await startProcess(scope, variables)
  const login = firstLogin(service, variables)
  const send = await loginOver(service.url, login, { repeats: false })
  const defects: string[] = []
  const acknowledged = new Set<number>()
  const outcomes: Outcome[] = []

  const note = async (fault: string, done: string, observed: string, reader: Send) => {
    const lost = await findLost(reader, acknowledged)
    defects.push(...lost.slice(0, 5).map((number) => `lost: ${number}`))
    outcomes.push({
      fault,
      done,
      observed,
      lost: lost.length === 0 ? `nothing of ${acknowledged.size} acknowledged` : `${lost.length} results`,
      defects: defects.splice(0),
    })
  }
  const keep = (burst: Burst) => {
    for (const number of burst.acknowledged) acknowledged.add(number)
    defects.push(...new Set(burst.defects))
  }

  for (const round of [1, 2, 3]) {
    const burst = startBurst(send, { first: round * 1_000_000 })
    await burst.reach(200)
    const free = takeSpace(disk)
    await waitUntil(() => (burst.statuses['503'] ?? 0) > 20 || burst.defects.length > 0, 120_000)
    const readable = (await send('/api/decks')).status
    const alive = (await fetch(`${service.url}/healthz`)).status
    await sleep(2_000)
    free()
    const freed = performance.now()
    const recovered = await Promise.race([burst.reach(20).then(() => true), sleep(RECOVERY_LIMIT_MS, false)])
    const seconds = ((performance.now() - freed) / 1000).toFixed(1)
    await burst.stop()
    keep(burst)
    if (alive !== 200) defects.push(`/healthz ${alive}`)
    if (readable !== 200 && readable !== 503) defects.push(`reading: ${readable}`)
    if (!recovered) defects.push('no recovery after the disk was freed')
    const statuses = Object.entries(burst.statuses).map(([status, count]) => `${count} × ${status}`)
    await note(
      `disk full (embedded), time ${round}`,
      `tmpfs of ${DISK_MB} MB filled to the last byte under submits, freed after 503s`,
      `${statuses.join(', ')}; reading at that time: ${readable}; written again ${seconds} s after`,
      send,
    )
  }

  const burst = startBurst(send, { first: 9_000_000 })
  await burst.reach(200)
  const free = takeSpace(disk)
  await waitUntil(() => (burst.statuses['503'] ?? 0) > 20 || burst.defects.length > 0, 120_000)
  await service.stop('SIGKILL')
  await burst.stop()
  keep(burst)
  const refusal = await startProcess(scope, variables).then(
    async (started) => {
      await started.stop()
      return 'it starts on the full disk'
    },
    (error: Error) => error.message,
  )
  if (/\n.*\n|\bat /.test(refusal)) defects.push(`start on a full disk: ${refusal}`)
  free()
  const again = await startProcess(scope, variables)
  await note(
    'killed on a full disk (embedded)',
    'SIGKILL while the disk is full, a start on the full disk, then one on the freed disk',
    `on the full disk: ${refusal.trim()}; on the freed one it starts`,
    await loginOver(again.url, login),
  )
  await again.stop()
  return outcomes
}

function mountDisk(scope: Scope): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-training-disk-'))
  scope.teardown(() => rmSync(folder, { recursive: true }))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  scope.teardown(() => execFileSync('umount', ['--lazy', folder]))
  return folder
}

/** Fills the disk with a file; returns a function that removes the file. */
function takeSpace(disk: string): () => void {
  const file = path.join(disk, 'filler')
  const fd = openSync(file, 'w')
  for (const size of [2 ** 20, 4_096, 1]) {
    const piece = Buffer.alloc(size)
    try {
      while (writeSync(fd, piece) === size);
    } catch {
      // No space is left for a piece of this size; the loop continues with the next size.
    }
  }
  closeSync(fd)
  return () => rmSync(file)
}

async function waitUntil(condition: () => boolean, limitMs: number): Promise<void> {
  const started = performance.now()
  while (!condition() && performance.now() - started < limitMs) await sleep(50)
}
