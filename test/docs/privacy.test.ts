import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import t from 'tap'
import { ROOT } from '../support/constants.js'
import { startService } from '../support/service.js'

const { db } = await startService(t)
const text = readFileSync(`${ROOT}docs/datenschutz.md`, 'utf8')
const names = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)

/** Columns of the tables with personal data, by table, as the document lists them */
const LISTED = new Map<string, string[]>()
for (const [, table = '', columns = ''] of text.matchAll(/^\| [^|]+ \| `(\w+)`: ([^|]+) \|$/gm))
  LISTED.set(table, [...(LISTED.get(table) ?? []), ...names(columns)])

/** Tables for which the document lists only the columns with personal data and describes the other columns */
const PARTLY = new Set([...text.matchAll(/die übrigen Spalten sind[^|]+\| `(\w+)`:/g)].map(([, table = '']) => table))
const [, last = ''] = text.split('## Tabellen ohne Bezug zu einer Person')
const WITHOUT = names(last)

t.test('docs/datenschutz.md names each column of each table with personal data', async (t) => {
  const { rows } = await sql<{ table: string; columns: string[] }>`
    select table_name as "table", array_agg(column_name::text) as columns
    from information_schema.columns
    where table_schema = 'public' and table_name not like 'kysely%'
    group by table_name`.execute(db)
  const tables = new Map(rows.map(({ table, columns }) => [table, columns]))
  t.strictSame([...LISTED.keys(), ...WITHOUT].sort(), [...tables.keys()].sort(), 'each table once')
  for (const [table, listed] of LISTED) {
    const columns = tables.get(table) ?? []
    t.strictSame(new Set(listed).size, listed.length, `${table}: no column twice`)
    t.strictSame(
      PARTLY.has(table) ? listed.filter((column) => !columns.includes(column)) : listed.toSorted(),
      PARTLY.has(table) ? [] : columns.toSorted(),
      table,
    )
  }
})

t.test('a table that refers to a user is not listed as one without personal data', async (t) => {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public'
      and (column_name in ('user_id', 'actor_id', 'editor_id', 'address') or column_name like '%\\_by')`.execute(db)
  t.ok(rows.length > 20)
  for (const { table, column } of rows) t.ok(LISTED.get(table)?.includes(column), `${table}.${column}`)
})
