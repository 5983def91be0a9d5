import t from 'tap'
import { readGroup, readGroupPatch } from '../../../src/domain/scim/group.js'
import { parseProjection, project } from '../../../src/domain/scim/projection.js'
import { patchOf } from '../../support/scim.js'

const changesOf = (...operations: object[]) => {
  const { members } = readGroupPatch(patchOf(...operations))
  return members && { replaces: members.replaces, add: [...members.add], remove: [...members.remove] }
}

t.test('folds the operations on members in their order', async (t) => {
  const add = (...ids: string[]) => ({ op: 'add', path: 'members', value: ids.map((value) => ({ value })) })
  const remove = (id: string) => ({ op: 'remove', path: `members[value eq "${id}"]` })
  t.strictSame(changesOf({ op: 'replace', path: 'displayName', value: 'x' }), undefined)
  t.strictSame(changesOf(add('1', '2'), remove('1')), { replaces: false, add: ['2'], remove: ['1'] })
  t.strictSame(changesOf(remove('1'), add('1')), { replaces: false, add: ['1'], remove: [] })
  t.strictSame(changesOf(add('1'), { op: 'replace', path: 'members', value: [{ value: '3' }] }, add('4')), {
    replaces: true,
    add: ['3', '4'],
    remove: [],
  })
  t.strictSame(changesOf(add('1'), { op: 'remove', path: 'members' }), { replaces: true, add: [], remove: [] })
  t.strictSame(changesOf({ op: 'remove', path: 'members', value: [{ value: '5' }] }), {
    replaces: false,
    add: [],
    remove: ['5'],
  })
})

t.test('reads 10,000 members in one list', async (t) => {
  const members = Array.from({ length: 10_000 }, (_, index) => ({ value: String(index) }))
  t.equal(readGroup({ displayName: 'x', members }).members?.add.size, 10_000)
})

t.test('selects attributes and their parts', async (t) => {
  const user = {
    schemas: ['s'],
    id: '1',
    userName: 'x',
    name: { formatted: 'F' },
    emails: [{ value: 'v', type: 'work' }],
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { employeeNumber: '7' },
  }
  const shown = (given: object) => Object.keys(project(user, parseProjection(given)))
  t.strictSame(shown({}), Object.keys(user))
  t.strictSame(shown({ attributes: 'USERNAME' }), ['schemas', 'id', 'userName'])
  t.strictSame(project(user, parseProjection({ attributes: ['emails.value'] })), {
    schemas: ['s'],
    id: '1',
    emails: [{ value: 'v' }],
  })
  const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
  t.strictSame(shown({ attributes: `${enterprise}:employeeNumber` }), ['schemas', 'id', enterprise])
  t.strictSame(shown({ attributes: 'unknown' }), ['schemas', 'id'])
  t.strictSame(shown({ excludedAttributes: 'id, schemas,userName,emails,name.formatted' }), [
    'schemas',
    'id',
    'name',
    enterprise,
  ])
})

t.test('a type of a member that is no text does not matter', async (t) => {
  const member = { value: '1', type: { toString: 1 } }
  t.strictSame(readGroup({ displayName: 'x', members: [member] }).members?.add, new Set(['1']))
})
