import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { openApp } from './support/app.js'

const SHEET = `---
title: Alles auf einmal
category: Probe
---
# Alles

Ein [Link](https://example.org "Titel"), [einer nach unten](#unten), [böse](javascript:alert(1)), <https://example.com>,
~~kein~~ **fett** *kursiv* \`code\` <script>alert(1)</script> <img src=x onerror=alert(1)> <b onclick="x()">roh</b>.

| a | b |
| :- | -: |
| 1 | <svg onload=alert(1)> |

3. drei
4. vier

> Zitat

\`\`\`bash
echo "<b>$HOME</b>" # Kommentar
\`\`\`

![Bild](data:image/png;base64,AAAA) ![Bild](https://example.org/bild.png)

## Unten
`

t.test('both sanitizers give the same result, and nothing runs', async (t) => {
  const folder = t.testdir({})
  await mkdir(path.join(folder, 'cheatsheets', 'probe'), { recursive: true })
  await mkdir(path.join(folder, 'decks'), { recursive: true })
  await writeFile(path.join(folder, 'cheatsheets/probe/alles.md'), SHEET)
  const app = await openApp(t, { config: { contentDir: folder } })
  const cheatsheets = ((await (await app.asAdmin('GET', '/api/cheatsheets')).json()) as Sheets).cheatsheets
  const seen: string[] = []
  for (const isNative of [true, false]) {
    const { page, complaints } = await app.newPerson()
    if (!isNative) await page.addInitScript('delete Element.prototype.setHTML')
    await page.goto(`${app.url}/spickzettel/${cheatsheets[0]?.slug}`)
    await page.locator('.markdown .hljs-comment, .markdown [class^=hljs]').first().waitFor()
    t.equal(await page.evaluate('"setHTML" in Element.prototype'), isNative)
    const loaded = (await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)')) as string[]
    // The service worker loads every file, but its requests do not appear in the page's list.
    if (isNative)
      t.notOk(
        loaded.some((name) => name.includes('/purify')),
        'the stand-in is not loaded',
      )
    const html = await page.locator('.markdown').first().innerHTML()
    const harmful = `[...document.querySelectorAll('.markdown *')].filter((element) =>
      element.matches('script, svg, b, style, iframe, [href^="javascript"]') ||
      element.getAttributeNames().some((name) => name.startsWith('on'))).length`
    t.equal(await page.evaluate(harmful), 0)
    seen.push(html)
    t.strictSame(
      complaints.filter((text) => !text.includes('example.org')),
      [],
    )
  }
  t.ok((seen[0]?.length ?? 0) > 500)
  t.equal(seen[1], seen[0])
})

interface Sheets {
  cheatsheets: { slug: string }[]
}
