import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from './constants.js'
import { freePort } from './postgres.js'
import type { Owner } from './process.js'

/**
 * Starts nginx with the shipped configuration after replacing its host names, ports, files, upstream servers and path.
 * @param servers upstream servers, such as `127.0.0.1:3000`
 * @param options prefix: path prefix that nginx removes; port: TLS port, by default a free one
 */
export async function startNginx(
  t: Owner,
  servers: string[],
  { prefix = '/', port: wanted }: { prefix?: string; port?: number } = {},
) {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-nginx-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const inFolder = (name: string) => path.join(folder, name)
  const [certificate, key, accessLog, errorLog] = [
    inFolder('cert.pem'),
    inFolder('key.pem'),
    inFolder('access.log'),
    inFolder('error.log'),
  ]
  await mkdir(path.join(folder, 'temp'))
  spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
    ...[
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost,IP:127.0.0.1',
      '-keyout',
      key,
      '-out',
      certificate,
    ],
  ])
  const [port, plainPort] = [wanted ?? (await freePort()), await freePort()]
  const upstream = servers.map((server) => `server ${server} max_fails=1 fail_timeout=10s;`).join('\n  ')
  const site = (await readFile(path.join(ROOT, 'deploy', 'nginx.conf'), 'utf8'))
    .replace(/server app:3000 [^\n]+/, upstream)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll('training.example.org', 'localhost')
    .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
    .replace(
      /location \/ \{(\s+)proxy_pass http:\/\/svc_training;/,
      `location ${prefix} {$1proxy_pass http://svc_training${prefix === '/' ? '' : '/'};`,
    )
    .replaceAll('/var/log/nginx/access.log', accessLog)
    .replace('/etc/nginx/tls/fullchain.pem', certificate)
    .replace('/etc/nginx/tls/privkey.pem', key)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${path.join(folder, 'temp', name)};`)
    .join('\n  ')
  const main = `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${path.join(folder, 'pid')};
error_log ${errorLog} warn;
events {}
http {
  access_log ${accessLog};
  ${temporary}
${site}}
`
  await writeFile(path.join(folder, 'nginx.conf'), main)
  const child = spawn('nginx', ['-c', path.join(folder, 'nginx.conf'), '-e', errorLog], { stdio: 'inherit' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
  await untilListening(port)
  return {
    port,
    plainPort,
    certificate: await readFile(certificate),
    certificateFile: certificate,
    accessLog,
    errorLog,
  }
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const listens = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (listens) return
    await sleep(20)
  }
}
