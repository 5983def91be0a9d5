import { existsSync } from 'node:fs'
import t from 'tap'
import { CHROMIUM, findBarriers, isTooWide, openApp, PHONE } from '../support/app.js'

t.test('links in mails and the address in the account', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)

  await t.test('a link acts only when its button is pressed, without a login', async (t) => {
    const { page, complaints } = await app.newBrowser({ viewport: PHONE })
    const posts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(new URL(request.url()).pathname)
    })
    await page.goto(`${app.url}/mail/abbestellen#${'a'.repeat(43)}`)
    const button = page.getByRole('button', { name: 'Abbestellen' })
    await button.waitFor()
    t.strictSame(posts, [])
    t.strictSame(await findBarriers(page), [])
    t.notOk(await isTooWide(page))
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByText('Die Mail über fällige Karten kommt nicht mehr.').waitFor()
    t.strictSame(posts, ['/api/mail/unsubscribe'])
    await page.goto(`${app.url}/mail/bestaetigen`)
    await page.getByText('Der Link ist unvollständig.').waitFor()
    t.strictSame(complaints, [])

    const { page: late } = await app.newBrowser({ viewport: PHONE })
    await late.goto(`${app.url}/mail/bestaetigen#${'a'.repeat(43)}`)
    await late.getByRole('button', { name: 'Adresse bestätigen' }).click()
    await late.getByText('Dieser Link gilt nicht mehr.').waitFor()
    t.strictSame(await findBarriers(late), [])
  })
})
