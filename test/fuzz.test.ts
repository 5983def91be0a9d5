import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import type { Kysely } from 'kysely'
import t from 'tap'
import type { Database } from '../db/types.js'
import { commandLineActor } from '../src/commands/actor.js'
import { importContent } from '../src/services/content/folder/import.js'
import { deckFile, writeContentFolder } from './support/content.js'
import { createCard, createCheatsheet, createDeck, createUser, PASSWORD } from './support/factories.js'
import { fuzz } from './support/fuzz/index.js'
import { KNOWN_AUTHOR, KNOWN_PICTURE, WRITTEN_SLUGS } from './support/fuzz/requests.js'
import { agent } from './support/fuzz/send.js'
import { startIdentityProvider } from './support/identity-provider.js'
import { startService } from './support/service.js'
import { oidcSettings } from './support/sign-in.js'

const REQUESTS = 6_000
/** With https, responses set and clear other cookies. */
const REQUESTS_WITH_HTTPS = 2_000

/** Creates sources, one of them with decks, cards and sheets, so that requests with their ids and slugs exist. */
async function createSources(db: Kysely<Database>): Promise<void> {
  for (const kind of ['written', 'table'] as const) {
    const source = { kind, name: 'Quelle', file_name: null, size_bytes: 1 }
    await db.insertInto('content_sources').values(Array(30).fill(source)).execute()
  }
  const owner = { source_id: 1 }
  for (const slug of WRITTEN_SLUGS) {
    const deck_id = (await createDeck(db, { slug })).id
    await db
      .insertInto('imported_decks')
      .values({ ...owner, deck_id, source_key: slug })
      .execute()
    for (let card = 0; card < 6; card++) {
      const { id: card_id } = await createCard(db, { deck_id })
      await db
        .insertInto('imported_cards')
        .values({ card_id, deck_id, key: `karte-${card}` })
        .execute()
    }
    const { id: cheatsheet_id } = await createCheatsheet(db, { slug })
    await db
      .insertInto('imported_cheatsheets')
      .values({ ...owner, cheatsheet_id, source_key: slug })
      .execute()
  }
}

// With an address that supports passkeys, and a provider
for (const [publicUrl, requests] of [
  ['http://localhost:3999/', REQUESTS],
  ['https://localhost:3999/', REQUESTS_WITH_HTTPS],
] as const) {
  t.test(
    `requests to ${publicUrl}, made from the OpenAPI document, nearly right and hostile, are answered as described`,
    async (t) => {
      const contentDir = await writeContentFolder(t, {
        'decks/git.md': deckFile(
          'Git',
          Array.from({ length: 30 }, (_, index) => ({ id: `karte-${index}` })),
        ),
        'cheatsheets/git-befehle.md': '# Git\n\n`git stash` legt Änderungen beiseite.\n\n![Ein Baum](baum.gif)\n',
      })
      await writeFile(`${contentDir}/cheatsheets/baum.gif`, KNOWN_PICTURE)
      const provider = await startIdentityProvider(t, `${publicUrl}api/auth/oidc/callback`)
      const config = {
        ...{ contentDir, trustProxy: ['127.0.0.1'], corsOrigins: ['https://app.example.org'] },
        ...{ publicUrl, oidc: oidcSettings(provider, publicUrl) },
      }
      const { app, db } = await startService(t, { config })
      await importContent(db, commandLineActor(), contentDir)
      const { username } = await createUser(db, { is_admin: true })
      // Requests delete users of low ids.
      await createUser(db, { id: 1_000_000, username: KNOWN_AUTHOR, is_author: true })
      await createSources(db)
      await app.listen({ host: '127.0.0.1', port: 0 })
      t.teardown(() => agent.destroy())
      const { port } = app.server.address() as AddressInfo
      const root = { username, password: PASSWORD }
      const report = await fuzz({ origin: `http://127.0.0.1:${port}`, root, seed: 1, requests })
      t.comment(JSON.stringify(report.statuses), `slowest: ${Math.round(report.slowestMs)} ms`)
      t.strictSame(report.faults, [])
      t.equal(report.sent, requests)
      if (requests < REQUESTS) return
      // Without success only refusals would be tested. These operations need a password, key, signature or valid list,
      // which are hard to guess.
      const hard = [
        ...['login', 'changePassword', 'confirmByPassword', 'createPasskey', 'logInByPasskey'],
        ...['backChannelLogout', 'createAccounts'],
        // Linking an identity needs a request that a browser sends from our own page.
        ...['beginLink', 'createIdentity'],
        // These need a picture, the version of a card, an earlier change of the same item, or one of several fields.
        ...['uploadPicture', 'createCard', 'changeCard', 'moveCard', 'restoreCardVersion', 'restoreSheetVersion'],
        ...['changeCards', 'undoChange', 'adoptContent', 'settleReport'],
      ]
      t.strictSame(
        report.neverSucceeded.filter((id) => !hard.includes(id)),
        [],
      )
    },
  )
}
