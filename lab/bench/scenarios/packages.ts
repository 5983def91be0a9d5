import { stat } from 'node:fs/promises'
import path from 'node:path'
import { type Postgres, withDatabase } from '../postgres.js'
import { makeFolder, ROOT, runMeasured } from '../processes.js'
import { below, type Measure } from '../report.js'
import { writeContent } from './import.js'

const CARDS = 100_000

/**
 * Measures exports to files, and compares the import of a package with the import of the same cards from a folder. Each
 * export and import runs in a separate process.
 */
export async function measurePackages(postgres: Postgres): Promise<Measure[]> {
  const folder = await makeFolder()
  await writeContent(folder, 'Antwort')
  const target = await makeFolder()
  const createDatabase = async () => {
    const databaseUrl = await postgres.createDatabase()
    await withDatabase(databaseUrl, async () => {})
    return databaseUrl
  }
  const run = (databaseUrl: string, ...args: string[]) =>
    runMeasured(`${ROOT}dist/src/cli.js`, args, { DATABASE_URL: databaseUrl, CONTENT_DIR: folder })

  const empty = await createDatabase()
  const nothing = await run(empty, 'export', path.join(target, 'leer.apkg'))
  const full = await createDatabase()
  const imported = await run(full, 'import')
  const measures: Measure[] = []
  for (const extension of ['apkg', 'csv', 'zip']) {
    const file = path.join(target, `karten.${extension}`)
    const { seconds, memory } = await run(full, 'export', file)
    const { size } = await stat(file)
    measures.push(
      {
        what: `export of ${CARDS} cards as .${extension}, the start of the program included`,
        service: `${seconds.toFixed(1)} s, ${(size / 1e6).toFixed(1)} MB`,
        ...below(20, seconds, 's'),
      },
      { what: 'the same, memory above an export of nothing', ...below(200, memory - nothing.memory, 'MB') },
    )
  }
  const taken = await run(empty, 'import', path.join(target, 'karten.apkg'))
  return [
    ...measures,
    {
      what: `import of ${CARDS} cards from the .apkg; limit: the folder's import of the same`,
      service: `${taken.seconds.toFixed(1)} s, ${taken.memory.toFixed(0)} MB`,
      limit: `${imported.seconds.toFixed(1)} s`,
      ...below(3, taken.seconds / imported.seconds, '×'),
    },
  ]
}
