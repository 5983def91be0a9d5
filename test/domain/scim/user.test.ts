import t from 'tap'
import { readUser, readUserPatch } from '../../../src/domain/scim/user.js'
import { ENTERPRISE, patchOf } from '../../support/scim.js'

const patch = (operations: object[], email: string | null = null) => readUserPatch(patchOf(...operations), { email })

t.test('reads a whole user', async (t) => {
  t.strictSame(
    readUser({
      USERNAME: ' erika ',
      externalId: 'E-1',
      name: { formatted: 'Erika Muster', givenName: 'E' },
      emails: [{ value: 'home@example.org' }, { value: 'work@example.org', type: 'work' }],
      [ENTERPRISE]: { employeeNumber: 417, manager: { value: '7' } },
      title: 'x',
      groups: [{ value: '1' }],
      active: 'True',
    }),
    {
      userName: 'erika',
      externalId: 'E-1',
      displayName: 'Erika Muster',
      email: 'work@example.org',
      employeeNumber: '417',
      active: true,
    },
  )
  t.strictSame(readUser({ userName: 'x', emails: null, externalId: '', [ENTERPRISE]: null, displayName: null }), {
    userName: 'x',
    email: null,
    externalId: null,
  })
})

t.test('prefers the display name, then the formatted name, then its parts', async (t) => {
  const nameOf = (values: object) => readUser({ userName: 'x', ...values }).displayName
  const name = { formatted: 'F', givenName: 'G', familyName: 'N' }
  t.equal(nameOf({ displayName: 'D', name }), 'D')
  t.equal(nameOf({ displayName: '', name }), 'F')
  t.equal(nameOf({ name: { ...name, formatted: '' } }), 'G N')
  t.equal(nameOf({ name: { familyName: 'N' } }), 'N')
  t.equal(nameOf({}), undefined)
  t.equal(patch([{ op: 'replace', path: 'name.familyName', value: 'N' }]).displayName, undefined, 'a part alone')
})

t.test('changes the one address that is stored', async (t) => {
  const emailAfter = (operation: object) => patch([operation], 'alt@example.org').email
  const value = 'neu@example.org'
  for (const operation of [
    { op: 'add', path: 'emails[type eq "work"].value', value },
    { op: 'replace', path: 'emails[primary eq true].value', value },
    { op: 'replace', path: 'emails.value', value },
    { op: 'replace', path: 'emails', value: [{ value: 'x@example.org' }, { value, primary: 'True' }] },
    { op: 'replace', path: 'emails', value: { value } },
    { op: 'replace', path: 'emails[value eq "ALT@example.org"]', value: { value } },
    { op: 'replace', value: { 'emails[type eq "work"].value': value } },
  ]) {
    t.equal(emailAfter(operation), value, JSON.stringify(operation))
  }
  for (const path of ['emails', 'emails[type eq "work"]', 'emails[value eq "alt@example.org"]']) {
    t.equal(emailAfter({ op: 'remove', path }), null, path)
  }
  const home = { op: 'add', path: 'emails', value: [{ type: 'home', value }] }
  t.equal(emailAfter(home), undefined, 'an added private address does not replace that of work')
  t.equal(emailAfter({ op: 'add', path: 'emails', value: [{ type: 'home', value, primary: true }] }), value)
  t.equal(emailAfter({ op: 'remove', path: 'emails', value: [{ value }] }), undefined)
  t.equal(emailAfter({ op: 'remove', path: 'emails', value: [{ value: 'ALT@example.org' }] }), null)
  for (const path of [
    'emails[type eq "home"].value',
    'emails[value eq "other@example.org"]',
    'emails[type eq "work"].type',
  ]) {
    t.equal(emailAfter({ op: 'replace', path, value }), undefined, path)
  }
})

t.test('the last of several operations applies', async (t) => {
  const operations = [
    { op: 'replace', path: 'active', value: false },
    { op: 'replace', value: { active: 'true', displayName: 'A' } },
    { op: 'Add', path: 'displayName', value: 'B' },
    { op: 'remove', path: 'externalId' },
    { op: 'remove', path: ENTERPRISE },
  ]
  t.strictSame(patch(operations), { active: true, displayName: 'B', externalId: null, employeeNumber: null })
})

t.test('ignores attributes that it does not know', async (t) => {
  const operations = [
    { op: 'replace', path: 'addresses[type eq "work"].formatted', value: 'x' },
    { op: 'add', path: `${ENTERPRISE}:department`, value: 'x' },
    { op: 'replace', value: { id: '9', meta: {}, schemas: [], nickName: 'x', 'no path': 1, name: 'x' } },
    { op: 'remove', path: 'title' },
    { op: 'remove', path: 'active' },
  ]
  t.strictSame(patch(operations), {})
})

t.test('accepts an object with dangerous keys', async (t) => {
  t.strictSame(readUser(JSON.parse('{"userName":"x","__proto__":{"active":false},"constructor":1}')), { userName: 'x' })
})
