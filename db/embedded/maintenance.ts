import type { PGlite } from '@electric-sql/pglite'

/** Write-ahead log since the last checkpoint, in bytes, from which on a checkpoint is due. */
const checkpointAfter = 64 * 1024 * 1024
/** Ticks between two searches for a table to vacuum. */
const vacuumEvery = 6

/**
 * Does what the background processes of a PostgreSQL server do and PGlite, which is a single process, does not:
 * checkpoints (else the log grows until the store is closed) and VACUUM ANALYZE by the rules of autovacuum
 * (else the planner has no statistics). At most one table at a time, and only between transactions.
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

  /** A failure is no reason to stop serving: it is reported, and tried again. */
  async function attempt(idle: boolean): Promise<void> {
    try {
      await run(idle)
    } catch (error) {
      process.emitWarning(`maintenance of the embedded database failed: ${(error as Error).message}`)
    }
  }

  return {
    /** To call every ten seconds. */
    async tick(idle: boolean): Promise<void> {
      due = true
      await attempt(idle)
    },
    /** To call after each request, for what was due while a transaction was open. */
    afterRequest: attempt,
  }
}

// Thresholds: https://www.postgresql.org/docs/18/routine-vacuuming.html#AUTOVACUUM
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
