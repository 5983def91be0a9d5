import t from 'tap'
import { countFiles } from '../../../web/src/pages/vergeben/count-files.js'

t.test('the files of a ZIP are counted, also where a chunk ends within the first bytes of one', async (t) => {
  const filesIn = countFiles()
  const chunks = ['PK\u0003', '\u0004aPPK\u0003\u0004PK', '\u0001\u0002PKPK\u0003\u0004']
  t.strictSame(
    chunks.map((chunk) => filesIn(Buffer.from(chunk, 'latin1'))),
    [0, 2, 3],
  )
})
