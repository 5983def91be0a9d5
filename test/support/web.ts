import { spawnSync } from 'node:child_process'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { ROOT } from './constants.js'
import { writeContentFolder } from './content.js'
import type { Owner } from './process.js'

/** A minimal build of the app */
export const BUILT: Record<string, string> = {
  'index.html':
    '<!doctype html>\n<html lang="de">\n<head>\n<base href="/">\n<title>Training</title>\n<meta name="languages" content="de">\n<meta name="company" content="">\n<meta name="company-logo" content="">\n<script type="module" src="./assets/index-abc123.js"></script>\n</head>\n<body></body>\n</html>\n',
  'assets/index-abc123.js': `export const words = '${'Karte '.repeat(500)}'\n`,
  'assets/index-abc123.css': ':root { color-scheme: light dark }\n',
  'icons/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
  'manifest.webmanifest': '{ "name": "svc-training", "start_url": "." }\n',
  'sw.js': 'addEventListener("fetch", () => {})\n',
}

/** @param more further files, such as those of another language */
export async function writeBuiltApp(t: Owner, more: Record<string, string> = {}): Promise<string> {
  const folder = await writeContentFolder(t, { ...BUILT, ...more })
  const { status } = spawnSync(process.execPath, [path.join(ROOT, 'scripts/compress-web.mjs'), folder])
  if (status !== 0) throw new Error('the app could not be compressed')
  return folder
}

/**
 * Starts a proxy that works like nginx with `location PREFIX { proxy_pass TARGET/; }`. Returns its address.
 * @param prefix path with a slash at both ends
 * @param target address of the service without a slash at its end
 */
export async function startStrippingProxy(t: Owner, prefix: string, target: string): Promise<string> {
  const agent = new Agent({ keepAlive: true })
  const proxy = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming
    if (!url.startsWith(prefix)) {
      outgoing.writeHead(404).end('not of this service')
      return
    }
    const sent = request(`${target}/${url.slice(prefix.length)}`, { method, headers, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    incoming.pipe(sent)
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    agent.destroy()
    proxy.closeAllConnections()
    return new Promise((done) => proxy.close(done))
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}
