import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { writeContentFolder } from './content.js'
import type { Owner } from './process.js'
import { ROOT } from './service.js'

/** What the build makes of the app, in small. */
export const BUILT: Record<string, string> = {
  'index.html':
    '<!doctype html>\n<html lang="de">\n<head>\n<base href="/">\n<title>svc-training</title>\n<script type="module" src="./assets/index-abc123.js"></script>\n</head>\n<body></body>\n</html>\n',
  'assets/index-abc123.js': `export const words = '${'Karte '.repeat(500)}'\n`,
  'assets/index-abc123.css': ':root { color-scheme: light dark }\n',
  'icons/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
  'manifest.webmanifest': '{ "name": "svc-training", "start_url": "." }\n',
  'sw.js': 'addEventListener("fetch", () => {})\n',
}

/** A folder with a built app, compressed as the build does it; gone when the test ends. */
export async function writeBuiltApp(t: Owner): Promise<string> {
  const folder = await writeContentFolder(t, BUILT)
  const { status } = spawnSync(process.execPath, [path.join(ROOT, 'scripts/compress-web.mjs'), folder])
  if (status !== 0) throw new Error('the app could not be compressed')
  return folder
}
