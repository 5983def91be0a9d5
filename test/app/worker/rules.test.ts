import t from 'tap'
import { cachedPathFor, isPicture } from '../../../web/src/worker/rules.js'

const FILES = new Set(['assets/index-abc.js', 'theme.js', 'manifest.webmanifest'])

t.test('chooses how the service worker responds', async (t) => {
  for (const scope of ['http://localhost/', 'https://example.org/training/']) {
    const ask = (path: string, mode = 'navigate', method = 'GET') =>
      cachedPathFor({ url: scope + path, method, mode }, scope, FILES)
    for (const path of ['', 'lernen/git', 'karten/4?von=suche', 'apidocs', 'gibt-es-nicht'])
      t.equal(ask(path), '', path)
    for (const path of ['api', 'api/decks', 'docs/', 'assets/x.js', 'openapi.json', 'healthz', 'readyz', 'sw.js?x']) {
      t.equal(ask(path), undefined, path)
    }
    t.equal(ask('theme.js'), undefined, 'a file opened in a tab is returned itself')
    t.equal(ask('assets/index-abc.js', 'cors'), 'assets/index-abc.js')
    t.equal(ask('assets/index-abc.js?old', 'no-cors'), 'assets/index-abc.js')
    t.equal(ask('assets/index-old.js', 'cors'), undefined)
    t.equal(ask('', 'cors'), undefined, "the page's own request for a newer version")
    t.equal(ask('api/review', 'cors'), undefined)
    t.equal(ask('lernen', 'navigate', 'POST'), undefined)
    t.equal(ask('theme.js', 'cors', 'HEAD'), undefined)
  }
  t.equal(
    cachedPathFor({ url: 'http://localhost/', method: 'GET', mode: 'navigate' }, 'http://localhost/a/', FILES),
    undefined,
  )
})

t.test('content pictures may come from the cache', async (t) => {
  const scope = 'https://example.org/training/'
  const ask = (url: string, method = 'GET') => isPicture({ url, method, mode: 'no-cors' }, scope)
  t.ok(ask(`${scope}api/content/media/abc.png`))
  t.notOk(ask(`${scope}api/content/media/abc.png`, 'HEAD'))
  t.notOk(ask(`${scope}api/content/export`))
  t.notOk(ask('https://example.org/api/content/media/abc.png'))
})
