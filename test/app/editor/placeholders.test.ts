import t from 'tap'
import { placeholder, withoutPlaceholders } from '../../../web/src/editor/placeholders.js'

t.test('removes the placeholders of interrupted uploads in any language', async (t) => {
  t.equal(withoutPlaceholders(`a ${placeholder()} b ${placeholder()}`), 'a  b ')
  t.equal(withoutPlaceholders('a ![Uploading picture 12 …](#upload-12)'), 'a ')
  t.equal(withoutPlaceholders('a ![Bild 1 wird hochgeladen …]()'), 'a ', 'of an earlier version')
  const text = '![Netz](media/a.png) ![](b) [Bild](#upload-1) ![a](#upload)'
  t.equal(withoutPlaceholders(text), text)
})
