import t from 'tap'
import { changeTexts } from '../../../src/domain/content/editing/card.js'
import { InvalidInput } from '../../../src/domain/refusal.js'
import { nameFields } from '../../../web/src/pages/inhalte/field-names.js'

t.test('refusals name the fields as the pages do', async (t) => {
  const refusalOf = (input: object) => {
    try {
      changeTexts(input)
    } catch (error) {
      if (error instanceof InvalidInput) return nameFields(error.message)
    }
    return undefined
  }
  t.equal(refusalOf({ question: ' ', answer: 'A' }), 'Das Feld „Frage“ darf nicht leer sein')
  t.equal(refusalOf({ question: 'F', answer: '' }), 'Das Feld „Antwort“ darf nicht leer sein')
  t.equal(
    refusalOf({ question: 'F', answer: 'A', level: 'a\tb' }),
    'Das Feld „Level“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten',
  )
  t.equal(nameFields('Karte 7: Das Feld „content_md“ fehlt'), 'Karte 7: Das Feld „Text“ fehlt')
  t.equal(nameFields('Das Feld „options/0/text“ ist zu lang'), 'Das Feld „Antwortmöglichkeiten“ ist zu lang')
  t.equal(nameFields('Das Feld „change/replace/find“ fehlt'), 'Das Feld „Suchen nach“ fehlt')
})

t.test('leaves other messages unchanged', async (t) => {
  for (const message of ['Das Feld „version“ fehlt', 'Das Feld „toString“ fehlt', '„question“ gibt es nicht', '']) {
    t.equal(nameFields(message), message)
  }
})
