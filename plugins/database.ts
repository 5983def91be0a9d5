import fp from 'fastify-plugin'
import type { Kysely } from 'kysely'
import type { OpenDatabase } from '../db/client.js'
import type { Database } from '../db/types.js'

declare module 'fastify' {
  interface FastifyInstance {
    database: OpenDatabase
    /** `database.db` */
    db: Kysely<Database>
  }
}

export interface DatabasePluginOptions {
  database: OpenDatabase
}

export default fp<DatabasePluginOptions>(
  async (app, { database }) => {
    app.decorate('database', database)
    app.decorate('db', database.db)
    app.addHook('onClose', () => database.close())
  },
  { name: 'database' },
)
