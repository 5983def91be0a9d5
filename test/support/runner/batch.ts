import { mkdtempSync, rmSync } from 'node:fs'
import { register } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { destroyStores, keepStores, takeLeftovers } from '../stores.js'
import { findTraces, readState } from './traces.js'

declare global {
  var testOfFile: (url: string) => Test | undefined
}

// Registered before tap is loaded, because these hooks replace the module `tap` in test files.
register('./hooks.js', import.meta.url)
const { default: t } = await import('tap')

const FILE_TIMEOUT_MS = 1_800_000
const LEAVING_MS = 2_000

/** Runs test files one after another in this process, each as a subtest. */
async function runBatch(files: string[]): Promise<void> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'svc-training-batch-'))
  process.env.TMPDIR = scratch
  const tests = new Map<string, Test>()
  globalThis.testOfFile = (url) => tests.get(url)
  t.setTimeout(0)
  keepStores()
  // Loads Playwright before the process state is first read, because Playwright replaces functions of `process`.
  if (files.some((file) => file.includes('/web/'))) await import('playwright-core')
  // Asserts before the process state is first read, because tap adds its signal listeners with the first assertion.
  t.ok(files.length > 0, 'there are files')
  // Resolved now, because a test file may change the working directory.
  const urls = files.map((file) => pathToFileURL(path.resolve(file)).href)
  for (const [index, file] of files.entries()) {
    const url = urls[index] as string
    const before = readState(scratch)
    await t.test(file, { timeout: FILE_TIMEOUT_MS }, async (t) => {
      tests.set(url, t)
      await import(url)
    })
    const traces = [...(await takeLeftovers()), ...(await findTraces(before, scratch))]
    t.strictSame(traces, [], `${file} leaves nothing behind`)
  }
  await destroyStores()
  rmSync(scratch, { recursive: true, force: true })
  // Exits explicitly, because handles that a failed file left open would keep the process alive.
  t.end()
  setTimeout(() => process.exit(), LEAVING_MS).unref()
}

await runBatch((process.env.TEST_FILES ?? '').split(' '))
