import t from 'tap'
import { changeTexts } from '../../../src/domain/content/editing/card.js'
import { InvalidInput } from '../../../src/domain/refusal.js'
import { labelOf, nameField } from '../../../web/src/words/field-labels.js'

t.test('names the faulty field of a card as the form does', async (t) => {
  const refusalOf = (input: object) => {
    try {
      changeTexts(input)
    } catch (error) {
      if (error instanceof InvalidInput) return nameField(error.message, error.field ?? '')
    }
    return undefined
  }
  t.equal(refusalOf({ question: ' ', answer: 'A' }), 'Das Feld „Frage“ darf nicht leer sein')
  t.equal(refusalOf({ question: 'F', answer: '' }), 'Das Feld „Antwort“ darf nicht leer sein')
  t.equal(
    refusalOf({ question: 'F', answer: 'A', level: 'a\tb' }),
    'Das Feld „Level“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten',
  )
})

t.test('finds labels by paths', async (t) => {
  t.equal(labelOf('options/0/text'), 'Antwortmöglichkeiten')
  t.equal(labelOf('change/replace/find'), 'Suchen nach')
  t.equal(labelOf('parts/1/title'), 'Teil 2')
  t.equal(labelOf('sections/0/draw'), 'Fragen je Versuch')
  t.equal(labelOf('recurrence/every_months'), 'Monate')
  for (const field of ['version', 'toString', 'options_of_nobody', '']) t.equal(labelOf(field), undefined, field)
})

t.test('replaces only the name of the field', async (t) => {
  t.equal(nameField('„closes“ liegt vor dem ersten Tag', 'closes'), '„Letzter Tag“ liegt vor dem ersten Tag')
  t.equal(nameField('Abschnitt 1: „draw“ ist 9', 'sections/0/draw'), 'Abschnitt 1: „Fragen je Versuch“ ist 9')
  t.equal(nameField('Das Feld „parts/1/title“ fehlt', 'parts/1/title'), 'Das Feld „Teil 2“ fehlt')
  t.equal(nameField('Das Deck „git“ fehlt', 'deck'), 'Das Deck „git“ fehlt')
})
