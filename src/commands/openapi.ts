import { openDatabase } from '../../db/client.js'
import { buildApp } from '../app.js'

/** Prints the OpenAPI document of this version. Needs neither settings nor a store. */
export async function printOpenapi(print: (line: string) => void): Promise<void> {
  // The pool connects on first use, so no connection is opened.
  const database = await openDatabase({
    databaseUrl: 'postgres://localhost/unused',
    dataDir: '',
    poolMax: 1,
    onIdleError: () => {},
  })
  const app = await buildApp({
    config: {
      basePath: '/',
      contentDir: '',
      companyName: undefined,
      companyLogo: undefined,
      corsOrigins: [],
      oidc: undefined,
      passwordLogin: true,
      publicUrl: undefined,
      scimAdopt: false,
      rateLimit: 0,
      sessionMaxDays: 30,
      statisticsMinPersons: 5,
      answersKeepDays: 90,
      resultsKeep: 'all',
      defaultLanguage: 'de',
      isTimeZoneSet: true,
      timeZone: 'UTC',
      simulatedDate: undefined,
      tmpDir: '',
      importMaxBytes: 0,
      mail: undefined,
      webhookAllow: [],
      mediaMaxBytes: 0,
      trustProxy: [],
      web: false,
    },
    sessionSecrets: ['unused'.repeat(8)],
    database,
    logger: false,
  })
  await app.ready()
  print(JSON.stringify(app.swagger(), null, 2))
  await app.close()
}
