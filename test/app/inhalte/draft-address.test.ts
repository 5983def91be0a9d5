import t from 'tap'
import { addressOfDraft, titleOfDraft } from '../../../web/src/pages/inhalte/start/draft-address.js'

t.test('a draft leads to the page that edits it', async (t) => {
  const addresses = {
    'card 7': 'inhalte/karten/7',
    'card 7 tab 0a1b': 'inhalte/karten/7',
    'new card netz a': 'inhalte/decks/netz%20a?karte=neu',
    'sheet git': 'inhalte/spickzettel/git',
    'new sheet 3': 'inhalte/spickzettel?quelle=3',
    'test git': 'inhalte/tests/git',
    'new test': 'inhalte/tests/neu',
    'assignment 5': 'aufgaben/vergeben/5/aendern',
    'new assignment': 'aufgaben/vergeben/neu',
    'new assignment of 5': 'aufgaben/vergeben/neu?vorlage=5',
    'new assignment 1 after 0 of Erste Tage': 'aufgaben/vergeben/weg/Erste%20Tage/1',
    'new assignment 2 after 7 of Erste Tage': 'aufgaben/vergeben/weg/Erste%20Tage/2?nach=7',
    other: 'inhalte',
  }
  for (const [item, address] of Object.entries(addresses)) t.equal(addressOfDraft(item), address, item)
})

t.test('a draft is named by its question, title or name', async (t) => {
  t.equal(titleOfDraft({ question: 'Was?', answer: 'Das' }), 'Was?')
  t.equal(titleOfDraft({ question: '', answer: 'Das' }), 'Das')
  t.equal(titleOfDraft({ title: 'Git' }), 'Git')
  t.equal(titleOfDraft({ name: 'Prüfung' }), 'Prüfung')
  t.equal(titleOfDraft(undefined), '')
})
