import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { ROOT } from '../support/constants.js'

interface Compose {
  services: Record<string, { volumes?: string[]; secrets?: string[] }>
  secrets?: Record<string, { file: string }>
  volumes: Record<string, unknown>
}

const read = async (name: string): Promise<Compose> => parse(await readFile(path.join(ROOT, name), 'utf8'))
const hasOpenssl = spawnSync('openssl', ['version']).error === undefined

t.test('compose.yaml works with a plain checkout', async (t) => {
  const { services, volumes, secrets } = await read('compose.yaml')
  t.strictSame([Object.keys(services), secrets], [['app'], undefined])
  for (const [source = ''] of (services.app?.volumes ?? []).map((volume) => volume.split(':'))) {
    t.ok(source in volumes || existsSync(path.join(ROOT, source)), source)
  }
})

t.test(
  'a script creates everything that compose.postgres.yaml needs, once',
  { skip: !hasOpenssl && 'no openssl' },
  async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-compose-'))
    t.teardown(() => rm(folder, { recursive: true }))
    await mkdir(path.join(folder, 'scripts'))
    await cp(path.join(ROOT, 'scripts/make-secrets.sh'), path.join(folder, 'scripts/make-secrets.sh'))
    const make = () =>
      spawnSync('sh', [path.join(folder, 'scripts/make-secrets.sh'), 'training.example'], { encoding: 'utf8' })
    const first = make()
    t.match(first, { status: 0, stdout: /Zertifikat für training\.example/, stderr: '' })

    const { services, secrets = {} } = await read('compose.postgres.yaml')
    const made = await contentsOf(folder)
    const named = Object.values(secrets).map(({ file }) => path.normalize(file))
    t.strictSame(Object.keys(made), [...named, 'tls/fullchain.pem', 'tls/privkey.pem'].sort())
    for (const name of Object.values(services).flatMap((service) => service.secrets ?? [])) t.ok(name in secrets, name)
    t.ok(made['secrets/database_url']?.includes(`:${made['secrets/database_password']}@database/`))
    t.ok((made['secrets/session_secret']?.length ?? 0) >= 32)
    for (const text of Object.values(made)) t.notOk(first.stdout.includes(text), 'no secret is shown')

    t.equal(await modeOf('secrets'), 0o700)
    t.equal(await modeOf('tls'), 0o700)
    t.equal(await modeOf('tls/privkey.pem'), 0o600)
    t.equal(await modeOf('secrets/database_url'), 0o644, 'containers read it as other users')

    await rm(path.join(folder, 'secrets/admin_password'))
    await chmod(path.join(folder, 'secrets'), 0o755)
    t.match(make(), { status: 0, stdout: /^secrets\/admin_password angelegt\n[^\n]+\n$/ })
    const again = await contentsOf(folder)
    t.not(again['secrets/admin_password'], made['secrets/admin_password'])
    t.strictSame({ ...again, 'secrets/admin_password': '' }, { ...made, 'secrets/admin_password': '' })
    t.equal(await modeOf('secrets'), 0o700)

    async function modeOf(name: string): Promise<number> {
      return (await stat(path.join(folder, name))).mode & 0o777
    }
  },
)

t.test('no secret enters the repository or the image', async (t) => {
  const lines = async (name: string) => (await readFile(path.join(ROOT, name), 'utf8')).split('\n')
  const ignored = await lines('.gitignore')
  t.ok(ignored.includes('secrets/') && ignored.includes('tls/'))
  const [first, ...exceptions] = (await lines('.dockerignore')).filter((line) => line !== '')
  t.equal(first, '*', 'only the listed files are sent to the builder')
  t.strictSame(
    exceptions.filter((line) => /secrets|tls|data|lab/.test(line)),
    [],
  )
})

async function contentsOf(folder: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for (const below of ['secrets', 'tls']) {
    for (const name of (await readdir(path.join(folder, below))).sort()) {
      contents[`${below}/${name}`] = await readFile(path.join(folder, below, name), 'utf8')
    }
  }
  return contents
}
