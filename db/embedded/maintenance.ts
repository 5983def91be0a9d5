import type { PGlite } from '@electric-sql/pglite'

/** Bytes of write-ahead log after which a checkpoint is due */
const checkpointAfter = 64 * 1024 * 1024
/** Ticks (of ten seconds) between two checks for a table to vacuum */
const vacuumEvery = 6

/**
 * Does the work of two background processes of a PostgreSQL server, which PGlite does not have: the checkpointer,
 * without which the log grows until the store is closed, and autovacuum, which gives the planner statistics. Runs only
 * between transactions and vacuums at most one table per minute.
 */
export function createMaintenance(pglite: PGlite) {
  let due = false
  let ticks = 0

  async function run(idle: boolean): Promise<void> {
    if (!due || !idle) return
    due = false
    ticks += 1
    const { rows } = await pglite.query<{ written: number }>(
      'SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), (pg_control_checkpoint()).redo_lsn)::float8 AS written',
    )
    if ((rows[0]?.written ?? 0) > checkpointAfter) await pglite.exec('CHECKPOINT')
    if (ticks % vacuumEvery === 0) await vacuumOneTable(pglite)
  }

  /** Does the due work. Reports a failure as a warning instead of throwing it; the next tick retries. */
  async function attempt(idle: boolean): Promise<void> {
    try {
      await run(idle)
    } catch (error) {
      process.emitWarning(`maintenance of the embedded database failed: ${(error as Error).message}`)
    }
  }

  return {
    /** Must be called every ten seconds */
    async tick(idle: boolean): Promise<void> {
      due = true
      await attempt(idle)
    },
    /** Must be called after client messages have been executed. Does the due work once no transaction is open. */
    afterRequest: attempt,
  }
}

// Uses the default thresholds of autovacuum: https://www.postgresql.org/docs/18/routine-vacuuming.html#AUTOVACUUM
async function vacuumOneTable(pglite: PGlite): Promise<void> {
  const { rows } = await pglite.query<{ name: string }>(`
    SELECT format('%I.%I', schemaname, relname) AS name
    FROM pg_catalog.pg_stat_user_tables
    WHERE n_dead_tup > 50 + 0.2 * n_live_tup
      OR n_mod_since_analyze > 50 + 0.1 * n_live_tup
      OR n_ins_since_vacuum > 1000 + 0.2 * n_live_tup
    ORDER BY n_mod_since_analyze + n_dead_tup DESC
    LIMIT 1`)
  if (rows[0]) await pglite.exec(`VACUUM (ANALYZE) ${rows[0].name}`)
}
